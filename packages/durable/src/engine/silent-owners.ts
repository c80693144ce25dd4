import type { Lease } from '../work/leases.ts'

/**
 * Tells which processes gave no sign of life for so long that their work counts as abandoned: this process has seen none for the
 * time of a lease by its own stopwatch, so the last one is at least as old. No clock that jumps, and no database that was away
 * for a while, can then take work from a process that is still doing it, or keep the work of one that is gone.
 */
export interface SilentOwners {
  /** Those of which the owners are gone. */
  abandonedOf(held: readonly Lease[]): Lease[]
  /** Forgets what was seen: while the database could not be asked, signs of life may have been missed. */
  forget(): void
}

export function watchSilentOwners(
  leaseMs: number,
  stopwatch: () => number = () => performance.now(),
): SilentOwners {
  let seen = new Map<string, { sign: string; since: number }>()
  return {
    abandonedOf(held) {
      const at = stopwatch()
      const next = new Map<string, { sign: string; since: number }>()
      const abandoned = held.filter((work) => {
        const sign = `${work.owner} ${work.heldUntil}`
        const before = seen.get(work.id)
        const entry = before?.sign === sign ? before : { sign, since: at }
        next.set(work.id, entry)
        return at - entry.since >= leaseMs
      })
      seen = next
      return abandoned
    },
    forget: () => seen.clear(),
  }
}
