import type { Outage, PollFailure } from '../../../domain/outages/outage.ts'
import {
  type Acknowledgement,
  type CardChange,
  type CardKind,
  type CardState,
  type DigestPeriod,
  type Meanwhile,
  OF_OUTAGES,
  type StillDownReason,
  type ToldCard,
} from './card.ts'
import { channelCards } from './channel-cards.ts'
import { changedReminder, type DueOutage, firstReminder, isMuted, REMIND_AGAIN_MS } from './due.ts'
import { quieted } from './flapping.ts'
import { eachInSlices, type Slices } from './slices.ts'
import { fitting, isMutedBy, muteMatcher, muting, type ReadyWatch } from './subjects.ts'
import type { Mute, MuteSubject } from './watch.ts'

/** A card while it is decided what stands on it. */
export interface Draft extends CardChange {
  card: CardState
  outages: Outage[]
  open: Set<string>
  outageIds: string[]
  isDropped?: boolean
}

export const draftOf = (told: ToldCard): Draft => ({
  ...told,
  ...{ isNew: false, outages: [...told.outages], open: new Set(told.open), outageIds: [] },
})

export const newDraft = (card: CardState, outages: Outage[] = []): Draft => {
  const outageIds = outages.map(({ id }) => id)
  return { card, isNew: true, outages, open: new Set(outageIds), openElse: 0, outageIds, isUnread: true }
}

/** What has become of a channel apart from its checks; all of its open cards are known then, with all of their outages. */
export interface Occasion {
  /** When checks were last seen, and why they cannot be. */
  readonly blindness?: { readonly since: Date; readonly why: PollFailure } | undefined
  /** For how long nobody has looked since then; for ever while nobody looks now: checks are neither quiet nor still down then. */
  readonly unseenMs?: ((since: Date) => number) | undefined
  /** They are seen again, and this had changed by then. */
  readonly seenAgain?: Meanwhile | undefined
  /** The channel is told again: what nobody has read is put together. */
  readonly isResumed?: boolean | undefined
  /** Somebody is on what a card tells, and so on the same where other cards tell it. */
  readonly onIt?:
    | {
        readonly cardId: string
        /** From whom it is taken over. */
        readonly over: string | undefined
        /** All of that card, this one last. */
        readonly takings: readonly Acknowledgement[]
      }
    | undefined
  /** A window of maintenance, of which the channel is told as long as it concerns it. */
  readonly maintenance?: { readonly id: string; readonly isOver: boolean } | undefined
  /** A day that is summed up. */
  readonly digest?: DigestPeriod | undefined
  /** Mutes that are over, or maintenance, and the outages that go on and that the channel's watches want to hear of, new to them or not. */
  readonly unmuted?:
    | {
        readonly subjects: readonly MuteSubject[]
        readonly dues: readonly DueOutage[]
        readonly reason: 'mute-ended' | 'maintenance-over'
      }
    | undefined
  /** What a mute that begins or ends is about: its cards show it, or no longer do. */
  readonly redraw?: MuteSubject | undefined
  /** The hours of reminders were changed. */
  readonly areHoursNew?: boolean | undefined
}

export type Fresh = (kind: CardKind, openedAt: Date) => CardState

export interface Channel {
  readonly place: Pick<CardState, 'channelId' | 'environment'>
  readonly watches: readonly ReadyWatch[]
  readonly mutes: readonly Mute[]
}

export const isOpen = ({ card, isDropped }: Draft): boolean => !card.closedAt && !isDropped
/** A card about the channel itself tells of none. */
const tellsOfChecks = ({ card: { kind } }: Draft): boolean => kind !== 'blind' && kind !== 'maintenance'
const openOf = ({ outages, open }: Draft): Outage[] => outages.filter(({ id }) => open.has(id))

/** What became of drafts: those that read otherwise from now on, and those of which only the next reminder is another. */
interface Settled {
  readonly changed: ReadonlySet<Draft>
  readonly scheduled: ReadonlySet<Draft>
}

