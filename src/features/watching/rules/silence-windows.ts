import { DAY_MS, HOUR_MS } from '@signalman/runtime'
import { formatMoment, Temporal, toDate, toZoned } from '../../../domain/dates/zoned.ts'
import {
  isRunning,
  type RepeatInterval,
  type Silence,
  type SilenceSettings,
  type SilenceState,
} from './silence.ts'

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
  const first = Temporal.PlainDateTime.from(firstStart)
  const local = toZoned(after, timeZone).toPlainDateTime()
  const largestUnit = `${every}s` as const
  const elapsed = first.until(local, { largestUnit })[largestUnit]
  for (let index = Math.max(0, elapsed); ; index += 1) {
    // Counted from the first one: in a month without that day, it's the last day of the month, and later ones use the day again.
    const start = toDate(first.add({ [largestUnit]: index }).toZonedDateTime(timeZone))
    if (start > after) return start
  }
}

/**
 * The start and end of a window. It has no end if `forMs` is undefined. A recurring window ends at the same local time on every day,
 * so one from 0:00 to 4:00 is an hour shorter or longer when clocks change.
 */
export function createWindow(
  from: Date,
  plan: Pick<SilenceSettings, 'forMs' | 'every' | 'timeZone'> & Partial<Pick<Silence, 'firstStart'>>,
): Pick<Silence, 'from' | 'to'> {
  const { forMs, every } = plan
  if (forMs === undefined) return { from, to: undefined }
  const elapsed = new Date(from.getTime() + forMs)
  const to = every ? findLocalEnd(from, forMs, plan) : elapsed
  // From 2:30 to 3:00, on a day that skips both.
  return { from, to: to > from ? to : elapsed }
}

/** Counts from the time at which the window should start, which clocks may skip: one from 2:30 to 4:00 then starts at 3:30. */
function findLocalEnd(
  from: Date,
  forMs: number,
  { timeZone, firstStart }: Pick<SilenceSettings, 'timeZone'> & Partial<Pick<Silence, 'firstStart'>>,
): Date {
  const start = toZoned(from, timeZone).toPlainDateTime()
  const planned =
    firstStart === undefined
      ? start
      : start.withPlainTime(Temporal.PlainDateTime.from(firstStart).toPlainTime())
  return toDate(planned.add({ milliseconds: forMs }).toZonedDateTime(timeZone))
}

/** The next window that isn't over yet. Undefined if the silence doesn't repeat. */
export function findNextWindow(silence: Silence, now: Date): Pick<Silence, 'from' | 'to'> | undefined {
  // A day more than its length, because clocks may be set back in it.
  const since = now.getTime() - (silence.forMs ?? 0) - DAY_MS
  let after = new Date(Math.max(silence.from.getTime(), since))
  for (;;) {
    const from = findNextStart(silence, after)
    if (!from) return undefined
    const window = createWindow(from, silence)
    if (window.to === undefined || window.to > now) return window
    after = from
  }
}

/** The time between two moments as clocks show it: 4 hours from 0:00 to 4:00, also when clocks change in between. */
export const localDurationMs = (from: Date, to: Date, timeZone: string): number =>
  toZoned(from, timeZone)
    .toPlainDateTime()
    .until(toZoned(to, timeZone).toPlainDateTime())
    .total('milliseconds')

/** The local time of a window's first start, as stored: `2026-12-01T22:00:00`. */
export const toFirstStart = (from: Date, timeZone: string): string =>
  toZoned(from, timeZone).toPlainDateTime().toString()

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
export const formatStart = ({ from, timeZone }: Pick<Silence, 'from' | 'timeZone'>): string =>
  formatMoment(toZoned(from, timeZone))
