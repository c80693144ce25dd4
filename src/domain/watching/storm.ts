import type { CardState } from './card.ts'

/** So many checks that fall within this time are a storm, which has one card. */
const TRANSITIONS = 5
const WINDOW_MS = 30_000
/** A storm takes up what falls so soon after the last check that was new to it. */
const QUIET_MS = 5 * 60_000
/** An older storm takes up nothing new: that would be an edit of a message that people have long read. */
export const STORM_MS = 30 * 60_000

const isWithin = (date: Date, at: Date, ms: number): boolean => at.getTime() - date.getTime() <= ms

/** Whether this is the card of a storm that takes up a check that falls at this time. */
export const takesUp = (
  { kind, unwatchedAt, openedAt }: CardState,
  lastNewAt: Date | undefined,
  at: Date,
): boolean =>
  kind === 'storm' &&
  !unwatchedAt &&
  isWithin(openedAt, at, STORM_MS) &&
  lastNewAt !== undefined &&
  isWithin(lastNewAt, at, QUIET_MS)

/** Whether so many new outages are a storm, together with what fell a moment ago and has a card of its own. */
export function isStorm(newOutages: number, cards: readonly CardState[], at: Date): boolean {
  const fallen = cards.filter(({ kind, openedAt }) => kind === 'outage' && isWithin(openedAt, at, WINDOW_MS))
  return newOutages > 1 && newOutages + fallen.length >= TRANSITIONS
}
