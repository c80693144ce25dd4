import type { Kysely } from 'kysely'
import { isBlind } from '../../domain/watching/blindness.ts'
import type { PollFailure } from '../../domain/watching/outage.ts'
import type { Watch } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import type { WatchCardRow, WatchPollRow } from '../database/watch-rows.ts'
import { blindCards, openBlindCard } from './blind-cards.ts'
import type { ScopeOf } from './channel-view.ts'
import type { PollEnd } from './end-polls.ts'
import { cardOf } from './row.ts'
import { placeOf, saveAndQueueCards } from './write-cards.ts'

/** A poll that failed. */
export interface FailedPoll {
  readonly failure: PollFailure
  readonly at: Date
  readonly retryMs: number
}

/** Writes the failure, and opens a card in each channel where it counts as blindness; cards that are open say a new reason. */
export async function recordFailure(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  scope: ScopeOf,
  watches: readonly Watch[],
  { failure, at, retryMs }: FailedPoll,
): Promise<void> {
  const row = await inScope(rows, scope)
  if (!row) return
  const failingSince = row.failing_since ?? at.toISOString()
  const lastedMs = at.getTime() - new Date(failingSince).getTime()
  const isTold = isBlind(failure, lastedMs)
  await rows
    .updateTable('watch_poll')
    .set({
      due_at: new Date(at.getTime() + retryMs).toISOString(),
      failing_since: failingSince,
      failure,
      ...(isTold && { is_blind: 1 }),
    })
    .where('workspace_id', '=', scope.workspaceId)
    .where('environment', '=', scope.environment)
    .execute()
  // While nothing can be seen, only another reason for it is news.
  if (row.is_blind === 1 ? row.failure === failure : !isTold) return
  const since = new Date(row.last_ok_at ?? failingSince)
  for (const channelId of new Set(watches.map((watch) => watch.channelId)))
    await openBlindCard(rows, time, { ...scope, ...placeOf(watches, channelId) }, { failure, since, at })
}

const inScope = (
  rows: Kysely<Schema>,
  { workspaceId, environment }: ScopeOf,
): Promise<WatchPollRow | undefined> =>
  rows
    .selectFrom('watch_poll')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .executeTakeFirst()

/** Closes every card of a blindness; each says that it is over, and what changed meanwhile. */
export async function endBlindness(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  scope: ScopeOf,
  { at, meanwhile }: PollEnd,
): Promise<void> {
  const open: WatchCardRow[] = await blindCards(rows, scope).execute()
  for (const row of open) {
    const card = { ...cardOf(row), changedAt: at, closedAt: at, meanwhile }
    const place = { ...scope, channelId: row.channel_id }
    await saveAndQueueCards(rows, time, place, [{ card, isNew: false, outageIds: [] }])
  }
}
