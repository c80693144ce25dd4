import { setTimeout } from 'node:timers/promises'
import type { AuditEvent } from '../audit/row.ts'
import { StoreError, WorkspaceDeleted } from '../database/errors.ts'
import { retryUntilAvailable } from './retry-until-available.ts'
import type { StepOutcome, Steps } from './steps.ts'

/** How long `recordOutcome` waits for the database. After that, the outcome is stored in the background. */
const MAX_WAIT_MS = 20_000

export type LateOutcomes = ReturnType<typeof createLateOutcomes>

/**
 * Stores step outcomes, and retries while the database is down. If the process stops before the database is back, the step has no
 * outcome: the next process looks it up, or tells people that it's unknown. It's never repeated. `onLate` is called for each outcome
 * that reached the database late, because its work may have ended without it.
 */
export function createLateOutcomes(
  steps: Pick<Steps, 'recordOutcome'>,
  onLate: (workId: string) => Promise<unknown> = async () => undefined,
) {
  const stopping = new AbortController()
  const running = new Set<{ workId: string; done: Promise<void> }>()
  /** Resolves early when this process ends. */
  const wait = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)

  return {
    /** Like `Steps.recordOutcome`. If the database is unavailable, it retries, and resolves after a while in any case. */
    async recordOutcome(step: StepOutcome, auditEvent?: AuditEvent): Promise<void> {
      let isLate = false
      const stored = retryUntilAvailable(
        async () => {
          await steps.recordOutcome(step, auditEvent)
          if (isLate) await onLate(step.workId)
        },
        {
          timeoutMs: Number.POSITIVE_INFINITY,
          isFinal(error) {
            isLate = true
            return isPermanent(error) || stopping.signal.aborted
          },
        },
      ).catch((error: unknown) => {
        if (isPermanent(error)) throw error
      })
      const recording = { workId: step.workId, done: stored.catch(() => undefined) }
      running.add(recording)
      void recording.done.then(() => running.delete(recording))
      await Promise.race([stored, wait(MAX_WAIT_MS)])
    },

    /** Resolves when the database has every known outcome of this work, or when this process ends. */
    async whenSettled(workId: string): Promise<void> {
      await Promise.all(
        [...running].filter((recording) => recording.workId === workId).map(({ done }) => done),
      )
    },

    async [Symbol.asyncDispose](): Promise<void> {
      stopping.abort()
      await Promise.allSettled([...running].map(({ done }) => done))
    },
  }
}

/** An error that would happen again on every attempt. */
const isPermanent = (error: unknown): boolean =>
  error instanceof StoreError ||
  error instanceof WorkspaceDeleted ||
  (error instanceof Error && error.name === 'DataCloneError')
