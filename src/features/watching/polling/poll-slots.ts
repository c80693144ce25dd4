/** A minimum, so that one slow poll doesn't block others. */
const LEAST = 16
/** Limited by memory for responses and connections to the service (`SERVICE_LIMITS.pollConnections`). */
const MOST = 1000
/** A backlog is worked off at twice the rate at which polls come due. */
const SLACK = 2
/** The estimate before the first poll has finished. */
const FIRST_AVERAGE_MS = 250
/** The number of polls in the moving average. */
const AVERAGED_OVER = 32

interface Slot {
  readonly sinceMs: number
  readonly isFailing: boolean
}

/**
 * Limits concurrent polls to the arrival rate times the average duration (Little's law). Slow polls don't count against the
 * others, and scopes that failed last time have slots of their own.
 */
export function createPollSlots(parts: { intervalMs: number; roundMs: number; now: () => number }) {
  const { intervalMs, roundMs, now } = parts
  const inUse = new Set<Slot>()
  let averageMs = FIRST_AVERAGE_MS
  const needed = (scopes: number): number => (SLACK * scopes * averageMs) / intervalMs
  return {
    /** Whether this process can poll more than this many scopes in time. */
    hasRoom: (scopes: number): boolean => needed(scopes) < MOST,
    /** Hands out free slots, separately for failing and other scopes. */
    choose(scopes: number): (isFailing: boolean) => Slot | undefined {
      const sinceMs = now()
      const most = Math.max(LEAST, Math.ceil(needed(scopes)))
      const slowMs = Math.max(roundMs, SLACK * averageMs)
      const all = [...inUse]
      const left = [false, true].map((isFailing) => {
        const own = all.filter((place) => place.isFailing === isFailing)
        const quick = own.filter((place) => sinceMs - place.sinceMs < slowMs).length
        return Math.min(most - quick, (isFailing ? MOST / 2 : MOST) - own.length)
      })
      return (isFailing) => {
        const sort = isFailing ? 1 : 0
        const free = left[sort] ?? 0
        if (free <= 0 || inUse.size >= MOST) return undefined
        left[sort] = free - 1
        const slot = { sinceMs, isFailing }
        inUse.add(slot)
        return slot
      }
    },
    release(place: Slot): void {
      inUse.delete(place)
      averageMs += (now() - place.sinceMs - averageMs) / AVERAGED_OVER
    },
  }
}