/** Brings what stands in a channel up to date with its watches, its mutes and the time. */
export function* settleStanding(
  channel: Channel,
  drafts: readonly Draft[],
  occasion: Occasion,
  { at, newId }: { at: Date; newId: () => string },
): Slices<Settled> {
  const fresh = (kind: CardKind, openedAt: Date): CardState => ({
    id: newId(),
    ...channel.place,
    kind,
    openedAt,
    changedAt: at,
  })
  const changed = new Set<Draft>([
    ...(occasion.isResumed ? merged(drafts, at, fresh) : []),
    ...(yield* redrawn(channel, drafts, occasion, at)),
    ...channelCards(channel, drafts, occasion, { at, fresh }),
  ])
  const scheduled = new Set<Draft>(
    occasion.areHoursNew ? yield* setReminders(channel, drafts.filter(isOpen), at) : [],
  )
  const make = (reason: StillDownReason, dues: readonly DueOutage[]): Draft =>
    newDraft(
      {
        // While nothing is seen, it is as of when the checks were last seen.
        ...fresh('still-down', occasion.blindness?.since ?? at),
        remindAt: firstReminder(untold(drafts, dues), at),
        ...takenBy(drafts, dues),
        reason,
      },
      dues.map(({ outage }) => outage),
    )
  const { unmuted } = occasion
  const down = unmuted ? yield* unmutedOf(channel, unmuted) : []
  if (unmuted && down.length > 0) changed.add(make(unmuted.reason, down))
  if (!occasion.unseenMs?.(at)) {
    const { due, replaced, reminder } = yield* remind(channel, drafts.filter(isOpen), at, down)
    for (const draft of due) scheduled.add(draft)
    for (const draft of replaced) changed.add(draft)
    if (reminder.length > 0) changed.add(make('reminder', reminder))
  }
  return { changed, scheduled }
}

/** The open cards that say something else: not watched any more, not flapping any more, or about what a mute is about. */
function* redrawn(
  channel: Channel,
  drafts: readonly Draft[],
  occasion: Occasion,
  at: Date,
): Slices<readonly Draft[]> {
  const isRedrawn = occasion.redraw ? muteMatcher(occasion.redraw) : () => false
  const found: Draft[] = []
  for (const draft of drafts.filter(isOpen)) {
    const { card: before, open } = draft
    const card = (yield* isWatched(draft, channel.watches))
      ? (quieted(before, open.size > 0, at, occasion.unseenMs?.(before.changedAt)) ?? before)
      : { ...before, unwatchedAt: at, closedAt: at, remindAt: undefined }
    if (card === before && !draft.outages.some(({ check }) => isRedrawn(check))) continue
    draft.card = card
    found.push(draft)
  }
  return found
}

/**
 * Puts the outages of all cards that nobody has read onto one, also of what the channel has stopped to watch since: it missed it while
 * it did. Of what else nobody has read, what is over is dropped, and of several daily summaries all but the last.
 */
function merged(drafts: readonly Draft[], at: Date, fresh: Fresh): readonly Draft[] {
  // Who was on one has read it: somebody has deleted its message since.
  const unread = drafts.filter(({ isUnread, card }) => isUnread && !card.takings)
  const kinds = Object.groupBy(unread, ({ card: { kind } }) =>
    OF_OUTAGES.includes(kind) ? 'outages' : kind === 'digest' ? 'digests' : 'others',
  )
  const telling = (kinds.outages ?? []).length > 1 ? (kinds.outages ?? []) : []
  const over = (kinds.others ?? []).filter(({ card }) => card.closedAt)
  const dropped = [...telling, ...over, ...(kinds.digests ?? []).slice(0, -1)]
  for (const draft of dropped) draft.isDropped = true
  const [first] = telling
  if (!first) return dropped
  const outages = [...new Map(telling.flatMap((one) => one.outages.map((it) => [it.id, it]))).values()]
  const open = new Set(telling.flatMap((draft) => [...draft.open]))
  const reminders = telling.flatMap(({ card }) => card.remindAt?.getTime() ?? [])
  const remindAt = reminders.length > 0 ? new Date(Math.min(...reminders)) : undefined
  const card: CardState = {
    // Since then the channel was not told: the first of them is the oldest.
    ...fresh('still-down', first.card.openedAt),
    ...(open.size > 0 ? { remindAt } : { closedAt: at }),
    reason: 'resumed',
  }
  return [...dropped, { ...newDraft(card, outages), open }]
}

/** A flapping card may be open while its check is up: then its last outage counts. */
function* isWatched(draft: Draft, watches: readonly ReadyWatch[]): Slices<boolean> {
  if (watches.length === 0 || !tellsOfChecks(draft)) return watches.length > 0
  const about = draft.open.size > 0 ? openOf(draft) : draft.outages.slice(-1)
  let isWanted = false
  const look = ({ check }: Outage): void => {
    isWanted ||= fitting(watches, check).length > 0
  }
  yield* eachInSlices(about, look, watches.length)
  return isWanted
}

