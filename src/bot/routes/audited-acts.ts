import type { Environment } from '../../domain/environment.ts'
import type { ActStep } from '../../work/act.ts'

/** What the audit log keeps of one act, beside who, where, when and the reference. Never a secret. */
export interface AuditDetails {
  /** As it is typed: `/hc edit`. */
  verb: string
  /** Kind and id of what it is done to: `health-check 3f2a…`. */
  object: string
  /** The environment that it is done in; that of the request unless given. */
  environment?: Environment
  before?: unknown
  after?: unknown
}

export interface AuditedStep<T>
  extends Omit<AuditDetails, 'after'>,
    Pick<ActStep<T>, 'lookUp' | 'isRepeatable' | 'isSecret'> {
  /** The state afterwards, or what was asked for; made from the outcome where only that shows it (undefined after a failure). */
  after?: unknown | ((outcome: T | undefined) => unknown)
}

/** Does the steps of an act, each once, however often the act is run again. */
export interface ActSteps {
  /** When it was written down, by the database's clock; now for what is no act. */
  readonly begunAt: Date
  /**
   * Does something that changes the world: the intent and what came of it are in the audit log. Throws what `work` throws,
   * and OutcomeUnknown when nobody can tell what came of it.
   */
  change<T>(what: AuditedStep<T>, work: () => Promise<T>): Promise<T>
  /** Returns what `read` gave the first time this act ran, so that later steps and undo know how things were before. */
  keep<T>(name: string, read: () => Promise<T>): Promise<T>
  /** True when this act is the first in any process to name the key, for what only one of several acts may do. */
  isFirst(key: string): Promise<boolean>
}

/** Writes rows of the audit log about what is no act. */
export interface AuditNotes {
  /** Puts something that was refused into the audit log. */
  refused(what: AuditDetails): Promise<void>
  /** Puts something that was done into the audit log, such as the reading of a threat event. */
  record(what: AuditDetails): Promise<void>
}
