import type { Kysely } from 'kysely'
import { MOST_MUTES, MOST_WATCHES, WatchingFull } from '../../domain/watching/room.ts'
import type { Schema } from '../database/schema.ts'

/** Throws WatchingFull where the workspace has as many of them as one may have. To be asked for in the workspace's turn alone. */
export async function refuseFull(
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
