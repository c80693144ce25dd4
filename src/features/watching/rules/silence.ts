import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { type Temporal, toDate, toZoned } from '../../../domain/dates/zoned.ts'
import type { CheckFacts, Span } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { globMatcher, watchMatcher } from './matching.ts'
import type { WatchChannel, WatchFilter, WatchRule } from './watch.ts'

/** The checks that a silence covers: all checks, one check, or names that match a pattern with `*`. */
export type SilenceSubject =
  | { readonly kind: 'all' }
  | { readonly kind: 'check'; readonly uuid: string; readonly name: string }
  | { readonly kind: 'name'; readonly pattern: string }

export const REPEAT_INTERVALS = ['day', 'week', 'month'] as const
export type RepeatInterval = (typeof REPEAT_INTERVALS)[number]

/**
 * Suppresses alerts for some checks. A mute and planned maintenance are the same, except that maintenance doesn't count against uptime.
 * Whether it's in force follows from its times alone: nothing is written when a window begins or ends.
 */
export interface Silence extends Omit<WatchChannel, 'channelId'> {
  readonly id: string
  /** Undefined: every channel of the workspace. */
  readonly channelId: string | undefined
  readonly subject: SilenceSubject
  readonly isMaintenance: boolean
  /** The first window. If it repeats, and this is before it was made, its windows begin later. */
  readonly from: Date
  readonly to: Date
  readonly every?: RepeatInterval | undefined
  /** The time zone in which later windows begin and end at the same local times. */
  readonly timeZone: string
  readonly reason: string
  readonly ownerId: string
  readonly ownerName: string
  readonly madeAt: Date
  /** When someone ended or canceled it. */
  readonly endedAt?: Date | undefined
}

/** Short enough that each window ends before the next one starts, even on a day with 23 hours and in February. */
const MAX_LENGTH_MS: Readonly<Record<RepeatInterval | 'once', readonly [number, string]>> = {
  once: [366 * DAY_MS, 'a year'],
  day: [22 * HOUR_MS, '22 hours'],
  week: [6 * DAY_MS, '6 days'],
  month: [27 * DAY_MS, '27 days'],
}

/** Explains why a silence can't have this length. Undefined if it can. */
export function explainInvalidLength({ from, to, every }: Pick<Silence, 'from' | 'to' | 'every'>) {
  const [maxMs, limit] = MAX_LENGTH_MS[every ?? 'once']
  const ms = to.getTime() - from.getTime()
  if (ms <= 0) return 'It would end before it begins.'
  if (ms < 60_000) return 'It has to last at least a minute.'
  return ms > maxMs ? `It can last up to ${limit}${every ? ` if it repeats every ${every}` : ''}.` : undefined
}

export type SilenceTimes = Pick<Silence, 'from' | 'to' | 'every' | 'timeZone'>
type Windows = SilenceTimes & Pick<Silence, 'madeAt' | 'endedAt'>

/** A silence's window number `index`: the first one is 0. Undefined if it doesn't repeat that often, or was ended before. */
function getWindow({ from, to, every, timeZone, endedAt }: Windows, index: number): Span | undefined {
  if (index > 0 && !every) return undefined
  const window = index === 0 || !every ? { from, to } : moveWindow({ from, to, every, timeZone }, index)
  if (endedAt && endedAt <= window.from) return undefined
  return endedAt && endedAt < window.to ? { from: window.from, to: endedAt } : window
}

/**
 * Moves the start by the calendar, counted from the first one: in a month without that day, it's the last day of the month, and later
 * ones use the day again. The end is as long after it as clocks show it for the first window, so that a window over the end of a month, or
 * in a night in which the clocks change, never ends before it begins.
 */
function moveWindow({ from, to, every, timeZone }: SilenceTimes, index: number): Span {
  const [first, last] = [from, to].map((at) => toZoned(at, timeZone).toPlainDateTime()) as [
    Temporal.PlainDateTime,
    Temporal.PlainDateTime,
  ]
  const start = first.add({ [`${every}s`]: index })
  const end = start.add(first.until(last))
  const moved = { from: toDate(start.toZonedDateTime(timeZone)), to: toDate(end.toZonedDateTime(timeZone)) }
  // Where the clock jumps over the whole window, it lasts as long as the first one did.
  const ms = to.getTime() - from.getTime()
  return moved.to > moved.from ? moved : { from: moved.from, to: new Date(moved.from.getTime() + ms) }
}

