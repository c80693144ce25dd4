import { retryUntilAvailable } from '../work/retry-until-available.ts'
import type { EngineStore, WorkEnd } from '../work/work-store.ts'
import type { LeasedWork, LeasedWorkTracker } from './leased-work.ts'
import type { Log } from './log.ts'

/**
 * Releases work, and keeps trying while the database is down. Until then, this process keeps the lease, so that nobody else
 * starts the work. Never rejects. `afterOutage` replaces `end` if the database was down.
 */
export type Release = (leased: LeasedWork, end: WorkEnd, afterOutage?: WorkEnd) => Promise<void>

export function createRelease(deps: {
  store: Pick<EngineStore, 'release'>
  owner: string
  leasedWork: Pick<LeasedWorkTracker, 'drop' | 'find'>
  log: Log
  isStopping: () => boolean
}): Release {
  const { store, owner, leasedWork, log, isStopping } = deps
  return async (leased, end, afterOutage = end) => {
    const { id, kind } = leased.work
    let hasFailed = false
    const released = retryUntilAvailable(
      async () => {
        // This process lost the work and claimed it again meanwhile. The newer run will release it.
        if (leasedWork.find(id) === leased) await store.release(id, owner, hasFailed ? afterOutage : end)
      },
      {
        timeoutMs: Number.POSITIVE_INFINITY,
        isFinal(error) {
          if (!hasFailed) log.error({ kind, err: error }, 'Work could not be released; retrying.')
          hasFailed = true
          return isStopping()
        },
      },
    )
    await released.catch(() => undefined)
    leasedWork.drop(leased)
  }
}
