import { DONE, LeaseLost, repeatAfter, type WorkKind } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import { type GetApi, toServiceFailure } from '../../../bot/request/context.ts'
import { ENVIRONMENTS } from '../../../domain/environment.ts'
import { BLIND_AFTER_MS, BLIND_AFTER_POLLS } from '../../../domain/outages/outage.ts'
import { ApiError } from '../../../service/errors.ts'
import type { PollResult } from '../rows/polls.ts'
import type { WatchStore } from '../rows/watching.ts'
import { WATCH_WORK } from '../rows/work.ts'
import { pollService } from './poll-service.ts'

export interface PollDeps {
  readonly watching: Pick<WatchStore, 'polls'>
  /** Opens the service with the workspace's own token. */
  readonly getApi: GetApi
  readonly intervalMs: number
  readonly log: Log
  /** Wakes the delivery work. */
  readonly wake: () => void
}

const POLL_TIMEOUT_MS = 60_000
/** The longest wait before a retry, so that enough polls have failed when people should be notified. */
const MAX_RETRY_MS = BLIND_AFTER_MS / (BLIND_AFTER_POLLS - 1)

/** Polls one environment of a workspace, as long as something is watched there. */
export function createPollWork({ watching: { polls }, getApi, intervalMs, log, wake }: PollDeps): WorkKind {
  return {
    kind: WATCH_WORK.poll,
    lane: 'poll',
    async run({ work, owner, signal }) {
      const environment = ENVIRONMENTS.find((one) => one === work.key)
      const scope = environment && { workspaceId: work.workspaceId, environment }
      const known = scope && (await polls.listOpen(scope))
      if (!known) return DONE
      const lease = { workId: work.id, owner }
      const startedMs = performance.now()
      let result: PollResult
      try {
        const api = await getApi(scope.workspaceId, scope.environment, { isPoll: true })
        result = await pollService(
          api,
          known,
          AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]),
        )
      } catch (error) {
        // This process is stopping or has lost the lease, so the error says nothing about the service.
        if (signal.aborted) throw new LeaseLost()
        log.info({ workspace: scope.workspaceId, environment, err: error }, 'A poll failed.')
        if (!(await polls.saveFailure(scope, lease, toServiceFailure(error)))) return DONE
        wake()
        return repeatAfter(Math.max(intervalMs, getRetryMs(error)))
      }
      if (!(await polls.saveResult(scope, lease, result, intervalMs))) return DONE
      wake()
      return repeatAfter(Math.max(0, intervalMs - (performance.now() - startedMs)))
    },
  }
}

/** How long the service asked to wait before a retry, capped so that people are notified in time. */
const getRetryMs = (error: unknown): number =>
  error instanceof ApiError ? Math.min((error.retryAfterSeconds ?? 0) * 1000, MAX_RETRY_MS) : 0
