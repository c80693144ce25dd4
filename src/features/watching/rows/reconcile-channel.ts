import { chunksOf, type DatabaseTime, type Rows, readTime, rowsIn } from '@signalman/durable'
import { inTurns, newId } from '@signalman/runtime'
import { sql } from 'kysely'
import { type CardChange, postKey, REOPEN_MS, type ToldCard } from '../rules/card.ts'
import { type Candidate, type DueOutage, dueOutage } from '../rules/due.ts'
import { FLAPPING_QUIET_MS } from '../rules/flapping.ts'
import { type ChannelView, reconcile } from '../rules/reconcile.ts'
import type { Occasion } from '../rules/settle-cards.ts'
import { eachInSlices } from '../rules/slices.ts'
import { type ReadyWatch, readyWatch } from '../rules/subjects.ts'
import { unseenWithin } from '../rules/sum-history.ts'
import type { WatchPlace } from '../rules/watch.ts'
import { lookedAt, pollOf } from './poll-rows.ts'
import { type ChannelOf, channelColumns, ofChannel, watchOf, watchPlaceOf } from './row.ts'
import { saveAndQueueCards } from './save-cards.ts'
import { goingOn } from './subject-rows.ts'
import { channelMutes, type Told, toldCard, toldOutages } from './told-cards.ts'
import { scheduleDelivery } from './watch-work.ts'

/** What has happened to a channel, apart from its checks. */
interface ChannelOccasion extends Omit<Occasion, 'unmuted' | 'blindness' | 'unseenMs'> {
  /** What mutes, or maintenance, were about that are over. */
  readonly unmuted?: Omit<NonNullable<Occasion['unmuted']>, 'dues'> | undefined
}

/**
 * Brings the cards of a channel in one environment up to date, and schedules their delivery and what is due next. True when something
 * is not told any more that nobody has read.
 */
export async function reconcileChannel(
  rows: Rows,
  time: DatabaseTime,
  place: WatchPlace,
  occasion: ChannelOccasion = {},
): Promise<boolean> {
  const at = await readTime(rows, time)
  const changes = await changesOf(rows, time, place, at, occasion)
  await saveAndQueueCards(rows, time, place, changes)
  // Also where nothing changes: a channel whose paused watch is gone takes what it missed. What is resumed is delivered already.
  if (!occasion.isResumed) await scheduleDelivery(rows, time, place)
  return changes.some(({ isDropped }) => isDropped)
}

/** Puts what a channel has never read onto one card for each environment. False when there was nothing to put together. */
export async function mergeUnread(rows: Rows, time: DatabaseTime, channel: ChannelOf): Promise<boolean> {
  const found = await rowsIn(rows, 'watch_card', { ...ofChannel(channel), ts: null })
    .whereRef('shown_version', '<', 'version')
    .execute()
  let isAnyDropped = false
  for (const [first] of Map.groupBy(found, ({ environment }) => environment).values())
    if (first && (await reconcileChannel(rows, time, watchPlaceOf(first), { isResumed: true })))
      isAnyDropped = true
  return isAnyDropped
}

async function changesOf(
  rows: Rows,
  time: DatabaseTime,
  place: WatchPlace,
  at: Date,
  { unmuted, ...occasion }: ChannelOccasion,
): Promise<CardChange[]> {
  const poll = await pollOf(rows, place)
  const quietSince = new Date(at.getTime() - 2 * FLAPPING_QUIET_MS)
  const looked = await lookedAt(rows, place, { from: quietSince, to: at })
  const isBlind = poll?.isBlind ?? false
  const watches = await readyWatches(rows, place)
  const view: ChannelView = {
    place,
    watches,
    mutes: await channelMutes(rows, time, place),
    cards: await standingCards(rows, place, { at, isBlind, unmuted, ...occasion }),
    told: new Set(),
  }
  const news = { poll: poll?.polls ?? 0, at, candidates: [], ended: [] }
  const dues = unmuted && poll ? await duesIn(rows, place, watches, poll.polls) : []
  const since = poll?.lastOkAt ?? poll?.failingSince ?? at
  return inTurns(
    reconcile(view, news, newId, {
      ...occasion,
      ...(unmuted && { unmuted: { ...unmuted, dues } }),
      unseenMs: unseenWithin(looked, at),
      ...(isBlind && { blindness: { since, why: poll?.failure ?? 'unreachable' } }),
    }),
  )
}

