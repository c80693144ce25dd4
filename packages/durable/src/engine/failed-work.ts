import { annotate, fullJitterMs } from '@signalman/runtime'
import type { WorkEnd } from '../work/leases.ts'
import type { LeasedWork } from './leased-work.ts'
import type { Log } from './log.ts'
import type { Release } from './release-work.ts'
import type { WorkKind } from './work-kind.ts'

const DEFAULT_MAX_ATTEMPTS = 50

interface RetryTimes {
  /** Failed work is retried after a random pause of up to this time, then up to twice this time, and so on, up to an hour. */
  retryMs: number
}

const RETRY_TIMES: RetryTimes = { retryMs: 2000 }

export const maxAttempts = (kind: WorkKind | undefined): number => kind?.maxAttempts ?? DEFAULT_MAX_ATTEMPTS

/** Releases aborted work. Schedules a retry of failed work, or gives it up after too many attempts. */
export async function endFailedWork(
  { release, log, times }: { release: Release; log: Log; times: RetryTimes },
  leased: LeasedWork,
  kind: WorkKind | undefined,
  error: unknown,
): Promise<void> {
  const { work, signal } = leased
  annotate({}, error instanceof Error ? error.name : 'unknown')
  if (signal.aborted) return await release(leased, { state: 'waiting', dueInMs: 0 })
  const logFields = { kind: work.kind, workspace: work.workspaceId, attempts: work.attempts, err: error }
  if (work.attempts < maxAttempts(kind)) {
    log.warn(logFields, 'A piece of work failed; retrying.')
    // If the database turns out to be down, that's also why the work failed, so earlier attempts don't lengthen the pause.
    return await release(leased, retryLater(work.attempts, times), retryLater(1, times))
  }
  log.error(logFields, 'A piece of work failed too often; giving up.')
  await kind
    ?.onGiveUp?.(work, error)
    .catch((notifyError: unknown) =>
      log.error({ kind: work.kind, err: notifyError }, 'Nobody could be notified that work was given up.'),
    )
  await release(leased, { state: 'stopped', ...(kind?.deletesBody && { deletesBody: true }) })
}

const retryLater = (attempts: number, { retryMs }: RetryTimes): WorkEnd => ({
  state: 'waiting',
  dueInMs: fullJitterMs(attempts, { baseMs: retryMs }),
})

export interface WorkTimes extends RetryTimes {
  /**
   * How long a process keeps its work without a heartbeat. After that, it counts as gone, and another process takes its work over
   * (take-over.ts).
   */
  leaseMs: number
  /** How often this process looks for work that other processes have scheduled. */
  pollMs: number
}

export const WORK_TIMES: WorkTimes = { leaseMs: 5000, pollMs: 1000, ...RETRY_TIMES }
