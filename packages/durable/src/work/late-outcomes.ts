import { setTimeout } from 'node:timers/promises'
import type { AuditEvent } from '../audit/row.ts'
import { StoreError, WorkspaceDeleted } from '../database/errors.ts'
import type { StepOutcome, Steps } from './steps.ts'

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5000
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

  async function retryUntilStored(step: StepOutcome, auditEvent: AuditEvent | undefined): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      await wait(pauseMs)
      if (stopping.signal.aborted) return
      try {
        await steps.recordOutcome(step, auditEvent)
        await onLate(step.workId)
        return
      } catch (error) {
        // Any other error means that the database is still unavailable.
        if (isPermanent(error)) return
      }
    }
  }

  return {
    /** Like `Steps.recordOutcome`. If the database is unavailable, it retries, and resolves after a while in any case. */
    async recordOutcome(step: StepOutcome, auditEvent?: AuditEvent): Promise<void> {
      const first = steps.recordOutcome(step, auditEvent)
      const done = first.catch((error) =>
        isPermanent(error) ? undefined : retryUntilStored(step, auditEvent),
      )
      const recording = { workId: step.workId, done }
      running.add(recording)
      void done.then(() => running.delete(recording))
      try {
        await first
      } catch (error) {
        if (isPermanent(error)) throw error
        await Promise.race([done, wait(MAX_WAIT_MS)])
      }
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
