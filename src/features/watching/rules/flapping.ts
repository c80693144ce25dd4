import { HOUR_MS } from '@signalman/runtime'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { CardState } from './card.ts'

/** So many changes of one check within the window are flapping. */
const FLAPPING_FLIPS = 4
export const FLAPPING_WINDOW_MS = HOUR_MS
/** Flapping is over once the check has not changed for so long. */
export const FLAPPING_QUIET_MS = 30 * 60_000
/** The card of a flapping check is edited this often at most. */
export const FLAPPING_EDIT_MS = 5 * 60_000

/** The times at which the check changed, down or up, in order. */
export const flipsOf = (outages: readonly Outage[]): Date[] =>
  outages
    .flatMap(({ startedAt, endedAt }) => (endedAt ? [startedAt, endedAt] : [startedAt]))
    .sort((left, right) => left.getTime() - right.getTime())

/** Whether the outages of one check come to so many changes in the hour before `at`. */
export function isFlapping(outages: readonly Outage[], at: Date): boolean {
  const from = at.getTime() - FLAPPING_WINDOW_MS
  return flipsOf(outages).filter((flip) => flip.getTime() > from).length >= FLAPPING_FLIPS
}

/**
 * The card once its flapping has been over for long enough: closed, or, where it ended down, that outage's. `unseenMs`: for how long
 * nobody has looked since it changed.
 */
export function quieted(card: CardState, isDown: boolean, at: Date, unseenMs = 0): CardState | undefined {
  if (card.kind !== 'flapping' || card.closedAt) return undefined
  if (at.getTime() - card.changedAt.getTime() - unseenMs < FLAPPING_QUIET_MS) return undefined
  return isDown ? { ...card, kind: 'outage' } : { ...card, closedAt: at, remindAt: undefined }
}
