/** Enough that one slow poll doesn't block the others. */
const MIN_SLOTS = 16
/** Limited by memory for responses and connections to the service (`SERVICE_LIMITS.pollConnections`). */
const MAX_SLOTS = 1000
/** A backlog is worked off at twice the rate at which polls come due. */
const HEADROOM = 2
/** The assumed average duration until the first poll has finished. */
const INITIAL_AVERAGE_MS = 250
/** The number of polls in the moving average. */
const AVERAGED_OVER = 32

export interface Slot {
  readonly sinceMs: number
  readonly isFailing: boolean
}

/**
 * Limits concurrent polls to the arrival rate times the average duration (Little's law). Slow polls don't count against this
 * limit, and scopes that failed last time have separate slots.
 */
export function createPollSlots(deps: {
  intervalMs: number
  roundMs: number
  now: () => number
  /** How many scopes this process polls. */
  countScopes: () => number
}) {
  const { intervalMs, roundMs, now, countScopes } = deps
  const inUse = new Set<Slot>()
  let averageMs = INITIAL_AVERAGE_MS
  const countNeededSlots = (): number => (HEADROOM * countScopes() * averageMs) / intervalMs
  return {
    /** Whether this process can poll more scopes in time. */
    hasCapacity: (): boolean => countNeededSlots() < MAX_SLOTS,
    /** Returns a function that allocates free slots, separately for failing and other scopes. */
    createAllocator(): (isFailing: boolean) => Slot | undefined {
      const sinceMs = now()
      const limit = Math.max(MIN_SLOTS, Math.ceil(countNeededSlots()))
      const slowMs = Math.max(roundMs, HEADROOM * averageMs)
      const slots = [...inUse]
      const freeByKind = [false, true].map((isFailing) => {
        const sameKind = slots.filter((slot) => slot.isFailing === isFailing)
        const quickCount = sameKind.filter((slot) => sinceMs - slot.sinceMs < slowMs).length
        return Math.min(limit - quickCount, (isFailing ? MAX_SLOTS / 2 : MAX_SLOTS) - sameKind.length)
      })
      return (isFailing) => {
        const index = isFailing ? 1 : 0
        const free = freeByKind[index] ?? 0
        if (free <= 0 || inUse.size >= MAX_SLOTS) return undefined
        freeByKind[index] = free - 1
        const slot = { sinceMs, isFailing }
        inUse.add(slot)
        return slot
      }
    },
    release(slot: Slot): void {
      inUse.delete(slot)
      averageMs += (now() - slot.sinceMs - averageMs) / AVERAGED_OVER
    },
  }
}
