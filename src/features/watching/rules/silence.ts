import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { fromWallMs, toWallMs } from '../../../domain/dates/zoned.ts'
import { globMatcher } from '../../../domain/name-pattern.ts'
import type { CheckFacts, Span } from '../../../domain/outages/outage.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { watchMatcher } from './matching.ts'
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

/** The windows that aren't over at a time, in order, until someone ends the silence. */
function* windowsFrom(silence: Windows, at: Date): Generator<Span, void> {
  const { from, every, timeZone, madeAt, endedAt } = silence
  const [first, wallAt] = [from, at].map((time) => toWallMs(time, timeZone)) as [number, number]
  for (let index = every ? Math.max(0, countElapsed(first, wallAt, every) - 1) : 0; ; index += 1) {
    const window = getWindow(silence, first, index)
    if (!window || (endedAt && endedAt <= window.from)) return
    const to = endedAt && endedAt < window.to ? endedAt : window.to
    if (to > at && (!every || window.from >= madeAt)) yield { from: window.from, to }
  }
}

/**
 * A silence's window number `index`: the first one is 0. Later ones begin when clocks show the same as for the first one (`wallMs`); in a
 * month without that day, on its last day. Each lasts as long as clocks show it for the first one, so that a window over the end of a month,
 * or in a night in which the clocks change, never ends before it begins.
 */
function getWindow({ from, to, every, timeZone }: Windows, wallMs: number, index: number): Span | undefined {
  if (index === 0) return { from, to }
  if (!every) return undefined
  const start = addToWall(wallMs, every, index)
  const end = start + toWallMs(to, timeZone) - wallMs
  const moved = { from: fromWallMs(start, timeZone), to: fromWallMs(end, timeZone) }
  // Where the clock jumps over the whole window, it lasts as long as the first one did.
  const ms = to.getTime() - from.getTime()
  return moved.to > moved.from ? moved : { from: moved.from, to: new Date(moved.from.getTime() + ms) }
}

const LENGTHS_MS = { day: DAY_MS, week: 7 * DAY_MS } as const

/** How many times it repeats from one time to another, by the calendar; at most one too many. */
function countElapsed(fromMs: number, toMs: number, every: RepeatInterval): number {
  if (every !== 'month') return Math.floor((toMs - fromMs) / LENGTHS_MS[every])
  const [from, to] = [new Date(fromMs), new Date(toMs)]
  return (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
}

function addToWall(fromMs: number, every: RepeatInterval, count: number): number {
  if (every !== 'month') return fromMs + count * LENGTHS_MS[every]
  const from = new Date(fromMs)
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + count]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(from.getUTCDate(), lastDay)) + (((fromMs % DAY_MS) + DAY_MS) % DAY_MS)
}

/** The first window that isn't over at a time. Undefined if there is none. */
export const findWindow = (silence: Windows, at: Date): Span | undefined =>
  windowsFrom(silence, at).next().value ?? undefined

/** When a silence next begins or ends after a time. Undefined if it's over. */
export function findNextChange(silence: Windows, after: Date): Date | undefined {
  const window = findWindow(silence, after)
  return window && (window.from > after ? window.from : window.to)
}

export function windowsOf(silence: Windows, { from, to }: Span): Span[] {
  const windows: Span[] = []
  for (const window of windowsFrom(silence, from)) {
    if (window.from >= to) break
    windows.push(window)
  }
  return windows
}

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

/** The one of these that silences a check for longest. */
export const findSilenced = (running: readonly InForce[], check: CheckFacts): InForce | undefined =>
  running.find(({ covers }) => covers(check))

/** Sums for how long silences were in force for a check in a channel. */
export function createSumSilenced(silences: readonly Silence[], channel: string) {
  const prepared = silences
    .filter((silence) => appliesIn(silence, channel))
    .map((silence) => ({ silence, covers: subjectMatcher(silence.subject) }))
  return (check: CheckFacts, fromMs: number, toMs: number): number => {
    const span = { from: new Date(fromMs), to: new Date(toMs) }
    const windows = prepared
      .flatMap(({ silence, covers }) => (covers(check) ? windowsOf(silence, span) : []))
      .toSorted((left, right) => left.from.getTime() - right.from.getTime())
    let [ms, untilMs] = [0, fromMs]
    for (const { from, to } of windows) {
      const endMs = Math.min(to.getTime(), toMs)
      ms += Math.max(0, endMs - Math.max(untilMs, from.getTime()))
      untilMs = Math.max(untilMs, endMs)
    }
    return ms
  }
}

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

export const isAbout = (one: SilenceSubject, other: SilenceSubject): boolean =>
  covers(one, other) || covers(other, one)

/** Whether a subject may cover checks that a filter is about. Of two patterns, only the names of the checks would tell. */
export function mayCover(subject: SilenceSubject, filter: WatchFilter): boolean {
  if (subject.kind === 'check') return watchMatcher(filter)(subject)
  const isMeant = ({ field, pattern, label = '' }: WatchRule) =>
    field === 'name' || subjectMatcher(subject)({ uuid: pattern, name: label })
  return filter.include.length === 0 || filter.include.some(isMeant)
}

/** Identifies a subject in one environment. */
export function toSubjectKey(subject: SilenceSubject): string {
  if (subject.kind === 'all') return 'all'
  return subject.kind === 'check'
    ? `check ${subject.uuid.toLowerCase()}`
    : `name ${foldName(subject.pattern)}`
}
