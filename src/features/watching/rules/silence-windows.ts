import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { fromWallTime, toWallTime, type WallTime } from '../../../domain/zoned-time.ts'
import { isRunning, type RepeatInterval, type Silence, type SilenceState } from './silence.ts'

/** Maintenance is announced this long before it starts, or as soon as it is planned. */
export const ANNOUNCE_MS = HOUR_MS

const MIN_DURATION_MS = 60_000
/** Short enough that each window ends before the next one starts, even on a day with 23 hours and in February. */
const MAX_DURATION_MS: Readonly<Record<RepeatInterval | 'once', number>> = {
  once: 30 * DAY_MS,
  day: 22 * HOUR_MS,
  week: 6 * DAY_MS,
  month: 27 * DAY_MS,
}

/** Explains why maintenance can't have this length. Undefined if it can. */
export function explainInvalidDuration({
  forMs,
  every,
}: {
  forMs: number
  every?: RepeatInterval
}): string | undefined {
  if (forMs < MIN_DURATION_MS) return 'Maintenance lasts at least a minute.'
  if (forMs <= MAX_DURATION_MS[every ?? 'once']) return undefined
  const limit = { once: '30 days', day: '22 hours', week: '6 days', month: '27 days' }[every ?? 'once']
  return `Maintenance ${every ? `every ${every} ` : ''}lasts up to ${limit}.`
}

/** The start of a recurring silence's next window: the first one after `after`, at the same local time. */
export function findNextStart(
  { firstStart, every, timeZone }: Pick<Silence, 'firstStart' | 'every' | 'timeZone'>,
  after: Date,
): Date | undefined {
  if (!every) return undefined
  const local = toWallTime(after, timeZone)
  const days = (Date.UTC(local.year, local.month - 1, local.day) - startOfDay(firstStart)) / DAY_MS
  const months = (local.year - firstStart.year) * 12 + local.month - firstStart.month
  const elapsed = { day: days, week: Math.floor(days / 7), month: months }[every]
  for (let index = Math.max(0, elapsed); ; index += 1) {
    const start = fromWallTime(computeNthStart(firstStart, every, index), timeZone)
    if (start > after) return start
  }
}

const startOfDay = ({ year, month, day }: WallTime): number => Date.UTC(year, month - 1, day)

/** The local start of window number `index`, counting from 0. In a month without that day, it's the last day of the month. */
function computeNthStart(first: WallTime, every: RepeatInterval, index: number): WallTime {
  if (every !== 'month') return { ...first, day: first.day + index * (every === 'week' ? 7 : 1) }
  const month = first.month + index
  const lastDay = new Date(Date.UTC(first.year, month, 0)).getUTCDate()
  const firstOfMonth = new Date(Date.UTC(first.year, month - 1, 1))
  return {
    ...first,
    year: firstOfMonth.getUTCFullYear(),
    month: firstOfMonth.getUTCMonth() + 1,
    day: Math.min(first.day, lastDay),
  }
}

/** The start and end of a window. It has no end if `forMs` is undefined. */
export const createWindow = (from: Date, forMs: number | undefined): Pick<Silence, 'from' | 'to'> => ({
  from,
  to: forMs === undefined ? undefined : new Date(from.getTime() + forMs),
})

/** When the window is next announced, started, or ended. Undefined if nothing is scheduled. */
export function getNextStepTime({
  state,
  from,
  to,
}: Pick<Silence, 'state' | 'from' | 'to'>): Date | undefined {
  if (state === 'over') return undefined
  if (state === 'running') return to
  return state === 'announced' ? from : new Date(from.getTime() - ANNOUNCE_MS)
}

/** The state that the window should have now. */
export function getStateAt(
  { state, from, to }: Pick<Silence, 'state' | 'from' | 'to'>,
  now: Date,
): SilenceState {
  if (state === 'over' || (to && now >= to)) return 'over'
  // A running window keeps running if the clock is set back.
  if (now >= from || state === 'running') return 'running'
  return now.getTime() >= from.getTime() - ANNOUNCE_MS ? 'announced' : state
}

/** Sets the state to show to people. The stored state can be a moment behind. */
export const withStateAt = (silence: Silence, now: Date): Silence => ({
  ...silence,
  state: isRunning(silence, now) ? 'running' : getStateAt(silence, now),
})

/** `2026-12-01 22:00`, local to its time zone, for editing. */
export function formatStart({ from, timeZone }: Pick<Silence, 'from' | 'timeZone'>): string {
  const { year, month, day, hour, minute } = toWallTime(from, timeZone)
  return `${year}-${padTwo(month)}-${padTwo(day)} ${padTwo(hour)}:${padTwo(minute)}`
}

const padTwo = (value: number): string => String(value).padStart(2, '0')
