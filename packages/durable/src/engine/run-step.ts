import { setTimeout as wait } from 'node:timers/promises'
import { fullJitterMs } from '@signalman/runtime'
import type { AuditEvent } from '../audit/row.ts'
import { DatabaseUnavailable } from '../database/errors.ts'
import { type Attempt, LeaseLost, type NewStep, type Step } from '../work/steps.ts'
import { type ActDeps, type ActStep, type DecidingStep, MAX_IDLE_MS } from './act-step.ts'
import { findOutcome, type LookupResult, type OpenEffect } from './find-outcome.ts'
import type { LeasedWork } from './leased-work.ts'
import { OutcomeLost, OutcomeUnknown, StoreUnavailable } from './outcome-errors.ts'
import { startSendDeadline } from './send-deadline.ts'

const MAX_LOOKUPS = 5

/** Records that a step begins. Returns undefined if this process no longer has the act. */
type MarkStep = () => Promise<Attempt | undefined>

/**
 * Runs the steps of an act one at a time. The functions are in the order in which things happen to a step: it's begun and recorded, sent,
 * and its outcome is recorded. Below that: what happens if nobody knows the outcome, and if an earlier process began the step.
 */
export function createStepRunner(
  deps: ActDeps,
  { work, owner, signal }: LeasedWork,
  /** How long the act has been idle, and a function that creates the error for an act that was idle for too long. */
  { idleMs, createTooLateError }: { idleMs: number; createTooLateError: () => unknown },
) {
  const { steps, lateOutcomes, errors, maxInFlightMs, sendWithinMs } = deps
  const { maxIdleMs = MAX_IDLE_MS, maxFaultyAttempts = 3 } = deps
  const { stopwatch = () => performance.now(), pause = pauseUnlessAborted } = deps
  const claimedAt = stopwatch()
  let idleSince = claimedAt - idleMs
  const isStale = (): boolean => stopwatch() - idleSince > maxIdleMs
  let hasDone = false
  /** Errors that steps threw, now or in an earlier process. */
  const stepErrors = new WeakSet<Error>()

  async function authorize(step: Pick<ActStep<unknown>, 'authorize'>): Promise<void> {
    if (isStale()) throw createTooLateError()
    await step.authorize?.()
  }

  async function begin<T>(newStep: NewStep, step: ActStep<T>): Promise<T> {
    await authorize(step)
    signal.throwIfAborted()
    return run(step, () => steps.record(owner, newStep, step.auditEvent('begun')))
  }

  function run<T>(step: ActStep<T>, markStep: MarkStep): Promise<T> {
    async function send(part: (attempt: Attempt) => Promise<T>): Promise<T> {
      const since = stopwatch()
      const begun = await markBegun(markStep)
      idleSince = since
      let outcome: T
      try {
        outcome = await part(begun)
      } catch (error) {
        return handleFailure(begun, step, since, error)
      }
      return finish(begun, step, outcome)
    }
    return step.readsFirst ? step.work(send) : send((attempt) => step.work((part) => part(attempt)))
  }

  /** Marks a step as begun. If this throws, the step wasn't started. */
  async function markBegun(markStep: MarkStep): Promise<Attempt> {
    const canSend = startSendDeadline({ signal }, { sendWithinMs, stopwatch })
    const begun = await readRecords(markStep())
    if (!begun) throw new LeaseLost()
    if (canSend()) return begun
    // If this can't be recorded, only this process knows.
    await steps.recordOutcome({ ...begun, state: 'ready' }).catch(() => undefined)
    throw signal.aborted ? new LeaseLost() : new StoreUnavailable(new Error('The process was suspended.'))
  }

  /** Records that the step was done, and returns its result. */
  async function finish<T>(attempt: Attempt, step: ActStep<T>, outcome: T): Promise<T> {
    hasDone ||= !step.onlyTells
    await recordOutcome(
      attempt,
      'done',
      step.isSecret ? undefined : outcome,
      step.auditEvent('done', outcome),
    )
    return outcome
  }

  /** Records that the step failed, or that its outcome is unknown, and throws the error. */
  async function refuse(
    attempt: Attempt,
    error: unknown,
    auditEvent: AuditEvent | undefined,
  ): Promise<never> {
    const state = error instanceof OutcomeUnknown ? 'unknown' : 'refused'
    await recordOutcome(attempt, state, errors.serialize(error), auditEvent)
    throw rememberError(error)
  }

  const recordOutcome = (
    { workId, line, begunBy, begunAt }: Attempt,
    state: 'done' | 'refused' | 'unknown',
    body: unknown,
    auditEvent: AuditEvent | undefined,
  ): Promise<void> => lateOutcomes.recordOutcome({ workId, line, begunBy, begunAt, state, body }, auditEvent)

  function rememberError(error: unknown): unknown {
    if (error instanceof Error) stepErrors.add(error)
    return error
  }

  /** True for an error outside the steps that may be temporary. */
  const isRetryable = (error: unknown): boolean =>
    work.attempts < maxFaultyAttempts &&
    errors.isFault(error) &&
    !(error instanceof Error && stepErrors.has(error))

  async function handleFailure<T>(
    begun: Attempt,
    step: ActStep<T>,
    since: number,
    error: unknown,
  ): Promise<T> {
    const { lookUp } = step
    // The database failed around the request, so it may have been sent.
    const mayBeSent = lookUp !== undefined && error instanceof DatabaseUnavailable
    const mayHaveHappened = errors.mayHaveHappened(error)
    // The act resumes later, and looks the step up first.
    if (!mayHaveHappened && mayBeSent && isRetryable(error)) throw new StoreUnavailable(error)
    if (!mayHaveHappened && !mayBeSent) return refuse(begun, error, step.auditEvent('failed'))
    const found = await findOut(lookUp && (() => lookUp(begun)), { since, isOver: errors.isAnswered(error) })
    return conclude(begun, step, found, { cause: error })
  }

  /** Finds out how an attempt that began at `since` ended, and waits as long as that takes. `isOver`: nothing is running anymore. */
  async function findOut<T>(
    lookUp: OpenEffect<T>['lookUp'],
    { since, isOver }: { since: number; isOver?: boolean | undefined },
  ): Promise<LookupResult<T>> {
    let hasEnded = isOver
    let lookups = 0
    const retryAfter = (error: unknown): number | undefined => {
      if (error instanceof StoreUnavailable) throw error
      signal.throwIfAborted()
      lookups += 1
      const bounds = { baseMs: maxInFlightMs / 10, maxMs: maxInFlightMs }
      return lookups < MAX_LOOKUPS ? fullJitterMs(lookups, bounds) : undefined
    }
    for (;;) {
      const ageMs = hasEnded ? maxInFlightMs : stopwatch() - since
      const found = await findOutcome({ lookUp, ageMs, maxInFlightMs, retryAfter })
      if (typeof found !== 'object' || 'outcome' in found) return found
      await pause(found.recheckMs, signal)
      hasEnded ||= found.mayStillArrive
    }
  }

  /** Acts on how a step ended. `failure` is the error, if it failed in this process. */
  async function conclude<T>(
    begun: Attempt,
    step: ActStep<T>,
    found: LookupResult<T>,
    failure?: { cause: unknown },
  ): Promise<T> {
    if (found === 'unknown')
      return refuse(begun, new OutcomeUnknown({ cause: failure?.cause }), step.auditEvent('unknown'))
    if (found !== 'not-done') return finish(begun, step, found.outcome)
    if (!failure) return beginAgain(begun, step)
    // The person sees the original failure.
    return refuse(begun, errors.createNotDoneError(failure.cause), step.auditEvent('failed'))
  }

  /**
   * Returns the outcome of a recorded step, or finds out what happened to it. The process that began it may still be running it, even if
   * it no longer renews the lease.
   */
  async function resume<T>(before: Step, step: ActStep<T>): Promise<T> {
    if (!isOpen(before)) return replay(before, step)
    if (before.state === 'ready') return beginAgain(before, step)
    let latest = before
    async function lookUp(): Promise<LookupResult<T>> {
      // The process that began it may still store its outcome. If it's this one, it knows whether it will.
      await lateOutcomes.whenSettled(work.id)
      latest = (await readRecords(steps.list(work.id))).find(({ line }) => line === before.line) ?? before
      if (!isOpen(latest)) return { outcome: latest.body as T }
      return step.lookUp ? await step.lookUp(before) : 'unknown'
    }
    // Measured with this process's stopwatch, because the database's clock may have been changed. No other process has begun
    // the step since this one claimed the act.
    const found = await findOut(lookUp, { since: claimedAt })
    return isOpen(latest) ? conclude(latest, step, found) : replay(latest, step)
  }

  /** Runs a step that didn't happen, unless its person is no longer allowed to run it or has moved on. */
  async function beginAgain<T>(before: Attempt, step: ActStep<T>): Promise<T> {
    const { workId, line } = before
    let isBegun = false
    try {
      await authorize(step)
      const outcome = await run(step, () => {
        isBegun = true
        return steps.record(owner, { workId, line, attempt: before })
      })
      // It read that nothing is left to do.
      return isBegun ? outcome : await finish(before, step, outcome)
    } catch (error) {
      signal.throwIfAborted()
      if (isBegun) throw error
      if (isRetryable(error)) throw new StoreUnavailable(error)
      return refuse(before, error, step.auditEvent('failed'))
    }
  }

  /** Returns the outcome of a step that ended earlier, or throws its error. */
  function replay<T>({ state, body }: Step, { isSecret }: Pick<ActStep<T>, 'isSecret'>): T {
    if (state !== 'done') throw rememberError(errors.deserialize(body))
    if (isSecret) throw new OutcomeLost()
    // The same step of the same act returned it, so the cast is safe.
    return body as T
  }

  /** Runs a new step that only changes the database, in one transaction with its records. */
  async function decide<T>(newStep: NewStep, step: DecidingStep<T>): Promise<T> {
    await authorize(step)
    signal.throwIfAborted()
    idleSince = stopwatch()
    try {
      const decided = await steps.decide(owner, newStep, step.workspaceId, async (decisions) => {
        const outcome = await step.work(decisions)
        return { outcome, auditEvent: step.auditEvent('done', outcome) }
      })
      hasDone ||= !step.isIntent
      return decided
    } catch (error) {
      if (error instanceof LeaseLost) throw error
      if (isRetryable(error)) throw new StoreUnavailable(error)
      const refused = { ...newStep, state: 'refused', body: errors.serialize(error) } as const
      if (!(await readRecords(steps.record(owner, refused, step.auditEvent('failed'))))) throw new LeaseLost()
      throw rememberError(error)
    }
  }

  return {
    begin,
    resume,
    replay,
    decide,
    isRetryable,
    pause: (ms: number) => pause(ms, signal),
    /** Whether a step was done in this run. */
    hasDone: () => hasDone,
  }
}

/** Throws LeaseLost once this process has lost the work. */
const pauseUnlessAborted = (ms: number, signal: AbortSignal): Promise<unknown> =>
  wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())

/** Whether a step of an act has no outcome yet. One that is ready was begun, but definitely didn't happen. */
export const isOpen = ({ state }: Step): boolean => state === 'begun' || state === 'ready'

/** Awaits a read or write of records. If it fails, throws StoreUnavailable, because that isn't an outcome of the act. */
export async function readRecords<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw new StoreUnavailable(error)
  }
}
