import { MINUTE_MS } from '@signalman/runtime'

/** Polls without changes are saved only every five minutes. Two more minutes allow for two missed polls. */
const MAX_UNSAVED_GAP_MS = 7 * MINUTE_MS

/** How long an environment has been observed in total, in milliseconds, when this was saved. */
export interface WatchClock {
  readonly clockMs: number
  /** When `clockMs` was saved. Can be later than the last poll, because `updateChannels` also saves it. */
  readonly savedAt?: Date | undefined
  readonly lastOkAt?: Date | undefined
  /** Since when polls fail. Time after that isn't observed. */
  readonly failingSince?: Date | undefined
  /** Time between polls. */
  readonly intervalMs: number
}

/**
 * Reads the watch clock: how long an environment has been observed. It never runs backward or jumps, whatever the wall clock
 * does. Escalation, reminders, and the wait after an edit use it.
 */
export function readWatchClock(
  { clockMs, savedAt: at, lastOkAt, failingSince, intervalMs }: WatchClock,
  now: Date,
): number {
  if (!at || !lastOkAt) return clockMs
  const countedMs = Math.max(0, at.getTime() - lastOkAt.getTime())
  // The longest gap that still counts as observed.
  const maxGapMs = Math.max(MAX_UNSAVED_GAP_MS, 2 * intervalMs)
  const remainingMs = Math.max(0, maxGapMs - countedMs)
  const endMs = Math.min(now.getTime(), failingSince?.getTime() ?? Number.POSITIVE_INFINITY)
  return clockMs + Math.min(Math.max(0, endMs - at.getTime()), remainingMs)
}

/** A time on the wall clock and the watch clock. */
export interface Moment {
  readonly at: Date
  readonly clockMs: number
}

/** The longer of the elapsed times on both clocks: the wall clock may have been set back, and the watch clock may have stopped. */
export const measureElapsed = (then: Moment, now: Moment): number =>
  Math.max(now.at.getTime() - then.at.getTime(), now.clockMs - then.clockMs)
