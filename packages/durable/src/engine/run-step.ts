import { setTimeout } from 'node:timers/promises'
import { fullJitterMs, traced } from '@signalman/runtime'
import type { AuditEvent } from '../audit/row.ts'
import { DatabaseUnavailable } from '../database/errors.ts'
import type { RecordedStep } from '../work/act-steps.ts'
import type { Attempt } from '../work/step-ledger.ts'
import { type ActDeps, type ActStep, type DecidingStep, type LookupResult, MAX_IDLE_MS } from './act-step.ts'
import { type LeasedWork, LeaseLost } from './leased-work.ts'
import { OutcomeLost, OutcomeUnknown, StoreUnavailable } from './outcome-errors.ts'

const MAX_LOOKUPS = 5
/** Less than the margin by which `settleMs` exceeds the longest call. */
const MAX_PAUSE_MS = 4000

/** Runs the steps of an act one at a time. Records the beginning before each step and the outcome after it. */
export function createStepRunner(
  deps: ActDeps,
  { work, owner, signal }: LeasedWork,
  { finish, refuse, replay, isRetryable, markDone, rememberError }: ReturnType<typeof createStepOutcomes>,
  /** How long the act has been idle, and a function that creates the error for an act that was idle for too long. */
  { idleMs, createTooLateError }: { idleMs: number; createTooLateError: () => unknown },
) {
  const { steps, errors, settleMs, maxIdleMs = MAX_IDLE_MS, beforeLookup } = deps
  const claimedAt = performance.now()
  let idleSince = claimedAt - idleMs
  const isStale = (): boolean => performance.now() - idleSince > maxIdleMs

  async function attempt<T>(step: ActStep<T>, markStep: () => Promise<Attempt | undefined>): Promise<T> {
    const since = performance.now()
    const begun = await markBegun(deps, signal, markStep)
    idleSince = since
    // Named by its verb only, so that its object doesn't appear in traces.
    const span = { name: `step ${step.auditEvent('begun').verb}`, kind: 'internal' } as const
    return traced(span, async () => step.work()).then(
      (outcome) => finish(begun, step, outcome),
      (error: unknown) => handleFailure(begun, step, since, error),
    )
  }

  async function handleFailure<T>(
    begun: Attempt,
    step: ActStep<T>,
    since: number,
    error: unknown,
  ): Promise<T> {
    // The step may have been committed, and only the database's reply lost.
    const mayBeCommitted = step.lookUp !== undefined && error instanceof DatabaseUnavailable
    const mayHaveHappened = errors.mayHaveHappened(error)
    const canResume = !mayHaveHappened && (step.isRepeatable || mayBeCommitted)
    // The act resumes later. It then runs this step again if that's harmless, and otherwise looks it up first.
    if (canResume && isRetryable(error)) throw new StoreUnavailable(error)
    if (mayHaveHappened || mayBeCommitted) {
      const waitMs = errors.isAnswered(error) ? 0 : settleMs - (performance.now() - since)
      return resolveUnknown(begun, step, waitMs, { cause: error })
    }
    return refuse(begun, error, step.auditEvent('failed'))
  }

  /**
   * Looks up how a step ended, once the process that began it has had time to finish. `failure` is the error, if the step failed
   * in this process.
   */
  async function resolveUnknown<T>(
    begun: Attempt,
    step: ActStep<T>,
    waitMs: number,
    failure?: { cause: unknown },
  ): Promise<T> {
    const found = await lookUpOutcome(step, waitMs, deps, signal, isStale())
    if (found === 'unknown')
      return refuse(begun, new OutcomeUnknown({ cause: failure?.cause }), step.auditEvent('unknown'))
    if (found !== 'not-done') return finish(begun, step, found.outcome)
    if (!failure) return beginAgain(begun, step)
    // The person sees the original failure.
    return refuse(begun, errors.createNotDoneError(failure.cause), step.auditEvent('failed'))
  }

  /** Runs a step that didn't happen, unless its person is no longer allowed to run it or has moved on. */
  async function beginAgain<T>(before: Attempt, step: ActStep<T>): Promise<T> {
    try {
      if (isStale()) throw createTooLateError()
      await step.admit?.()
    } catch (error) {
      if (isRetryable(error)) throw new StoreUnavailable(error)
      return refuse(before, error, step.auditEvent('failed'))
    }
    return attempt(step, () => steps.beginAgain(owner, before))
  }

  return {
    async begin<T>({ line, name }: { line: number; name: string }, step: ActStep<T>): Promise<T> {
      if (isStale()) throw createTooLateError()
      await step.admit?.()
      signal.throwIfAborted()
      const newStep = { workId: work.id, line, name }
      return attempt(step, () => steps.begin(owner, newStep, step.auditEvent('begun')))
    },

    async decide<T>({ line, name }: { line: number; name: string }, step: DecidingStep<T>): Promise<T> {
      if (isStale()) throw createTooLateError()
      await step.admit?.()
      signal.throwIfAborted()
      idleSince = performance.now()
      const newStep = { workId: work.id, line, name }
      try {
        const decided = await steps.decide(owner, newStep, step.workspaceId, async (decisions) => {
          const outcome = await step.work(decisions)
          return { outcome, auditEvent: step.auditEvent('done', outcome) }
        })
        if (!decided) throw new LeaseLost()
        markDone()
        return decided.outcome
      } catch (error) {
        if (error instanceof LeaseLost) throw error
        if (isRetryable(error)) throw new StoreUnavailable(error)
        const refused = { ...newStep, result: errors.serialize(error) }
        if (!(await readRecords(steps.refuse(owner, refused, step.auditEvent('failed')))))
          throw new LeaseLost()
        throw rememberError(error)
      }
    },

    /**
     * Finds out what happened to a step that another process began. That process may still be running it, even if it no longer
     * renews the lease.
     */
    async resume<T>(before: RecordedStep, step: ActStep<T>): Promise<T> {
      if (before.isUndone) return beginAgain(before, step)
      // Measured with this process's stopwatch, because the database's clock may have been changed. No other process has begun
      // the step since this one claimed the act.
      const remainingMs = step.isRepeatable && !isStale() ? 0 : settleMs + claimedAt - performance.now()
      if (remainingMs > 0) await waitBeforeLookup(remainingMs, beforeLookup, signal)
      const latest =
        (await readRecords(steps.list(work.id))).find(({ line }) => line === before.line) ?? before
      return latest.state === 'begun' ? resolveUnknown(latest, step, 0) : replay(latest, step)
    },
  }
}

