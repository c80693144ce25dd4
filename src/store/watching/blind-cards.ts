import type { Kysely } from 'kysely'
import { type CardState, REOPEN_MS } from '../../domain/watching/card.ts'
import type { PollFailure } from '../../domain/watching/outage.ts'
import type { WatchPlace } from '../../domain/watching/watch.ts'
import type { DatabaseTime } from '../database/clock.ts'
import type { Schema } from '../database/schema.ts'
import type { ScopeOf } from './channel-view.ts'
import { cardOf, dateOf, newWatchingId } from './row.ts'
import { saveAndQueueCards } from './write-cards.ts'

/** Opens a card that says that checks cannot be seen; the last such card where that is open, or closed a short time ago. */
export async function openBlindCard(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: ScopeOf & { channelId: string; enterpriseId?: string | undefined },
  { failure, since, at }: { failure: PollFailure; since: Date; at: Date },
): Promise<void> {
  const [recent] = await blindCards(rows, place, new Date(at.getTime() - REOPEN_MS)).execute()
  const fresh: CardState = {
    id: newWatchingId(),
    environment: place.environment,
    channelId: place.channelId,
    kind: 'blind',
    openedAt: since,
    changedAt: at,
    reason: failure,
  }
  const { closedAt: _, meanwhile: __, ...known } = recent ? cardOf(recent) : fresh
  const card = { ...known, openedAt: since, changedAt: at, reason: failure }
  await saveAndQueueCards(rows, time, place, [{ card, isNew: !recent, outageIds: [] }])
}

/** While checks cannot be seen, opens a card in a channel that did not watch, or was paused, when that or its reason began. */
export async function tellOfBlindness(
  rows: Kysely<Schema>,
  time: DatabaseTime,
  place: WatchPlace,
  at: Date,
): Promise<void> {
  const poll = await rows
    .selectFrom('watch_poll')
    .select(['failure', 'last_ok_at', 'failing_since'])
    .where('workspace_id', '=', place.workspaceId)
    .where('environment', '=', place.environment)
    .where('is_blind', '=', 1)
    .executeTakeFirst()
  if (!poll?.failure) return
  const [open] = await blindCards(rows, place).execute()
  if (open?.reason === poll.failure) return
  const since = dateOf(poll.last_ok_at ?? poll.failing_since) ?? at
  await openBlindCard(rows, time, place, { failure: poll.failure, since, at })
}

/** The open cards that say that checks cannot be seen; with `closedSince`, also the cards that closed since then. */
export function blindCards(
  rows: Kysely<Schema>,
  { workspaceId, environment, channelId }: ScopeOf & { channelId?: string },
  closedSince?: Date,
) {
  const own = rows
    .selectFrom('watch_card')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('environment', '=', environment)
    .where('kind', '=', 'blind')
    .where('unwatched_at', 'is', null)
    .where((card) =>
      card.or([
        card('closed_at', 'is', null),
        ...(closedSince ? [card('closed_at', '>=', closedSince.toISOString())] : []),
      ]),
    )
    .orderBy('changed_at', 'desc')
  return channelId === undefined ? own : own.where('channel_id', '=', channelId)
}
