/** However few are due: one that hangs for a moment holds up no other. */
const LEAST = 16
/** What the memory for their answers, and the connections to the service, allow (`SERVICE_LIMITS.pollConnections`). */
const MOST = 1000
/** What has waited for a while is made up for at twice the pace at which polls come due. */
const SLACK = 2
/** The guess before any poll has ended. */
const FIRST_TOOK_MS = 250
/** How many of the latest polls say how long one takes. */
const REMEMBERED = 32

interface Place {
  readonly sinceMs: number
  readonly isFailing: boolean
}

/**
 * How many polls this process has under way: as many as come due while one of them takes its time (Little's law). What takes much
 * longer than the others holds no place of theirs; neither does what failed last time, which has as many places of its own.
 */
export function createPlaces(parts: { intervalMs: number; roundMs: number; now: () => number }) {
  const { intervalMs, roundMs, now } = parts
  const going = new Set<Place>()
  let tookMs = FIRST_TOOK_MS
  const needed = (scopes: number): number => (SLACK * scopes * tookMs) / intervalMs
  return {
    /** Whether this process can poll more than these in time. */
    hasRoom: (scopes: number): boolean => needed(scopes) < MOST,
    /** Gives places to those of so many scopes that are due, one by one, until there is none left of that sort. */
    choose(scopes: number): (isFailing: boolean) => Place | undefined {
      const sinceMs = now()
      const most = Math.max(LEAST, Math.ceil(needed(scopes)))
      const slowMs = Math.max(roundMs, SLACK * tookMs)
      const all = [...going]
      const left = [false, true].map((isFailing) => {
        const own = all.filter((place) => place.isFailing === isFailing)
        const quick = own.filter((place) => sinceMs - place.sinceMs < slowMs).length
        return Math.min(most - quick, (isFailing ? MOST / 2 : MOST) - own.length)
      })
      return (isFailing) => {
        const sort = isFailing ? 1 : 0
        const free = left[sort] ?? 0
        if (free <= 0 || going.size >= MOST) return undefined
        left[sort] = free - 1
        const place = { sinceMs, isFailing }
        going.add(place)
        return place
      }
    },
    leave(place: Place): void {
      going.delete(place)
      tookMs += (now() - place.sinceMs - tookMs) / REMEMBERED
    },
  }
}
