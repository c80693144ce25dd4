import { type Kysely, sql } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import type { PauseReason, WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import { schedule } from '../work/schedule.ts'
import { tellOfBlindness } from './blind-cards.ts'
import { stillDown } from './still-down.ts'
import { tellStillDown } from './tell-still-down.ts'
import { pollGroupOf, scheduleDelivery, schedulePolls, WATCH_WORK } from './watch-work.ts'

export async function pollsOf(
  rows: Kysely<Schema>,
  workspaceId: string,
  environment: Environment,
): Promise<number> {
  const row = await rows
    .selectFrom('watch_poll')
    .select('polls')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .executeTakeFirst()
  return row?.polls ?? 0
}

/** Polls that run already go on unchanged. */
export async function startPolling(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  environment: Environment,
): Promise<void> {
  const group = pollGroupOf(workspaceId)
  const begun = await rows
    .insertInto('watch_poll')
    .values({
      workspace_id: workspaceId,
      environment,
      poll_group: group,
      due_at: time(),
      polls: 0,
      statuses: '[]',
      last_ok_at: null,
      full_at: null,
      failing_since: null,
      failure: null,
      is_blind: 0,
      totals: null,
      states_mark: null,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'environment']).doNothing())
    .executeTakeFirst()
  if ((begun.numInsertedOrUpdatedRows ?? 0n) > 0n) await schedulePolls(rows, time, group)
}

export async function resume(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  workspaceId: string,
  channelId: string,
  now: Date,
): Promise<number> {
  const resumed = await rows
    .updateTable('watch')
    .set({ paused_at: null, pause_reason: null, changed_at: now.toISOString() })
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('paused_at', 'is not', null)
    .returning(['environment', 'enterprise_id'])
    .execute()
  if (resumed.length === 0) return 0
  for (const environment of new Set(resumed.map((row) => row.environment))) {
    await settleResumed(rows, time, { ...placeOf(resumed), workspaceId, channelId, environment }, now)
    await rows
      .updateTable('watch')
      .set({ baseline_poll: await pollsOf(rows, workspaceId, environment) })
      .where('workspace_id', '=', workspaceId)
      .where('channel_id', '=', channelId)
      .where('environment', '=', environment)
      .execute()
  }
  await scheduleDelivery(rows, time, workspaceId, channelId)
  return resumed.length
}

const placeOf = ([first]: readonly { enterprise_id: string | null }[]): { enterpriseId?: string } =>
  first?.enterprise_id ? { enterpriseId: first.enterprise_id } : {}

/**
 * Brings a channel up to date after a pause: drops cards that were never posted, closes cards whose outages are over, edits the
 * others, and tells on one card what is down.
 */
async function settleResumed(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const own = () =>
    rows
      .updateTable('watch_card')
      .where('workspace_id', '=', place.workspaceId)
      .where('channel_id', '=', place.channelId)
      .where('environment', '=', place.environment)
  await own()
    .set((card) => ({
      shown_version: card.ref('version'),
      details_version: card.ref('version'),
      closed_at: sql<string>`coalesce(closed_at, ${at})`,
      remind_at: null,
    }))
    .where('ts', 'is', null)
    // A card whose post has an unknown outcome may exist: it is looked for first.
    .where('attempted_at', 'is', null)
    .execute()
  await own()
    .set((card) => ({ closed_at: at, remind_at: null, version: card('version', '+', 1) }))
    .where('closed_at', 'is', null)
    .where('kind', '<>', 'blind')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('watch_card_outage')
            .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
            .select('watch_outage.id')
            .whereRef('watch_card_outage.card_id', '=', 'watch_card.id')
            .where('watch_outage.ended_at', 'is', null),
        ),
      ),
    )
    .execute()
  // Of the others, too, something may have ended during the pause: polls leave the cards of a paused channel as they are.
  await own()
    .set((card) => ({ version: card('version', '+', 1) }))
    .where('closed_at', 'is', null)
    .where('kind', '<>', 'blind')
    .execute()
  const down = await stillDown(rows, place)
  await tellStillDown(rows, time, place, down, { reason: 'resumed', at: now })
  await tellOfBlindness(rows, time, place, now)
}

export async function pause(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  {
    workspaceId,
    channelId,
    why,
    now,
  }: { workspaceId: string; channelId: string; why: PauseReason; now: Date },
): Promise<number> {
  const paused = await rows
    .updateTable('watch')
    // No full listing counts for it until it is resumed.
    .set({ paused_at: now.toISOString(), pause_reason: why, matched: null })
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('paused_at', 'is', null)
    .returning('environment')
    .execute()
  if (paused.length === 0) return 0
  await schedule(rows, time, { workspaceId, kind: WATCH_WORK.paused, key: channelId })
  return paused.length
}
