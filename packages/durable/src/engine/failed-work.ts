import { annotate, fullJitterMs } from '@signalman/runtime'
import type { WorkEnd } from '../work/leases.ts'
import type { LeasedWork } from './held-work.ts'
import type { Log } from './log.ts'
import type { Release } from './release-work.ts'
import type { WorkKind } from './work-kind.ts'

const MOST_ATTEMPTS = 50

interface RetryTimes {
  /** Failed work is retried within this time, then within twice this time, and so on, up to an hour. */
  retryMs: number
}

const RETRY_TIMES: RetryTimes = { retryMs: 2000 }

export const maxAttempts = (kind: WorkKind | undefined): number => kind?.maxAttempts ?? MOST_ATTEMPTS

/** Releases aborted work; retries failed work later, or gives it up. */
export async function endFailed(
  { release, log, times }: { release: Release; log: Log; times: RetryTimes },
  held: LeasedWork,
  kind: WorkKind | undefined,
  error: unknown,
): Promise<void> {
  const { work, signal } = held
  annotate({}, error instanceof Error ? error.name : 'unknown')
  if (signal.aborted) return await release(held, { state: 'waiting', dueInMs: 0 })
  const line = { kind: work.kind, workspace: work.workspaceId, attempts: work.attempts, err: error }
  if (work.attempts < maxAttempts(kind)) {
    log.warn(line, 'A piece of work failed; it is tried again.')
    // If the database was down, that's why it failed, so earlier attempts don't lengthen the pause.
    return await release(held, again(work.attempts, times), again(1, times))
  }
  log.error(line, 'A piece of work failed too often; it is given up.')
  await kind
    ?.onGiveUp?.(work, error)
    .catch((also: unknown) => log.error({ kind: work.kind, err: also }, 'Nobody could be notified of it.'))
  await release(held, { state: 'stopped', ...(kind?.deletesBody && { deletesBody: true }) })
}

const again = (attempts: number, { retryMs }: RetryTimes): WorkEnd => ({
  state: 'waiting',
  dueInMs: fullJitterMs(attempts, { baseMs: retryMs }),
})

export interface WorkTimes extends RetryTimes {
  /**
   * How long a process keeps its work without a heartbeat. After that, it counts as gone, and another process takes its work over
   * (take-over.ts).
   */
  leaseMs: number
  /** How often this process looks for work that other processes scheduled. */
  pollMs: number
}

export const WORK_TIMES: WorkTimes = { leaseMs: 5000, pollMs: 1000, ...RETRY_TIMES }
