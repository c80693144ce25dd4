import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import type { CheckFacts, Span } from '../../../domain/outages/outage.ts'
import { momentOf, type WallTime, wallTimeOf } from '../../../domain/zoned-time.ts'
import { globMatcher, muteMatcher } from '../rules/subjects.ts'
import type { Mute, MuteSubject, WatchFilter, WatchPlace } from '../rules/watch.ts'

export const EVERY = ['day', 'week', 'month'] as const
export type Every = (typeof EVERY)[number]

/** What a person decides about planned maintenance. */
export interface MaintenancePlan {
  readonly about: MuteSubject
  readonly from: Date
  readonly forMs: number
  readonly every?: Every | undefined
  /** Whose clocks say when the next window of a recurring one begins. */
  readonly timeZone: string
  readonly because: string
}

/** `planned`: channels have not heard of it. `announced`: they have. `running`: it is under way. `over`: it was, or was called off. */
export type MaintenanceState = 'planned' | 'announced' | 'running' | 'over'

/** One stretch of maintenance. Of a recurring plan only one is not over; the next is made when that ends. */
export interface MaintenanceWindow extends Omit<WatchPlace, 'channelId'>, MaintenancePlan {
  readonly id: string
  /** The same for every window of a recurring plan. */
  readonly planId: string
  /** Undefined: for every channel of the workspace. */
  readonly channelId: string | undefined
  readonly to: Date
  /** What a clock showed at the beginning of the first: from it the others are counted, so that a 31st comes back. */
  readonly first: WallTime
  readonly state: MaintenanceState
  readonly ownerId: string
  readonly ownerName: string
  readonly madeAt: Date
}

/** Channels hear of a window so long before it begins, or as soon as it is planned. */
export const ANNOUNCE_MS = HOUR_MS

const SHORTEST_MS = 60_000
/** A window is over before the next of its plan begins, also on the day with 23 hours and in February. */
const LONGEST_MS: Readonly<Record<Every | 'once', number>> = {
  once: 30 * DAY_MS,
  day: 22 * HOUR_MS,
  week: 6 * DAY_MS,
  month: 27 * DAY_MS,
}

/** What is wrong with its length; undefined for one that can be. */
export function lengthFault({ forMs, every }: Pick<MaintenancePlan, 'forMs' | 'every'>): string | undefined {
  if (forMs < SHORTEST_MS) return 'Maintenance lasts at least a minute.'
  if (forMs <= LONGEST_MS[every ?? 'once']) return undefined
  const most = { once: '30 days', day: '22 hours', week: '6 days', month: '27 days' }[every ?? 'once']
  return `Maintenance ${every ? `every ${every} ` : ''}lasts up to ${most}.`
}

/** When the next window of a recurring plan begins: the first after `after` at the same time of the zone's clocks. */
export function nextStart(
  { first, every, timeZone }: Pick<MaintenanceWindow, 'first' | 'every' | 'timeZone'>,
  after: Date,
): Date | undefined {
  if (!every) return undefined
  const shown = wallTimeOf(after, timeZone)
  const days = (Date.UTC(shown.year, shown.month - 1, shown.day) - dayOf(first)) / DAY_MS
  const months = (shown.year - first.year) * 12 + shown.month - first.month
  const gone = { day: days, week: Math.floor(days / 7), month: months }[every]
  for (let turn = Math.max(0, gone); ; turn += 1) {
    const start = momentOf(turnOf(first, every, turn), timeZone)
    if (start > after) return start
  }
}

const dayOf = ({ year, month, day }: WallTime): number => Date.UTC(year, month - 1, day)

/** A month that has no such day ends on its last. */
function turnOf(first: WallTime, every: Every, turn: number): WallTime {
  if (every !== 'month') return { ...first, day: first.day + turn * (every === 'week' ? 7 : 1) }
  const month = first.month + turn
  const last = new Date(Date.UTC(first.year, month, 0)).getUTCDate()
  const of = new Date(Date.UTC(first.year, month - 1, 1))
  return { ...first, year: of.getUTCFullYear(), month: of.getUTCMonth() + 1, day: Math.min(first.day, last) }
}

/** The first window of a plan, or the next of a recurring one. */
export const windowAt = (from: Date, forMs: number): Span => ({
  from,
  to: new Date(from.getTime() + forMs),
})

/** When something about a window is due next; undefined once it is over. */
export function dueAt({
  state,
  from,
  to,
}: Pick<MaintenanceWindow, 'state' | 'from' | 'to'>): Date | undefined {
  if (state === 'over') return undefined
  if (state === 'running') return to
  return state === 'announced' ? from : new Date(from.getTime() - ANNOUNCE_MS)
}

