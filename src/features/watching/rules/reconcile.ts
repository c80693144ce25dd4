import { type SubjectKey, subjectKey } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import { type CardChange, type CardState, REOPEN_MS, REOPENED_FOR_MS, type ToldCard } from './card.ts'
import { type Candidate, type DueOutage, dueOutage, firstReminder, isMuted } from './due.ts'
import { isFlapping } from './flapping.ts'
import { type Channel, type Draft, draftOf, newDraft, type Occasion, settleStanding } from './settle-cards.ts'
import { eachInSlices, type Slices } from './slices.ts'
import { isStorm, isWithin, takesUp } from './storm.ts'

/** One channel in one environment: what it wants, and what stands there. */
export interface ChannelView extends Channel {
  readonly cards: readonly ToldCard[]
  /** Ids of outages that any card of the channel tells of, however old. */
  readonly told: ReadonlySet<string>
}

/** What a poll came to. */
export interface PollNews {
  readonly poll: number
  readonly at: Date
  readonly candidates: readonly Candidate[]
  /** As they are now. */
  readonly ended: readonly Outage[]
}

/**
 * What a channel is to read: nothing else decides it. From its watches, its mutes and what stands there, to the cards that change by
 * what became of its checks, and on an occasion by what became of the rest. Everything but a new card is an edit.
 */
export function* reconcile(
  { place: { channelId, environment }, ...asked }: ChannelView,
  news: PollNews,
  newId: () => string,
  occasion?: Occasion,
): Slices<CardChange[]> {
  // Nothing else of whoever names the channel, a watch or a mute with an id of its own, comes onto a card.
  const view: ChannelView = { ...asked, place: { channelId, environment } }
  const drafts = view.cards.map(draftOf)
  const changed = yield* tell(view, news, drafts, newId)
  const settled = occasion && (yield* settleStanding(view, drafts, occasion, { at: news.at, newId }))
  for (const draft of settled?.changed ?? []) changed.add(draft)
  const all = new Set([...changed, ...(settled?.scheduled ?? [])])
  return [...all].map((draft) => ({ ...draft, isShown: changed.has(draft) }))
}

/** What became of checks. */
function* tell(
  view: ChannelView,
  { candidates, ended, poll, at }: PollNews,
  drafts: readonly Draft[],
  newId: () => string,
): Slices<Set<Draft>> {
  const touched = new Set<Draft>()
  const take = (outage: Outage): void => {
    for (const draft of drafts)
      if (draft.open.has(outage.id)) {
        end(draft, outage, at)
        touched.add(draft)
      }
  }
  yield* eachInSlices(ended, take, drafts.length)
  const rest: DueOutage[] = []
  const news = candidates.filter(({ outage }) => !view.told.has(outage.id))
  const tellOf = (candidate: Candidate): void => {
    const due = dueOutage(candidate, view.watches, poll)
    if (!due) return
    const draft = due.isEvery ? undefined : reopenable(drafts, due.outage, at)
    if (draft) touched.add(add(draft, due, at))
    // A mute silences posts, never the truth of a card that is there.
    else if (!isMuted(due.outage, view.mutes)) rest.push(due)
  }
  yield* eachInSlices(news, tellOf, drafts.length + view.watches.length + view.mutes.length)
  for (const draft of post(rest, drafts, view, at, newId)) touched.add(draft)
  return touched
}

/** Flapping ends by being quiet; everything else with its last outage. */
function end(draft: Draft, outage: Outage, at: Date): void {
  draft.open.delete(outage.id)
  draft.outages = draft.outages.map((one) => (one.id === outage.id ? outage : one))
  const kind = kindAfter(draft, at)
  const isOver = draft.open.size + draft.openElse === 0 && kind !== 'flapping'
  draft.card = { ...draft.card, kind, changedAt: at, ...(isOver && { closedAt: at, remindAt: undefined }) }
}