/** Marks a step as begun. If this throws, the step wasn't started. */
async function markBegun(
  deps: ActDeps,
  signal: AbortSignal,
  markStep: () => Promise<Attempt | undefined>,
): Promise<Attempt> {
  const { maxPauseMs = MAX_PAUSE_MS } = deps
  const since = performance.now()
  const begun = await readRecords(markStep())
  if (!begun) throw new LeaseLost()
  // Another process counts from this time before it looks the step up. A process that was suspended since must not send the request.
  if (!signal.aborted && performance.now() - since <= maxPauseMs) return begun
  // If this can't be recorded, the step is looked up as if it had been sent.
  await deps.steps.markUndone(begun).catch(() => undefined)
  throw signal.aborted ? new LeaseLost() : new StoreUnavailable(new Error('The process was suspended.'))
}

async function lookUpOutcome<T>(
  { lookUp, isRepeatable }: ActStep<T>,
  waitMs: number,
  { settleMs, beforeLookup }: Pick<ActDeps, 'settleMs' | 'beforeLookup'>,
  signal: AbortSignal,
  /** True if the step won't be begun again, even if repeating it is harmless. It's looked up instead. */
  isFinal: boolean,
): Promise<LookupResult<T>> {
  if (isRepeatable && !isFinal) return 'not-done'
  if (!lookUp) return 'unknown'
  await beforeLookup?.()
  if (waitMs > 0) await setTimeout(waitMs, undefined, { signal })
  for (let lookup = 1; lookup <= MAX_LOOKUPS; lookup += 1) {
    try {
      return await lookUp()
    } catch {
      signal.throwIfAborted()
      const pauseMs = fullJitterMs(lookup, { baseMs: settleMs / 10, maxMs: settleMs })
      await setTimeout(pauseMs, undefined, { signal })
    }
  }
  return 'unknown'
}

/** Awaits a read or write of records. If it fails, throws StoreUnavailable, because that isn't an outcome of the act. */
export async function readRecords<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw new StoreUnavailable(error)
  }
}

async function waitBeforeLookup(
  ms: number,
  beforeLookup: ActDeps['beforeLookup'],
  signal: AbortSignal,
): Promise<void> {
  await beforeLookup?.()
  await setTimeout(ms, undefined, { signal })
}

/** After this many attempts, an error that may be temporary is reported. By then, a database that was down is usually back. */
const MAX_FAULTY_ATTEMPTS = 3

/** The outcomes of one act's steps. Records them, and returns them again when a step is repeated. */
export function createStepOutcomes(
  { journal, errors }: Pick<ActDeps, 'journal' | 'errors'>,
  { work }: Pick<LeasedWork, 'work'>,
) {
  /** Errors that steps threw, now or in an earlier process. */
  const stepErrors = new WeakSet<Error>()
  let hasDone = false

  function rememberError(error: unknown): unknown {
    if (error instanceof Error) stepErrors.add(error)
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
    /** Whether a step was done in this run. */
    hasDone: () => hasDone,
    markDone(): void {
      hasDone = true
    },
    rememberError,

    /** Records that the step was done, and returns its result. */
    async finish<T>(attempt: Attempt, step: ActStep<T>, outcome: T): Promise<T> {
      await settle(attempt, 'done', step.isSecret ? undefined : outcome, step.auditEvent('done', outcome))
      return outcome
    },

    /** Records that the step failed, or that its outcome is unknown, and throws the error. */
    async refuse(attempt: Attempt, error: unknown, auditEvent: AuditEvent): Promise<never> {
      await settle(attempt, 'refused', errors.serialize(error), auditEvent)
      throw rememberError(error)
    },

    /** Returns the outcome of a step that ended earlier, or throws its error. */
    replay<T>({ state, result }: RecordedStep, { isSecret }: Pick<ActStep<T>, 'isSecret'>): T {
      if (state === 'refused') throw rememberError(errors.deserialize(result))
      if (isSecret) throw new OutcomeLost()
      // The same step of the same act returned it, so the cast is safe.
      return result as T
    },

    /** True for an error outside the steps that may be temporary. */
    isRetryable: (error: unknown): boolean =>
      work.attempts < MAX_FAULTY_ATTEMPTS &&
      errors.isFault(error) &&
      !(error instanceof Error && stepErrors.has(error)),
  }
}
