import type { Caller, Message, Posted, SlackClient } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Role, Roles } from '../../domain/roles.ts'
import type { Api } from '../../service/service.ts'
import type { Actor } from '../access/actor.ts'
import type { ActSteps, AuditNotes } from './audited-acts.ts'

/** Who asks, and from where. */
export interface Requester extends Readonly<Caller> {
  readonly environment: Environment
  readonly now: Date
}

/** The service, with the workspace's token. */
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
  /** Who somebody else is to this workspace, whatever they may do. */
  actorOf(userId: string): Promise<Actor>
  /** Whether a person has this role and may change something; false when Slack cannot be asked. */
  hasRole(userId: string, role: Role): Promise<boolean>
  /** The same, but throws UserError when Slack cannot be asked. */
  hasRoleOrThrow(userId: string, role: Role): Promise<boolean>
}

/** Ways to reach people, besides the answer. */
export interface Messaging {
  /** Slack, as the app in this workspace. */
  slack(): Promise<SlackClient>
  /** Writes to a person's direct messages with the app; its buttons work. */
  tell(userId: string, message: Message): Promise<Posted>
  /** Replaces a message that was sent; its buttons work. */
  amend(posted: Posted, message: Message): Promise<void>
}

/** Everything that a handler may use besides its arguments; a function that needs less asks for less. */
export interface CommandContext extends Requester, ServiceAccess, Rights, Messaging, ActSteps, AuditNotes {
  /** Settles when the person has the answer; only where a line was typed or pressed. */
  readonly answered?: Promise<void>
}
