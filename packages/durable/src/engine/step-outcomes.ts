import type { AuditEvent } from '../audit/row.ts'
import type { RecordedStep } from '../work/act-steps.ts'
import type { Attempt } from '../work/step-ledger.ts'
import type { ActParts, ActStep } from './act.ts'
import type { HeldWork } from './held-work.ts'
import { OutcomeLost } from './outcome-errors.ts'

/** Enough for a database that was away to be back; after that the error is reported. */
const MOST_FAULTS = 3

/** How the steps of one act ended: written down, and given again to whoever asks again. */
export interface StepOutcomes {
  /** Writes down that it was done, and returns what it gave. */
  finish<T>(attempt: Attempt, step: ActStep<T>, outcome: T): Promise<T>
  /** Writes down that it was not done, and throws the error. */
  refuse(attempt: Attempt, error: unknown, auditEvent: AuditEvent): Promise<never>
  /** What a step came to that has ended before; throws what it threw. */
  outcomeOf<T>(before: RecordedStep, step: ActStep<T>): T
  /** True for an error outside of the steps that may pass. */
  isWorthAnother(error: unknown): boolean
  /** Whether a step was done in this run. */
  hasDone(): boolean
}

export function createStepOutcomes(
  { journal, errors }: Pick<ActParts, 'journal' | 'errors'>,
  { work }: Pick<HeldWork, 'work'>,
): StepOutcomes {
  /** What a step threw; it is thrown again when the step is asked for again. */
  const refusals = new WeakSet<Error>()
  let hasDone = false

  function remembered(error: unknown): unknown {
    if (error instanceof Error) refusals.add(error)
    return error
  }

  function settle(
    { workId, line, begunBy, begunAt }: Attempt,
    state: 'done' | 'refused',
    result: unknown,
    auditEvent: AuditEvent,
  ): Promise<void> {
    hasDone ||= state === 'done'
    return journal.settle({ workId, line, begunBy, begunAt, state, result }, auditEvent)
  }

  return {
    hasDone: () => hasDone,

    async finish(attempt, step, outcome) {
      await settle(attempt, 'done', step.isSecret ? undefined : outcome, step.auditEvent('done', outcome))
      return outcome
    },

    async refuse(attempt, error, auditEvent) {
      await settle(attempt, 'refused', errors.record(error), auditEvent)
      throw remembered(error)
    },

    outcomeOf<T>({ state, result }: RecordedStep, { isSecret }: ActStep<T>): T {
      if (state === 'refused') throw remembered(errors.revive(result))
      if (isSecret) throw new OutcomeLost()
      // The same step of the same act gave it, hence of this type.
      return result as T
    },

    isWorthAnother: (error) =>
      work.attempts < MOST_FAULTS &&
      errors.isFault(error) &&
      !(error instanceof Error && refusals.has(error)),
  }
}
