import type { CardState } from './card.ts'

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
