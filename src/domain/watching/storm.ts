import type { CardState } from './card.ts'

/** So many checks that fall within this time are a storm, which has one card. */
const TRANSITIONS = 5
const WINDOW_MS = 30_000
/** A storm takes up what falls so soon after its last transition. */
const QUIET_MS = 5 * 60_000

const isWithin = (date: Date, at: Date, ms: number): boolean => at.getTime() - date.getTime() <= ms

/** Whether this is the card of a storm that goes on. */
export const isStormGoingOn = ({ kind, unwatchedAt, changedAt }: CardState, at: Date): boolean =>
  kind === 'storm' && !unwatchedAt && isWithin(changedAt, at, QUIET_MS)

/** Whether so many new outages are a storm, together with what fell a moment ago and has a card of its own. */
export function isStorm(newOutages: number, cards: readonly CardState[], at: Date): boolean {
  const fallen = cards.filter(({ kind, openedAt }) => kind === 'outage' && isWithin(openedAt, at, WINDOW_MS))
  return newOutages > 1 && newOutages + fallen.length >= TRANSITIONS
}
