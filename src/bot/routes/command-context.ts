import type { Api } from '../../api/service.ts'
import type { Message } from '../../blocks/message.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Role, Roles } from '../../domain/roles.ts'
import type { Posted, SlackClient } from '../../slack/client/slack-client.ts'
import type { Asker } from '../../slack/receive/origin.ts'
import type { ActStep } from '../../work/act.ts'
import type { Actor } from '../access/actor.ts'

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

/** Who asks, and from where. */
export interface Requester extends Readonly<Asker> {
  readonly environment: Environment
  readonly now: Date
}

/** The service, in the name of the workspace. */
export interface ServiceAccess {
  /**
   * In the environment of the request or the one given. Reads end with the request, unless they are `shared` with others
   * who ask for the same. Throws UserError when nobody has stored a token yet.
   */
  api(environment?: Environment, options?: { shared?: boolean }): Promise<Api>
}

/** What people may do here. */
export interface Rights {
  /** Resolves with the person once they are admitted; reading begins before that. Throws Refusal. */
  actor(): Promise<Actor>
  /** The person's given roles, each with the reason; an admin has all of them. */
  roles(): Promise<Roles>
  /** Whether somebody may do what needs this role, as of now; false when Slack cannot be asked about them. */
  holds(userId: string, role: Role): Promise<boolean>
  /** Like `holds`, but throws UserError when Slack cannot be asked, where silence must not count as a no. */
  proves(userId: string, role: Role): Promise<boolean>
}

/** The ways to people beside the answer itself. */
export interface Messaging {
  /** Slack, as the app in this workspace. */
  slack(): Promise<SlackClient>
  /** Writes to somebody's direct messages with the app; buttons in it work. */
  tell(userId: string, message: Message): Promise<Posted>
  /** Replaces a message that was sent; buttons in it work. */
  amend(posted: Posted, message: Message): Promise<void>
}

/** Does the steps of an act, each once, however often the act is run again. */
export interface ActSteps {
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

/** Everything that a handler may use beside what was typed or pressed; a function that needs less asks for less. */
export interface CommandContext extends Requester, ServiceAccess, Rights, Messaging, ActSteps, AuditNotes {
  /** Settles when the person has the answer; only where a line was typed or pressed. */
  readonly answered?: Promise<void>
}
