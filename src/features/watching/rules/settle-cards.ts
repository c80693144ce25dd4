import { HOUR_MS } from '@signalman/runtime'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { CardState, StillDownReason } from './card.ts'
import { type DueOutage, firstReminder, isMuted, REMIND_AGAIN_MS } from './due.ts'
import { quieted } from './noise.ts'
import { eachInSlices, type Slices } from './slices.ts'
import { isMutedBy, muteMatcher, type ReadyWatch } from './subjects.ts'
import type { Mute, MuteSubject } from './watch.ts'

/** A card while it is decided what stands on it. */
export interface Draft {
  card: CardState
  isNew: boolean
  outages: Outage[]
  /** Ids of its outages that go on, as far as they are known here. */
  open: Set<string>
  openElse: number
  lastNewAt: Date | undefined
  added: string[]
}

/** What has become of a channel apart from its checks; all of its open cards are known then, with all of their outages. */
export interface Occasion {
  /** When checks were last seen, while they cannot be: they are neither quiet nor still down then. */
  readonly blindSince?: Date | undefined
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

interface Channel {
  readonly place: Pick<CardState, 'channelId' | 'environment'>
  readonly watches: readonly ReadyWatch[]
  readonly mutes: readonly Mute[]
}

const isOpen = ({ card }: Draft): boolean => !card.closedAt
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
  const changed = new Set<Draft>()
  const scheduled = new Set<Draft>()
  const isRedrawn = occasion.redraw ? muteMatcher(occasion.redraw) : () => false
  yield* eachInSlices(drafts.filter(isOpen), (draft) => {
    const card = settled(draft, channel.watches, occasion, at)
    if (card === draft.card && !draft.outages.some(({ check }) => isRedrawn(check))) return
    draft.card = card
    changed.add(draft)
  })
  if (occasion.areHoursNew)
    for (const draft of yield* setReminders(channel, drafts.filter(isOpen), at)) scheduled.add(draft)
  const make = (reason: StillDownReason, dues: readonly DueOutage[]): Draft => {
    const outages = dues.map(({ outage }) => outage)
    const ids = outages.map(({ id }) => id)
    const card: CardState = {
      id: newId(),
      ...channel.place,
      kind: 'still-down',
      // While nothing is seen, it is as of when the checks were last seen.
      openedAt: occasion.blindSince ?? at,
      changedAt: at,
      remindAt: firstReminder(untold(drafts, dues), at),
      reason,
    }
    return { card, isNew: true, outages, open: new Set(ids), openElse: 0, lastNewAt: undefined, added: ids }
  }
  const { unmuted } = occasion
  const down = unmuted ? yield* unmutedOf(channel, unmuted) : []
  if (unmuted && down.length > 0) changed.add(make(unmuted.reason, down))
  if (!occasion.blindSince) {
    const { due, replaced, reminder } = yield* remind(channel, drafts.filter(isOpen), at, down)
    for (const draft of due) scheduled.add(draft)
    for (const draft of replaced) changed.add(draft)
    if (reminder.length > 0) changed.add(make('reminder', reminder))
  }
  return { changed, scheduled }
}

/** The card as it is without what has changed in its checks: not watched any more, or not flapping any more. */
function settled(
  draft: Draft,
  watches: readonly ReadyWatch[],
  { blindSince }: Occasion,
  at: Date,
): CardState {
  const { card, open } = draft
  if (!isWatched(draft, watches)) return { ...card, unwatchedAt: at, closedAt: at, remindAt: undefined }
  return (blindSince ? undefined : quieted(card, open.size > 0, at)) ?? card
}

/** A flapping card may be open while its check is up: then its last outage counts. */
function isWatched(draft: Draft, watches: readonly ReadyWatch[]): boolean {
  if (watches.length === 0 || !tellsOfChecks(draft)) return watches.length > 0
  const about = draft.open.size > 0 ? openOf(draft) : draft.outages.slice(-1)
  return about.some(({ check, status }) => watches.some(({ fits }) => fits(check, status)))
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
  yield* eachInSlices(dues, (due) => {
    const { check } = due.outage
    if (subjects.some((about) => isMutedBy(about, check)) && !isMuted(due.outage, mutes)) down.push(due)
  })
  return down
}

/**
 * One card reminds of all that is due and goes on, in the place of the last such card; the next comes a day later. What is muted is
 * reminded of when that ends, unless it was told just now.
 */
function* remind(
  { mutes }: Channel,
  drafts: readonly Draft[],
  at: Date,
  told: readonly DueOutage[],
): Slices<{ due: readonly Draft[]; replaced: readonly Draft[]; reminder: readonly DueOutage[] }> {
  const just = new Set(told.map(({ outage }) => outage.id))
  const again = new Date(at.getTime() + REMIND_AGAIN_MS)
  const due = drafts.filter(({ card: { remindAt } }) => remindAt && remindAt <= at)
  const down = new Map<string, DueOutage>()
  yield* eachInSlices(due, (draft) => {
    const open = openOf(draft)
    const heard = open.filter((outage) => !isMuted(outage, mutes))
    // The cards that it reminds of are due again by themselves.
    for (const outage of heard)
      if (!just.has(outage.id)) down.set(outage.id, { outage, isEvery: false, reminderMs: undefined })
    const muted = mutes.flatMap(({ about, until }) =>
      until && open.some(({ check }) => isMutedBy(about, check)) ? until.getTime() : [],
    )
    const isLater = heard.length === 0 && muted.length > 0
    draft.card = { ...draft.card, remindAt: isLater ? new Date(Math.min(...muted)) : again }
  })
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
  yield* eachInSlices(own, (draft) => {
    const open = openOf(draft)
    const hours = (open.length > 0 ? open : draft.outages.slice(-1)).flatMap(({ check, status }) =>
      asking.flatMap(({ watch, fits }) => (fits(check, status) ? watch.reminderHours : [])),
    )
    const remindAt = changedReminder(hours, {
      since: open[0]?.startedAt ?? at,
      scheduled: draft.card.remindAt,
      wasReminded: open.some(({ id }) => reminded.has(id)),
      now: at,
    })
    draft.card = { ...draft.card, remindAt }
  })
  return own
}

function changedReminder(
  hours: readonly number[],
  at: { since: Date; scheduled: Date | undefined; wasReminded: boolean; now: Date },
): Date | undefined {
  const { since, scheduled, wasReminded, now } = at
  if (hours.length === 0) return undefined
  if (wasReminded) return scheduled ?? new Date(now.getTime() + REMIND_AGAIN_MS)
  return new Date(Math.max(now.getTime(), since.getTime() + Math.min(...hours) * HOUR_MS))
}
