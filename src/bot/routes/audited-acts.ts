import type { ActStep } from '@signalman/durable'
import type { UserError } from '@signalman/runtime'
import type { Environment } from '../../domain/environment.ts'

/** What the audit log stores of one act besides who, where, when and the reference. Never a secret. */
export interface AuditDetails {
  /** The verb as typed: `/hc edit`. */
  verb: string
  /** Kind and id of the object: `health-check 3f2a…`. */
  object: string
  /** What it is called, so that a search by name finds it. Steps are known by `object` alone, because a name may change. */
  objectName?: string | undefined
  /** The environment of the act; that of the request unless given. */
  environment?: Environment
  before?: unknown
  after?: unknown
}

export interface AuditedStep<T>
  extends Omit<AuditDetails, 'after'>,
    Pick<ActStep<T>, 'lookUp' | 'isRepeatable' | 'isSecret'> {
  /** The state afterwards, or what was asked for; made from the outcome where only that shows it (undefined after a failure). */
  after?: unknown | ((outcome: T | undefined) => unknown)
  /** For what only one of several acts may do: the first that comes to this step, unless it certainly did not happen there. */
  only?: { readonly key: string; readonly taken: UserError } | undefined
}

/** Does each step of an act once, however often the act is run. */
export interface ActSteps {
  /** When the act was written down, by the database's clock; the present time for a read. */
  readonly begunAt: Date
  /**
   * Does something that changes the world: the intent and what came of it are in the audit log. Throws what `work` throws,
   * and OutcomeUnknown when nobody can tell what came of it.
   */
  change<T>(what: AuditedStep<T>, work: () => Promise<T>): Promise<T>
  /** Returns what `read` gave in the first run of this act, so that later steps and undo know the earlier state. */
  keep<T>(name: string, read: () => Promise<T>): Promise<T>
}

/** Writes audit rows for what is not an act. */
export interface AuditNotes {
  /** Records that something was refused. */
  refused(what: AuditDetails): Promise<void>
  /** Records that something was done, such as the reading of a threat event. */
  record(what: AuditDetails): Promise<void>
}
