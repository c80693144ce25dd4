import type { Act, ActStep, DecisionTransaction, Send } from '@signalman/durable'
import type { Caller, ChannelRefusal, RequestOrigin, SlackClient } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Role, Roles } from '../../domain/roles.ts'
import type { CommandParts } from '../../domain/write-command.ts'
import type { Api } from '../../service/service.ts'
import type { GuestRule } from '../access/access.ts'
import type { Actor } from '../access/actor.ts'

export interface Requester extends Readonly<Caller> {
  readonly environment: Environment
  readonly now: Date
}

export interface ServiceAccess {
  /** Opens the service for an environment, by default the request's. Throws UserError if no token is stored. */
  api(environment?: Environment): Promise<Api>
}

export interface Rights {
  /** The person, who was authorized. */
  readonly actor: Actor
  /** Throws AccessDenied, and records the refusal, unless the person may also use this verb. */
  authorize(verb: GuestRule & { line: string; needs: Role }): Promise<unknown>
  /** The person's roles, each with the reason; an admin has all of them. */
  roles(): Promise<Roles>
  /** How someone else relates to this workspace, regardless of their permissions. */
  findActor(userId: string): Promise<Actor>
  /** Whether a person has this role and may change things; false if Slack can't be reached. */
  hasRole(userId: string, role: Role): Promise<boolean>
}

/**
 * Why nothing may be posted in a channel: it's shared with another organization, or Slack doesn't tell the app who reads it, or refuses the
 * app there. Only if that was asked: guests read it, or may.
 */
export type Obstacle = ChannelRefusal | 'shared-outside' | 'readers-unknown' | 'guests' | 'maybe-guests'

export type PostPermission = 'yes' | Obstacle

export interface Messaging {
  slack(): Promise<SlackClient>
  /** Whether the app may post in a channel, and with `asksGuests`, whether that's for no guest to read. Throws if Slack can't be reached. */
  mayPost(channelId: string, options?: { readonly asksGuests: true }): Promise<PostPermission>
}

export interface ToldLines {
  /** Writes a line that means the request's environment, or another one that is given, if it's typed where the request was. */
  tell(verb: string, parts?: CommandParts): Promise<string>
}

/** Everything that a handler may use besides its arguments. Functions that need less take one of the smaller types. */
export interface CommandContext
  extends Requester,
    ServiceAccess,
    Rights,
    Messaging,
    ToldLines,
    ActSteps,
    AuditNotes {}

/** Whether an answer is a window, with a form or only to read. */
export type OpensModal = boolean | 'to-read'

/** A request that is being handled: its origin, and what is known about it so far. */
export interface HandledRequest extends RequestOrigin {
  /** Set if the button or window belongs to an environment; otherwise the channel's setting decides. */
  environment?: Environment
  act?: Act
  /** Whether the answer leaves out the button with this line, because the person can't use it. */
  isHidden?: ((line: string) => boolean) | undefined
  opensModal?: OpensModal | undefined
  /** The line that a read answers, so that a window with the answer can be shown again. */
  line?: string | undefined
  window?: WindowState | undefined
}

/** What a window remembers besides its inputs. */
export interface WindowState {
  environment: Environment
  channelId?: string
  /** The state that the form was opened with. */
  formState?: unknown
  /** The line whose answer it shows. Absent if it has inputs, which showing it again would empty. */
  line?: string | undefined
  /** The windows under it, the nearest first. */
  below?: readonly { viewId: string; line?: string | undefined }[]
}

/** What the audit log stores about an act, besides who, where, when, and the reference. Never contains a secret. */
export interface AuditDetails {
  /** The verb as typed: `/hc edit`. */
  verb: string
  /** Kind and ID of the object: `health-check 3f2a…`. The entries of an intent and its outcome have the same. */
  object: string
  objectName?: string | undefined
  /** The environment of the act; the request's unless given. */
  environment?: Environment
  before?: unknown
  after?: unknown
}

interface AuditedStep<T>
  extends Omit<AuditDetails, 'after'>,
    Pick<ActStep<T>, 'lookUp' | 'isSecret' | 'readsFirst' | 'onlyTells'> {
  /** The new state, or the requested one. A function if it depends on the outcome, which is undefined after a failure. */
  after?: unknown | ((outcome: T | undefined) => unknown)
}

export interface AuditedDecision<T> extends Omit<AuditDetails, 'before' | 'after'> {
  /** It only begins what another entry says the outcome of. */
  isIntent?: boolean
  /** The old and the new state. Functions if they depend on the outcome, which is undefined after a failure. */
  before?: unknown | ((outcome: T | undefined) => unknown)
  after?: unknown | ((outcome: T | undefined) => unknown)
}

/** Runs each step of an act once, however often the act runs. */
export interface ActSteps {
  /** When the act was stored, by the database's clock; for a read, now. */
  readonly begunAt: Date
  /**
   * Changes something outside, and records the intent and the outcome in the audit log. Throws what `work` throws, and
   * OutcomeUnknown if the outcome can't be determined.
   */
  step<T>(step: AuditedStep<T>, work: (send: Send<T>) => Promise<T>): Promise<T>
  /**
   * Changes only the database: saves what `work` changes in one transaction with its audit entry. `work` must use this transaction for
   * everything, and ask nobody outside. Throws what `work` throws, and then changes nothing.
   */
  decide<T>(decision: AuditedDecision<T>, work: (decisions: DecisionTransaction) => Promise<T>): Promise<T>
  /** Reads once per act: if the act runs again, returns what `read` returned. `isResumed`: it may have begun to read before. */
  once<T>(name: string, read: (isResumed: boolean) => Promise<T>): Promise<T>
  /** Waits for this long. Throws LeaseLost if the act goes on in another process. */
  pause(ms: number): Promise<unknown>
}

/** Writes audit entries for things that aren't acts. */
export interface AuditNotes {
  /** Records that something was refused. */
  recordRefusal(details: AuditDetails): Promise<void>
  /** Records that something was done, such as looking up a threat event. */
  record(details: AuditDetails): Promise<void>
}
