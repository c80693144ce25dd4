import type { WorkEnd } from '@signalman/durable'
import { fullJitterMs } from '@signalman/runtime'
import type { Unsure } from './find-lost-post.ts'

/** Slack takes one message a second in a channel. */
export const NEXT_MS = 1050
/** After this time it is looked whether the app is installed again. */
export const UNINSTALLED_MS = 60_000
const LONGEST_MS = 60_000

/**
 * Of a message that Slack did not take and may take later: it is tried again within a second, then two, and so on, up to a
 * minute; never sooner than `leastMs`.
 */
export const sendAgain = (attempts: number, leastMs = 0): WorkEnd => ({
  state: 'waiting',
  dueInMs: leastMs + fullJitterMs(attempts, { baseMs: 1000, mostMs: LONGEST_MS - leastMs }),
})

/** Of posts of which it is not known yet whether they are there. */
export const untilKnown = (unsure: readonly Unsure[]): WorkEnd => ({
  state: 'waiting',
  dueInMs: Math.max(...unsure.map(({ unsureMs }) => unsureMs)),
  isAnew: unsure.every(({ isTooEarly }) => isTooEarly),
})
