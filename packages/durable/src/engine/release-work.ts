import type { Log } from '@signalman/runtime'
import type { WorkEnd } from '../work/leases.ts'
import type { WorkStore } from '../work/work-store.ts'
import type { HeldWork, Holdings } from './held-work.ts'
import { patiently } from './patiently.ts'

/**
 * Releases work, and keeps trying while the database is away; it stays this process's own until then, so that nobody else
 * begins it again meanwhile. Never rejects. `afterOutage` is how, where the database had to be waited for.
 */
export type Release = (held: HeldWork, how: WorkEnd, afterOutage?: WorkEnd) => Promise<void>

export function createRelease(parts: {
  store: Pick<WorkStore, 'release'>
  owner: string
  holdings: Pick<Holdings, 'drop' | 'find'>
  log: Log
  isStopping: () => boolean
}): Release {
  const { store, owner, holdings, log, isStopping } = parts
  return async (held, how, afterOutage = how) => {
    const { id, kind } = held.work
    let isLate = false
    const released = patiently(
      async () => {
        // It was lost, and this process has taken it again meanwhile: whoever does it now will release it.
        if (holdings.find(id) === held) await store.release(id, owner, isLate ? afterOutage : how)
      },
      {
        forMs: Number.POSITIVE_INFINITY,
        isFinal(error) {
          if (!isLate)
            log.error({ kind, err: error }, 'Work could not be let go of; it is tried until it can.')
          isLate = true
          return isStopping()
        },
      },
    )
    await released.catch(() => undefined)
    holdings.drop(held)
  }
}
