import type { Decisions } from '../audit/decisions.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { RecordedSteps } from '../work/act-steps.ts'
import type { OutcomeJournal } from '../work/outcome-journal.ts'

/** An act that was idle for longer starts no new step, because its person has moved on. */
export const MAX_IDLE_MS = 10 * 60_000

/** What the other system says about a step with an unknown outcome. */
export type LookupResult<T> = { outcome: T } | 'not-done' | 'unknown'

/** A step that changes something outside the database. */
export interface ActStep<T> {
  /** The same each time the act runs. */
  name: string
  /** Its audit row: the intent before the step, and then the outcome. */
  auditEvent(state: 'begun' | 'done' | 'failed' | 'unknown', outcome?: T): AuditEvent
  /** Called right before the step begins, or begins again. Throws if the person isn't allowed to do it (any more). */
  admit?: (() => Promise<unknown>) | undefined
  work(): Promise<T>
  /** Asks the other system whether the step was done, if that's possible. Called when no earlier attempt can still be running. */
  lookUp?: (() => Promise<LookupResult<T>>) | undefined
  /** True if running the step twice is harmless. It's then repeated instead of looked up. */
  isRepeatable?: boolean | undefined
  /** True if its result may only be shown once and must not be stored, not even sealed. */
  isSecret?: boolean | undefined
}

/** A step that only changes settings and roles. They're saved in one transaction with its audit row. */
export interface DecidingStep<T> extends Pick<ActStep<T>, 'name' | 'admit'> {
  readonly workspaceId: string
  /** Its audit row. */
  auditEvent(state: 'done' | 'failed', outcome?: T): AuditEvent
  work(decisions: Decisions): Promise<T>
}

/** How errors of the other system are stored and classified. */
export interface StepErrors {
  /** True if the request was sent and no answer says that it wasn't carried out. */
  mayHaveHappened(error: unknown): boolean
  /** True if the other system has answered, whatever the answer, so that nothing is still running there. */
  isAnswered(error: unknown): boolean
  /** True for an error that isn’t an answer: the database is down, or it is a bug. */
  isFault(error: unknown): boolean
  /** The error for a person when the look-up shows that the step wasn’t done. */
  toNotDone(error: unknown): unknown
  /** The error for a person when a step isn’t started because the act was idle for too long. */
  toTooLate(doneBefore: readonly string[]): unknown
  serialize(error: unknown): unknown
  deserialize(recorded: unknown): unknown
}

export interface ActParts {
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle'>
  errors: StepErrors
  /** How long after its beginning a step is certainly over, whoever began it. */
  settleMs: number
  /** A process that was suspended for longer before a step doesn’t send it; 4 s by default. */
  maxPauseMs?: number | undefined
  /** An act whose last step began longer ago starts no other one; MAX_IDLE_MS by default. */
  maxIdleMs?: number | undefined
  /** Called while the act waits until it can look a step up. Never rejects. */
  onDoubt?: (() => Promise<void>) | undefined
}
