import type { Kysely } from 'kysely'
import { MOST_MUTES, MOST_WATCHES, WatchingFull } from '../../domain/watching/watch-limits.ts'
import type { Schema } from '../database/schema.ts'

/** Throws WatchingFull at the limit of watches or mutes. Call it in the workspace's turn only, else two requests pass at once. */
export async function refuseAtLimit(
  rows: Kysely<Schema>,
  table: 'watch' | 'watch_mute',
  workspaceId: string,
): Promise<void> {
  const most = table === 'watch' ? MOST_WATCHES : MOST_MUTES
  const { many } = await rows
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('many'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  if (Number(many) >= most) throw new WatchingFull(table === 'watch' ? 'watches' : 'mutes', most)
}
