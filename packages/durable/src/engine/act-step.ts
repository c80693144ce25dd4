import type { DecisionTransaction } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { LateOutcomes } from '../work/late-outcomes.ts'
import type { Attempt, Steps } from '../work/steps.ts'
import type { LookupResult } from './find-outcome.ts'

/** An act that was idle for longer starts no new step, because the person who requested it has moved on. */
export const MAX_IDLE_MS = 10 * 60_000

/** Records that the step begins, and then runs the part that changes something. */
export type Send<T> = (part: (attempt: Attempt) => Promise<T>) => Promise<T>

/** A step that changes something outside the database. */
export interface ActStep<T> {
  /** Must be the same each time the act runs. */
  name: string
  /** True if it changes nothing, and only tells somebody about the act, such as with a file. */
  onlyTells?: boolean | undefined
  /** Its audit row: the intent before the step, and then the outcome. Undefined for a step that only tells. */
  auditEvent(state: 'begun' | 'done' | 'failed' | 'unknown', outcome?: T): AuditEvent | undefined
  /** Called right before the step begins, or begins again. Throws if the person isn't allowed to do it, or no longer is. */
  authorize?: (() => Promise<unknown>) | undefined
  /** Does the step. One that `readsFirst` calls `send` for the part that changes something; if it throws before, nothing is recorded. */
  work(send: Send<T>): Promise<T>
  /** True if it reads and decides before it's recorded as begun, so that a process that dies while it only reads leaves nothing unclear. */
  readsFirst?: boolean | undefined
  /** Asks the other system whether the step was done, if that's possible. Called when no earlier attempt can still be running. */
  lookUp?: ((attempt: Attempt) => Promise<LookupResult<T>>) | undefined
  /** True if its result may only be shown once and must not be stored, not even sealed. */
  isSecret?: boolean | undefined
}

/** A change of the database alone, in one transaction with its audit row. */
export interface DecidingStep<T> extends Pick<ActStep<T>, 'name' | 'authorize'> {
  readonly workspaceId: string
  /** It only begins what ends elsewhere, so nothing was done yet. */
  readonly isIntent?: boolean | undefined
  /** Its audit row. */
  auditEvent(state: 'done' | 'failed', outcome?: T): AuditEvent
  work(decisions: DecisionTransaction): Promise<T>
}

/** How errors of the other system are stored and classified. */
export interface StepErrors {
  /** True if the request was sent and no answer says that it wasn't carried out. */
  mayHaveHappened(error: unknown): boolean
  /** True if the other system has sent any answer, so nothing is still running there. */
  isAnswered(error: unknown): boolean
  /** True if neither the other system nor a person caused the error: the database is down, or there's a bug. */
  isFault(error: unknown): boolean
  /** Creates the error that the person sees if a lookup shows that the step wasn't done. */
  createNotDoneError(error: unknown): unknown
  /** Creates the error that the person sees if a step isn't started because the act was idle for too long. */
  createTooLateError(doneSteps: readonly string[]): unknown
  serialize(error: unknown): unknown
  deserialize(recorded: unknown): unknown
}

export interface ActDeps {
  steps: Steps
  lateOutcomes: Pick<LateOutcomes, 'recordOutcome' | 'whenSettled'>
  errors: StepErrors
  /** The longest that a step can run. After this time, it's certainly over, even if another process began it. */
  maxInFlightMs: number
  /** How soon after it was recorded a step must be sent. Must be less than `maxInFlightMs` minus the longest call. By default, 4 s. */
  sendWithinMs?: number | undefined
  /** An act whose last step began longer ago than this starts no new step. By default, MAX_IDLE_MS. */
  maxIdleMs?: number | undefined
  /** After this many attempts, an error that may be temporary is reported. By default, 3: by then, a database that was down is usually back. */
  maxFaultyAttempts?: number | undefined
  /** True if the work runs again after it has ended, for example for an outcome that arrived late. */
  runsAgain?: boolean | undefined
  /** Milliseconds of this process's clock, because the database's may be changed. */
  stopwatch?: (() => number) | undefined
  /** Throws LeaseLost once the signal is aborted. */
  pause?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined
}