/** Who is on all of it already, as cards say, also those of what was not watched for a time. Of several each card has its own. */
function takenBy(drafts: readonly Draft[], dues: readonly DueOutage[]): Partial<CardState> {
  const taken = drafts.flatMap(({ card: { acknowledged: by }, open }) =>
    by ? [...open].map((id) => [id, by] as const) : [],
  )
  // Whoever said so last: a card that is not watched any more is not handed over with the others.
  taken.sort(([, one], [, other]) => one.at.getTime() - other.at.getTime())
  const byOutage = new Map(taken)
  const acknowledged = byOutage.get(dues[0]?.outage.id ?? '')
  if (!acknowledged || !dues.every(({ outage }) => byOutage.has(outage.id))) return {}
  const isOne = dues.every(({ outage }) => byOutage.get(outage.id)?.by === acknowledged.by)
  return { remindAt: undefined, ...(isOne && { acknowledged, takings: [acknowledged] }) }
}

/** What open cards tell of is reminded of by those. */
function untold(drafts: readonly Draft[], dues: readonly DueOutage[]): DueOutage[] {
  const told = new Set(drafts.filter(isOpen).flatMap(({ outages }) => outages.map(({ id }) => id)))
  return dues.filter(({ outage }) => !told.has(outage.id))
}

/** What was silenced and goes on, and is not silenced by another mute. */
function* unmutedOf(
  { mutes }: Channel,
  { subjects, dues }: NonNullable<Occasion['unmuted']>,
): Slices<DueOutage[]> {
  const down: DueOutage[] = []
  const take = (due: DueOutage): void => {
    const { check } = due.outage
    if (subjects.some((about) => isMutedBy(about, check)) && !isMuted(due.outage, mutes)) down.push(due)
  }
  yield* eachInSlices(dues, take, subjects.length + mutes.length)
  return down
}

/**
 * One card reminds of all that is due and goes on, in the place of the last such card; the next comes a day later. What is muted is
 * reminded of when that ends, unless it was told just now; what somebody is on, by whichever card, is not.
 */
function* remind(
  { mutes }: Channel,
  drafts: readonly Draft[],
  at: Date,
  told: readonly DueOutage[],
): Slices<{ due: readonly Draft[]; replaced: readonly Draft[]; reminder: readonly DueOutage[] }> {
  const just = new Set(told.map(({ outage }) => outage.id))
  const due = drafts.filter(({ card: { remindAt } }) => remindAt && remindAt <= at)
  const taken = new Set(drafts.flatMap(({ card, open }) => (card.acknowledged ? [...open] : [])))
  const down = new Map<string, DueOutage>()
  for (const draft of due) {
    let isHeard = false
    let mutedUntil = Number.POSITIVE_INFINITY
    const take = (outage: Outage): void => {
      if (taken.has(outage.id)) return
      const silencing = muting(mutes, outage.check)
      for (const { until } of silencing) mutedUntil = Math.min(mutedUntil, until?.getTime() ?? mutedUntil)
      if (silencing.length > 0) return
      isHeard = true
      // The cards that it reminds of are due again by themselves.
      if (!just.has(outage.id)) down.set(outage.id, { outage, isEvery: false, reminderMs: undefined })
    }
    yield* eachInSlices(openOf(draft), take, mutes.length)
    const isLater = !isHeard && mutedUntil < Number.POSITIVE_INFINITY
    draft.card = { ...draft.card, remindAt: new Date(isLater ? mutedUntil : at.getTime() + REMIND_AGAIN_MS) }
  }
  const reminder = [...down.values()]
  const replaced = reminder.length > 0 ? drafts.filter(({ card }) => card.reason === 'reminder') : []
  for (const draft of replaced)
    draft.card = { ...draft.card, reason: 'replaced', changedAt: at, closedAt: at, remindAt: undefined }
  return { due, replaced, reminder }
}

/** Sets the next reminder of each open card anew, by the hours that the watches ask for now. */
function* setReminders({ watches }: Channel, drafts: readonly Draft[], at: Date): Slices<readonly Draft[]> {
  const isReminder = ({ card }: Draft): boolean => card.reason === 'reminder'
  const reminded = new Set(drafts.filter(isReminder).flatMap(({ outages }) => outages.map(({ id }) => id)))
  const asking = watches.filter(({ watch }) => watch.reminderHours > 0)
  const own = drafts.filter((draft) => !isReminder(draft) && tellsOfChecks(draft) && !draft.card.acknowledged)
  for (const draft of own) {
    const open = openOf(draft)
    let hours: number | undefined
    const take = ({ check }: Outage): void => {
      for (const { watch } of fitting(asking, check))
        hours = Math.min(hours ?? watch.reminderHours, watch.reminderHours)
    }
    yield* eachInSlices(open.length > 0 ? open : draft.outages.slice(-1), take, asking.length)
    const remindAt = changedReminder(hours, {
      since: open[0]?.startedAt ?? at,
      scheduled: draft.card.remindAt,
      wasReminded: open.some(({ id }) => reminded.has(id)),
      now: at,
    })
    draft.card = { ...draft.card, remindAt }
  }
  return own
}
