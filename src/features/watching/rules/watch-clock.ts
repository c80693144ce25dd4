import { MINUTE_MS } from '@signalman/runtime'

/**
 * A process may hold back for five minutes when it looked last, so that polls without news cost no write. Two polls may be missed
 * on top of that. During anything longer, nobody looked.
 */
const mostUnseenMs = (intervalMs: number): number => Math.max(7 * MINUTE_MS, 2 * intervalMs)

/** How long an environment has been looked at in all, in milliseconds, as of when that was written last. */
export interface WatchClock {
  readonly seen: number
  /** When `seen` was that much; later than the last poll where something was decided since. */
  readonly seenAt?: Date | undefined
  readonly lastOkAt?: Date | undefined
  /** Between two polls. */
  readonly intervalMs: number
}

/**
 * The watch clock: for how long an environment has been looked at. It never runs backward and never jumps, whatever the wall clock
 * does and however long nobody looked. Escalation, reminders, and the wait after an edit count on it.
 */
export function seenAt({ seen, seenAt: at, lastOkAt, intervalMs }: WatchClock, now: Date): number {
  if (!at || !lastOkAt) return seen
  const countedMs = Math.max(0, at.getTime() - lastOkAt.getTime())
  const mostMs = Math.max(0, mostUnseenMs(intervalMs) - countedMs)
  return seen + Math.min(Math.max(0, now.getTime() - at.getTime()), mostMs)
}

/** A time on both clocks. */
export interface Moment {
  readonly at: Date
  readonly seen: number
}

/** The longer of both: the wall clock may have been set back, or nobody may have looked. */
export const elapsedSince = (then: Moment, now: Moment): number =>
  Math.max(now.at.getTime() - then.at.getTime(), now.seen - then.seen)