/** The windows that aren't over at a time, in order. */
function* windowsFrom(silence: Windows, at: Date): Generator<Span, void> {
  const { from, every, timeZone, madeAt } = silence
  const elapsed = every
    ? toZoned(from, timeZone).until(toZoned(at, timeZone), { largestUnit: `${every}s` as const })[`${every}s`]
    : 0
  for (let index = Math.max(0, elapsed); ; index += 1) {
    const window = getWindow(silence, index)
    if (!window) return
    if (window.to > at && (!every || window.from >= madeAt)) yield window
  }
}

/** The first window that isn't over at a time. Undefined if there is none. */
export const findWindow = (silence: Windows, at: Date): Span | undefined =>
  windowsFrom(silence, at).next().value ?? undefined

/** When a silence next begins or ends after a time. Undefined if it's over. */
export function findNextChange(silence: Windows, after: Date): Date | undefined {
  const window = findWindow(silence, after)
  return window && (window.from > after ? window.from : window.to)
}

/** Its windows that overlap a period. */
export function windowsOf(silence: Windows, { from, to }: Span): Span[] {
  const windows: Span[] = []
  for (const window of windowsFrom(silence, from)) {
    if (window.from >= to) break
    windows.push(window)
  }
  return windows
}

/** Whether a silence applies in a channel. */
export const appliesIn = ({ channelId }: Pick<Silence, 'channelId'>, channel: string | undefined): boolean =>
  channelId === undefined || channelId === channel

/** A silence in force: the checks that it covers, and until when. */
export interface InForce {
  readonly silence: Silence
  readonly covers: (check: CheckFacts) => boolean
  readonly until: Date
}

/** The silences that are in force in a channel at a time. The one that lasts longest comes first. */
export const inForce = (silences: readonly Silence[], channel: string | undefined, at: Date): InForce[] =>
  silences
    .flatMap((silence) => {
      const window = appliesIn(silence, channel) ? findWindow(silence, at) : undefined
      if (!window || window.from > at) return []
      return [{ silence, covers: subjectMatcher(silence.subject), until: window.to }]
    })
    .toSorted((left, right) => right.until.getTime() - left.until.getTime())

/** Tests checks by their current names or UUIDs. */
export function subjectMatcher(subject: SilenceSubject): (check: CheckFacts) => boolean {
  if (subject.kind === 'all') return () => true
  if (subject.kind === 'check') return ({ uuid }) => uuid.toLowerCase() === subject.uuid.toLowerCase()
  const matches = globMatcher(subject.pattern)
  return ({ name }) => matches(name)
}

/** Whether a subject covers everything that is meant by another one. A pattern may cover another one: `web-*` covers `web-1*`. */
export function covers(subject: SilenceSubject, other: SilenceSubject): boolean {
  if (other.kind === 'all') return subject.kind === 'all'
  return subjectMatcher(subject)(other.kind === 'check' ? other : { uuid: '', name: other.pattern })
}

/** Whether a subject may cover checks that a filter is about. Of two patterns, only the names of the checks would tell. */
export function mayCover(subject: SilenceSubject, filter: WatchFilter): boolean {
  if (subject.kind === 'check') return watchMatcher(filter)(subject)
  const isMeant = ({ field, pattern, label = '' }: WatchRule) =>
    field === 'name' || subjectMatcher(subject)({ uuid: pattern, name: label })
  return filter.include.length === 0 || filter.include.some(isMeant)
}

/** Whether a new mute replaces an old one: nobody shortens what somebody else has muted. */
export const replaces = (silence: Silence, other: Silence): boolean =>
  !silence.isMaintenance &&
  !other.isMaintenance &&
  other.ownerId === silence.ownerId &&
  other.channelId === silence.channelId &&
  toSubjectKey(other.subject) === toSubjectKey(silence.subject)

/** Identifies a subject in one environment. */
export function toSubjectKey(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'all'
  return subject.kind === 'check'
    ? `check ${subject.uuid.toLowerCase()}`
    : `name ${foldName(subject.pattern)}`
}
