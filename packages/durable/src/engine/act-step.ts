import type { Decisions } from '../audit/decisions.ts'
import type { AuditEvent } from '../audit/row.ts'
import type { RecordedSteps } from '../work/act-steps.ts'
import type { OutcomeJournal } from '../work/outcome-journal.ts'

/** An act that was idle for longer starts no new step: its person has moved on. */
export const FRESH_MS = 10 * 60_000

/** What the other side says about a step whose outcome is not known here. */
export type Found<T> = { outcome: T } | 'not-done' | 'unknown'

/** A step that changes the world. */
export interface ActStep<T> {
  /** The same each time the act is run again. */
  name: string
  /** Its row for the audit log: the intent before it is done, then the outcome. */
  auditEvent(state: 'begun' | 'done' | 'failed' | 'unknown', outcome?: T): AuditEvent
  /** Called right before the step begins, or begins again. Throws when the person may not do it (any more). */
  admit?: (() => Promise<unknown>) | undefined
  work(): Promise<T>
  /** Asks the other side whether the step was done, where it can tell; called when no earlier attempt can still be running. */
  lookUp?: (() => Promise<Found<T>>) | undefined
  /** True when a second time changes nothing more: the step is then done again instead of looked up. */
  isRepeatable?: boolean | undefined
  /** True when its result may be shown once and must not be kept, not even sealed. */
  isSecret?: boolean | undefined
}

/** A step that changes nothing but settings and roles, which are saved in one transaction with its audit row. */
export interface DecidingStep<T> extends Pick<ActStep<T>, 'name' | 'admit'> {
  readonly workspaceId: string
  /** Its row for the audit log. */
  auditEvent(state: 'done' | 'failed', outcome?: T): AuditEvent
  work(decisions: Decisions): Promise<T>
}

/** How errors of the other side are stored and classified. */
export interface ErrorBook {
  /** True when the request was sent and no answer says that it was not carried out. */
  mayHaveHappened(error: unknown): boolean
  /** True when the other side has answered, whatever it said, so that nothing is under way any more. */
  isOver(error: unknown): boolean
  /** True for an error that isn’t an answer: the database is down, or it is a bug. */
  isFault(error: unknown): boolean
  /** The error for a person when the look-up shows that the step wasn’t done. */
  notDone(error: unknown): unknown
  /** The error for a person when a step isn’t started because the act was idle for too long. */
  tooLate(doneBefore: readonly string[]): unknown
  record(error: unknown): unknown
  revive(recorded: unknown): unknown
}

export interface ActParts {
  steps: RecordedSteps
  journal: Pick<OutcomeJournal, 'settle'>
  errors: ErrorBook
  /** How long after its beginning a step is certainly over, whoever began it. */
  settleMs: number
  /** A process that was suspended for longer before a step doesn’t send it; 4 s by default. */
  standstillMs?: number | undefined
  /** An act whose last step began longer ago starts no other one; FRESH_MS by default. */
  freshMs?: number | undefined
  /** Called while the act waits until it can look a step up. Never rejects. */
  onDoubt?: (() => Promise<void>) | undefined
}
