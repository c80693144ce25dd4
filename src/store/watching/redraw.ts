import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { muteMatcher } from '../../domain/watching/subjects.ts'
import type { CheckFacts, Mute } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { scheduleDelivery } from './watch-work.ts'

/** Outages read at a time: a storm may tell of thousands. */
const PAGE = 200

/** Schedules an edit of the open cards that a mute is about, so that they show it, or no longer do. */
export async function redrawMuted(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, channelId, environment, about }: Mute,
): Promise<void> {
  const open = await rows
    .selectFrom('watch_card')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('environment', '=', environment)
    .where('closed_at', 'is', null)
    .execute()
  const isMuted = muteMatcher(about)
  const ids: string[] = []
  for (const { id } of open) if (await tellsOfAny(rows, id, isMuted)) ids.push(id)
  for (const id of ids)
    await rows
      .updateTable('watch_card')
      .set((card) => ({ version: card('version', '+', 1) }))
      .where('id', '=', id)
      .execute()
  if (ids.length > 0) await scheduleDelivery(rows, time, workspaceId, channelId)
}

async function tellsOfAny(
  rows: Kysely<Schema>,
  cardId: string,
  fits: (check: CheckFacts) => boolean,
): Promise<boolean> {
  for (let after = ''; ; ) {
    const page = await rows
      .selectFrom('watch_card_outage')
      .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
      .select(['watch_outage.id', 'watch_outage.facts'])
      .where('watch_card_outage.card_id', '=', cardId)
      .where('watch_card_outage.outage_id', '>', after)
      .orderBy('watch_card_outage.outage_id')
      .limit(PAGE)
      .execute()
    // Written by this program alone.
    if (page.some(({ facts }) => fits(JSON.parse(facts) as CheckFacts))) return true
    const last = page.at(-1)
    if (!last || page.length < PAGE) return false
    after = last.id
    await nextTurn()
  }
}