/** The outages that go on and are watched in a channel, told or not, and also those that were there when a watch began. */
async function duesIn(
  rows: Rows,
  place: WatchPlace,
  watches: readonly ReadyWatch[],
  polls: number,
): Promise<DueOutage[]> {
  // A watch that was changed or resumed during a mute began with what that kept back.
  const asking = watches.map((one): ReadyWatch => ({ ...one, watch: { ...one.watch, baselinePoll: 0 } }))
  const dues: DueOutage[] = []
  const take = (candidate: Candidate): void => {
    const due = dueOutage(candidate, asking, polls)
    if (due) dues.push(due)
  }
  await inTurns(eachInSlices(await goingOn(rows, place), take, asking.length))
  return dues
}

/** Cards in one statement. */
const CARDS_AT_ONCE = 500

/**
 * The open cards of a channel, each with all of its outages, oldest first. While checks cannot be seen also those that said so a short
 * time ago; where the channel is told again also what it never read; of maintenance the card that was closed because it was about
 * something else; and at the end of a mute what somebody is on that goes on, though the channel did not watch it for a time.
 */
async function standingCards(
  rows: Rows,
  place: WatchPlace,
  { at, isBlind, isResumed, maintenance, unmuted }: ChannelOccasion & { at: Date; isBlind: boolean },
): Promise<ToldCard[]> {
  const recently = new Date(at.getTime() - REOPEN_MS).toISOString()
  const cards = await rowsIn(rows, 'watch_card', channelColumns(place))
    .where((card) =>
      card.or([
        card('closed_at', 'is', null),
        ...(isBlind ? [card.and([card('kind', '=', 'blind'), card('closed_at', '>=', recently)])] : []),
        ...(isResumed
          ? [card.and([card('ts', 'is', null), card('shown_version', '<', card.ref('version'))])]
          : []),
        ...(maintenance ? [card('maintenance_id', '=', maintenance.id)] : []),
        ...(unmuted
          ? [card.and([card('acknowledged_at', 'is not', null), card.exists(thatGoesOn(rows))])]
          : []),
      ]),
    )
    .orderBy('opened_at')
    .execute()
  const unsure = isResumed ? await unsurePosts(rows, place.workspaceId) : new Set<string>()
  const told: Told[] = []
  for (const some of chunksOf(cards, CARDS_AT_ONCE)) {
    const ids = some.map(({ id }) => id)
    told.push(...(await toldOutages(rows, (all) => all.where('card_id', 'in', ids))))
  }
  const ofCards = Map.groupBy(told, ({ cardId }) => cardId)
  return cards.map((row) => ({
    ...toldCard(row, ofCards.get(row.id)),
    isUnread: row.ts === null && row.shown_version < row.version && !unsure.has(postKey(row.id, 'card')),
  }))
}

/** Within a query of cards: what of each goes on. */
export const thatGoesOn = (rows: Rows) =>
  rows
    .selectFrom('watch_card_outage as link')
    .innerJoin('watch_outage as outage', 'outage.id', 'link.outage_id')
    .select('link.card_id')
    .where('link.card_id', '=', sql.ref<string>('watch_card.id'))
    .where('outage.ended_at', 'is', null)

/** The keys of posts whose outcome is unknown: what they tell may stand there. */
const unsurePosts = async (rows: Rows, workspaceId: string): Promise<ReadonlySet<string>> =>
  new Set((await rowsIn(rows, 'post_attempt', { workspace_id: workspaceId }).execute()).map(({ key }) => key))

const readyWatches = async (rows: Rows, place: WatchPlace): Promise<ReadyWatch[]> =>
  (await rowsIn(rows, 'watch', channelColumns(place)).execute()).map((row) => readyWatch(watchOf(row)))
