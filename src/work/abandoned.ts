import type { Lease } from '../store/store.ts'

/**
 * Tells work that was abandoned from work that goes on. A lease counts as over when the database's clock says so AND its
 * owner has given no sign of life for as long by this process's own stopwatch: so neither a clock that jumps nor a
 * database that was away for a while takes work from whoever is at it.
 */
export interface AbandonedWatch {
  /** What of the work that others hold was abandoned by now. */
  look(held: readonly Lease[]): Lease[]
  /** The database could not be asked: signs of life may have been missed. */
  forget(): void
}

export function watchAbandoned(
  leaseMs: number,
  stopwatch: () => number = () => performance.now(),
): AbandonedWatch {
  let seen = new Map<string, { sign: string; since: number }>()
  return {
    look(held) {
      const at = stopwatch()
      const next = new Map<string, { sign: string; since: number }>()
      const abandoned = held.filter((work) => {
        const sign = `${work.owner} ${work.heldUntil}`
        const before = seen.get(work.id)
        const entry = before?.sign === sign ? before : { sign, since: at }
        next.set(work.id, entry)
        return work.isOver && at - entry.since >= leaseMs
      })
      seen = next
      return abandoned
    },
    forget: () => seen.clear(),
  }
}