function add(draft: Draft, due: DueOutage, at: Date): Draft {
  const { outage } = due
  draft.outages = [...draft.outages, outage]
  draft.open.add(outage.id)
  draft.outageIds.push(outage.id)
  const { closedAt, unwatchedAt: _unwatchedAt, acknowledged, ...card } = draft.card
  const wasClosed = closedAt !== undefined
  draft.card = {
    ...card,
    kind: kindAfter(draft, at, wasClosed),
    changedAt: at,
    // Whoever was on what is over has not said that they are on this.
    ...(acknowledged && !wasClosed
      ? { acknowledged }
      : { remindAt: card.remindAt ?? firstReminder([due], at) }),
  }
  return draft
}

/** A card of one check is about its flapping while it does; one that was closed begins as what it is now. */
function kindAfter({ card, outages }: Draft, at: Date, wasClosed = false): CardState['kind'] {
  if (card.kind !== 'outage' && card.kind !== 'flapping') return card.kind
  if (card.kind === 'flapping' && !wasClosed) return 'flapping'
  return isFlapping(outages, at) ? 'flapping' : 'outage'
}

/** The card that told of this subject last, if that was a short while ago, and people were not told on it for too long. */
function reopenable(drafts: readonly Draft[], outage: Outage, at: Date): Draft | undefined {
  const key = keyOf(outage)
  const isRecent = (date: Date | undefined): boolean => date === undefined || isWithin(date, at, REOPEN_MS)
  const fitting = drafts.filter(({ card, outages }) => {
    // What sums up is not kept as the card of one check, which flaps and is damped.
    if (card.unwatchedAt || card.kind === 'still-down') return false
    if (card.closedAt && !isWithin(card.openedAt, at, REOPENED_FOR_MS)) return false
    const last = outages.findLast((one) => keyOf(one) === key)
    if (!last) return false
    return card.kind === 'flapping' ? isRecent(card.closedAt) : isRecent(last.endedAt)
  })
  return fitting.sort((left, right) => right.card.changedAt.getTime() - left.card.changedAt.getTime())[0]
}

/** New outages, on the card of a storm that takes them up, on the card of a new one, or each on a card of its own. */
function post(
  rest: readonly DueOutage[],
  drafts: readonly Draft[],
  { place }: ChannelView,
  at: Date,
  newId: () => string,
): Draft[] {
  if (rest.length === 0) return []
  const storm = drafts.find(({ card }) => rest.some(({ outage }) => takesUp(card, outage.startedAt)))
  if (storm) {
    const told = new Set(storm.outages.map(keyOf))
    const fresh = rest.filter(({ outage }) => !told.has(keyOf(outage)))
    for (const due of rest) add(storm, due, at)
    const lastNewAt = lastFell(fresh, storm.card.lastNewAt)
    storm.card = remindedOf({ ...storm.card, lastNewAt }, rest, at)
    return [storm]
  }
  const make = (kind: CardState['kind'], dues: readonly DueOutage[]): Draft => {
    const card: CardState = {
      id: newId(),
      ...place,
      kind,
      openedAt: at,
      changedAt: at,
      remindAt: firstReminder(dues, at),
      ...(kind === 'storm' && { lastNewAt: lastFell(dues) }),
    }
    return newDraft(
      card,
      dues.map(({ outage }) => outage),
    )
  }
  const cards = drafts.map(({ card }) => card)
  if (isStorm(rest.length, cards, at)) return [make('storm', rest)]
  return rest.map((due) => make('outage', [due]))
}

/** A storm is reminded of as soon as anything that is new to it wants it, unless somebody is on it. */
function remindedOf(card: CardState, dues: readonly DueOutage[], at: Date): CardState {
  const remindAt = firstReminder(dues, at)
  if (!remindAt || card.acknowledged || (card.remindAt && card.remindAt <= remindAt)) return card
  return { ...card, remindAt }
}

const lastFell = (dues: readonly DueOutage[], last?: Date): Date | undefined =>
  dues.reduce((latest, { outage: { startedAt: at } }) => (latest && latest > at ? latest : at), last)

const keyOf = ({ check, status }: Outage): SubjectKey => subjectKey(check.uuid, status)
