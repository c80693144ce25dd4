import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { fromWallTime, toWallTime, type WallTime } from '../../../domain/zoned-time.ts'
import { type Every, isUnderWay, type Silence, type SilenceState } from './silence.ts'

/** Maintenance is announced this long before it begins, or as soon as it's planned. */
export const ANNOUNCE_MS = HOUR_MS

const SHORTEST_MS = 60_000
/** A window is over before the next of its plan begins, also on the day with 23 hours and in February. */
const LONGEST_MS: Readonly<Record<Every | 'once', number>> = {
  once: 30 * DAY_MS,
  day: 22 * HOUR_MS,
  week: 6 * DAY_MS,
  month: 27 * DAY_MS,
}

/** Why maintenance can't be that long; undefined if it can. */
export function lengthFault({ forMs, every }: { forMs: number; every?: Every }): string | undefined {
  if (forMs < SHORTEST_MS) return 'Maintenance lasts at least a minute.'
  if (forMs <= LONGEST_MS[every ?? 'once']) return undefined
  const most = { once: '30 days', day: '22 hours', week: '6 days', month: '27 days' }[every ?? 'once']
  return `Maintenance ${every ? `every ${every} ` : ''}lasts up to ${most}.`
}

/** When the next window of a recurring silence begins: the first after `after` at the same time of the zone's clocks. */
export function nextStart(
  { first, every, timeZone }: Pick<Silence, 'first' | 'every' | 'timeZone'>,
  after: Date,
): Date | undefined {
  if (!every) return undefined
  const shown = toWallTime(after, timeZone)
  const days = (Date.UTC(shown.year, shown.month - 1, shown.day) - dayOf(first)) / DAY_MS
  const months = (shown.year - first.year) * 12 + shown.month - first.month
  const gone = { day: days, week: Math.floor(days / 7), month: months }[every]
  for (let turn = Math.max(0, gone); ; turn += 1) {
    const start = fromWallTime(turnOf(first, every, turn), timeZone)
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

/** The first window of a silence, or the next of a recurring one. */
export const windowAt = (from: Date, forMs: number | undefined): Pick<Silence, 'from' | 'to'> => ({
  from,
  to: forMs === undefined ? undefined : new Date(from.getTime() + forMs),
})

/** When something about a window is due next; undefined if nothing is, unless somebody ends it. */
export function dueAt({ state, from, to }: Pick<Silence, 'state' | 'from' | 'to'>): Date | undefined {
  if (state === 'over') return undefined
  if (state === 'running') return to
  return state === 'announced' ? from : new Date(from.getTime() - ANNOUNCE_MS)
}

/** The state that a window has by now. */
export function stateAt(
  { state, from, to }: Pick<Silence, 'state' | 'from' | 'to'>,
  now: Date,
): SilenceState {
  if (state === 'over' || (to && now >= to)) return 'over'
  // A clock that is set back doesn't stop it.
  if (now >= from || state === 'running') return 'running'
  return now.getTime() >= from.getTime() - ANNOUNCE_MS ? 'announced' : state
}

/** As people are shown it: what has just begun is under way, and what has ended goes on until channels are notified. */
export const shownAt = (silence: Silence, now: Date): Silence => ({
  ...silence,
  state: isUnderWay(silence, now) ? 'running' : stateAt(silence, now),
})

/** `2026-12-01 22:00`, as a clock of its time zone shows it, to change it. */
export function shownFrom({ from, timeZone }: Pick<Silence, 'from' | 'timeZone'>): string {
  const { year, month, day, hour, minute } = toWallTime(from, timeZone)
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`
}

const two = (count: number): string => String(count).padStart(2, '0')
