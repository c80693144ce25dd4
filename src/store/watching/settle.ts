import type { Kysely } from 'kysely'
import type { Environment } from '../../domain/environment.ts'
import { type ReadyWatch, readyWatch } from '../../domain/watching/subjects.ts'
import type { CheckFacts, WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchOutageRow } from '../database/watch-rows.ts'
import { watchOf } from './row.ts'
import { scheduleDelivery } from './watch-work.ts'

/** Card ids in one statement. */
const AT_ONCE = 200
/** Outages read at a time: a storm may tell of thousands. */
const PAGE = 200

/** Closes the open cards of a channel whose checks are no longer watched there; each card says so. */
export async function settleChannel(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  { workspaceId, channelId, environment }: WatchPlace,
  now: Date,
): Promise<void> {
  const left = await watchesOf(rows, { workspaceId, channelId, environment })
  const open = await rows
    .selectFrom('watch_card')
    .select(['id', 'kind'])
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('environment', '=', environment)
    .where('closed_at', 'is', null)
    .execute()
  const unwatched: string[] = []
  for (const card of open)
    if (left.length === 0 || (card.kind !== 'blind' && !(await tellsOfAny(rows, card.id, left))))
      unwatched.push(card.id)
  const at = now.toISOString()
  for (let start = 0; start < unwatched.length; start += AT_ONCE)
    await rows
      .updateTable('watch_card')
      .set((card) => ({
        unwatched_at: at,
        closed_at: at,
        remind_at: null,
        version: card('version', '+', 1),
      }))
      .where('id', 'in', unwatched.slice(start, start + AT_ONCE))
      .execute()
  if (unwatched.length > 0) await scheduleDelivery(rows, time, workspaceId, channelId)
}

async function watchesOf(
  rows: Kysely<Schema>,
  { workspaceId, channelId, environment }: WatchPlace,
): Promise<ReadyWatch[]> {
  const found = await rows
    .selectFrom('watch')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('channel_id', '=', channelId)
    .where('environment', '=', environment)
    .execute()
  return found.map((row) => readyWatch(watchOf(row)))
}

/** A flapping card may be open while its checks are up: then its last outage counts. */
async function tellsOfAny(
  rows: Kysely<Schema>,
  cardId: string,
  left: readonly ReadyWatch[],
): Promise<boolean> {
  const told = rows
    .selectFrom('watch_card_outage')
    .innerJoin('watch_outage', 'watch_outage.id', 'watch_card_outage.outage_id')
    .select(['watch_outage.id', 'watch_outage.facts', 'watch_outage.status'])
    .where('watch_card_outage.card_id', '=', cardId)
  const fits = ({ facts, status }: Pick<WatchOutageRow, 'facts' | 'status'>): boolean =>
    // Only this program writes it.
    left.some((watch) => watch.fits(JSON.parse(facts) as CheckFacts, status))
  let isAnyDown = false
  for (let after = ''; ; ) {
    const page = await told
      .where('watch_outage.ended_at', 'is', null)
      .where('watch_card_outage.outage_id', '>', after)
      .orderBy('watch_card_outage.outage_id')
      .limit(PAGE)
      .execute()
    if (page.some(fits)) return true
    isAnyDown ||= page.length > 0
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = last.id
  }
  if (isAnyDown) return false
  const last = await told.orderBy('watch_outage.started_at', 'desc').limit(1).executeTakeFirst()
  return last !== undefined && fits(last)
}

/**
 * Ends the polling of an environment without watches; the next watch there begins with a baseline. Paused watches are still polled,
 * so that their channels can be told what is down when they resume.
 */
export async function settlePolling(
  rows: Kysely<Schema>,
  { workspaceId, environment }: { workspaceId: string; environment: Environment },
  now: Date,
): Promise<void> {
  const left = await rows
    .selectFrom('watch')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .limit(1)
    .executeTakeFirst()
  if (left) return
  await rows
    .deleteFrom('watch_poll')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .execute()
  await rows
    .deleteFrom('watch_state')
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .execute()
  await rows
    .updateTable('watch_outage')
    .set({ ended_at: now.toISOString(), ending: 'unseen' })
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('ended_at', 'is', null)
    .execute()
}