/** What time has made of a window: its next state, as long as that is due. */
export function stateAt(
  { state, from, to }: Pick<MaintenanceWindow, 'state' | 'from' | 'to'>,
  now: Date,
): MaintenanceState {
  if (state === 'over' || now >= to) return 'over'
  // Also where a clock was set back since.
  if (now >= from || state === 'running') return 'running'
  return now.getTime() >= from.getTime() - ANNOUNCE_MS ? 'announced' : state
}

/** As its checks are muted by it in a channel. Until its end was told, which may be a moment after its time. */
export function muteByMaintenance(window: MaintenanceWindow, channelId: string): Mute {
  const {
    workspaceId,
    enterpriseId,
    environment,
    id,
    about,
    to: until,
    ownerId: by,
    madeAt,
    because,
  } = window
  return { workspaceId, enterpriseId, environment, channelId, id, about, until, by, madeAt, because }
}

export const isInForce = ({ state, from }: Pick<MaintenanceWindow, 'state' | 'from'>, now: Date): boolean =>
  state === 'running' || (state !== 'over' && from <= now)

/** As people are shown it: what has just begun is under way, and what has ended goes on until channels are told. */
export const shownAt = (window: MaintenanceWindow, now: Date): MaintenanceWindow => ({
  ...window,
  state: isInForce(window, now) ? 'running' : stateAt(window, now),
})

/**
 * Whether a window may be about anything that a watch may be told of, as far as names say. `present`: names that checks have by now, by
 * their UUIDs in lower case; a watch and a plan have those of when they were made. A check without either may have any name.
 */
export function mayConcern(
  { include, exclude }: WatchFilter,
  about: MuteSubject,
  present: ReadonlyMap<string, string> = new Map(),
): boolean {
  if (about.kind === 'all') return true
  const nameOf = (uuid: string, before?: string) => present.get(uuid.toLowerCase()) ?? before
  const own = about.kind === 'check' ? (nameOf(about.uuid, about.name) ?? '') : ''
  const names = include.filter(({ field }) => field === 'name' || field === 'uuid')
  const isOutside = exclude.some(({ field, pattern }) =>
    about.kind === 'check'
      ? (field === 'name' && globMatcher(pattern)(own)) || (field === 'uuid' && pattern === about.uuid)
      : field === 'name' && globMatcher(pattern)(about.pattern),
  )
  if (isOutside) return false
  if (names.length === 0) return true
  return names.some(({ field, pattern, label }) => {
    if (about.kind === 'check')
      return field === 'uuid' ? pattern.toLowerCase() === about.uuid.toLowerCase() : globMatcher(pattern)(own)
    if (field === 'name') return globsMeet(pattern, about.pattern)
    const called = nameOf(pattern, label)
    return called === undefined || globMatcher(about.pattern)(called)
  })
}

/** Whether any text fits both patterns: of two with a star, what stands before the first and behind the last decides. */
export function globsMeet(one: string, other: string): boolean {
  if (!one.includes('*')) return globMatcher(other)(one)
  if (!other.includes('*')) return globMatcher(one)(other)
  const [left, right] = [one.toLowerCase().split('*'), other.toLowerCase().split('*')]
  const [begins = '', otherBegins = ''] = [left[0], right[0]]
  const [ends = '', otherEnds = ''] = [left.at(-1), right.at(-1)]
  return (
    (begins.startsWith(otherBegins) || otherBegins.startsWith(begins)) &&
    (ends.endsWith(otherEnds) || otherEnds.endsWith(ends))
  )
}

/** A stretch of maintenance that is counted apart. */
export interface Planned extends Span {
  readonly about: MuteSubject
}

/** The stretches in which a check was in maintenance, put together and in order. */
export function plannedFor(planned: readonly Planned[]): (check: CheckFacts) => readonly Span[] {
  const ready = planned
    .filter(({ from, to }) => to > from)
    .toSorted((left, right) => left.from.getTime() - right.from.getTime())
    .map((one) => ({ ...one, covers: muteMatcher(one.about) }))
  const known = new Map<string, readonly Span[]>()
  const spansOf = (check: CheckFacts): readonly Span[] => {
    const spans: Span[] = []
    for (const { from, to, covers } of ready) {
      if (!covers(check)) continue
      const last = spans.at(-1)
      if (!last || last.to < from) spans.push({ from, to })
      else if (to > last.to) spans[spans.length - 1] = { from: last.from, to }
    }
    return spans
  }
  return (check) => {
    // A check has many outages, and the same name in nearly all of them.
    const key = `${check.uuid} ${check.name}`
    const spans = known.get(key) ?? spansOf(check)
    known.set(key, spans)
    return spans
  }
}

/** What is left of a stretch of time without those others, which are in order. */
export function without(span: Span, others: readonly Span[]): Span[] {
  const left: Span[] = []
  let { from } = span
  for (const other of others) {
    if (other.to <= from || other.from >= span.to) continue
    if (other.from > from) left.push({ from, to: other.from })
    from = other.to
  }
  if (from < span.to) left.push({ from, to: span.to })
  return left
}
