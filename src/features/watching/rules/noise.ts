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

/** A storm, which has one card, is at least five outages that begin within half a minute. */
const STORM_MIN_OUTAGES = 5
const STORM_WINDOW_MS = 30_000
/** A new outage goes onto the card of a storm when another check was added to it in this time. */
const STORM_QUIET_MS = 5 * 60_000
/** An older storm gets nothing new: that would be an edit of a message that people have long read. */
export const STORM_MS = 30 * 60_000

/** Either way: a clock may have been set back since. */
export const isWithin = (date: Date, at: Date, ms: number): boolean =>
  Math.abs(at.getTime() - date.getTime()) <= ms

/** Whether an outage that begins at this time goes onto this card, because it is that of a storm that is not over. */
export const takesUp = ({ kind, closedAt, unwatchedAt, openedAt, lastNewAt }: CardState, at: Date): boolean =>
  kind === 'storm' &&
  !closedAt &&
  !unwatchedAt &&
  isWithin(openedAt, at, STORM_MS) &&
  lastNewAt !== undefined &&
  isWithin(lastNewAt, at, STORM_QUIET_MS)

/** Whether so many new outages are a storm, together with the outages of the last half minute that have cards already. */
export function isStorm(newOutages: number, cards: readonly CardState[], at: Date): boolean {
  const recent = cards.filter(
    ({ kind, openedAt }) => kind === 'outage' && isWithin(openedAt, at, STORM_WINDOW_MS),
  )
  return newOutages > 1 && newOutages + recent.length >= STORM_MIN_OUTAGES
}
