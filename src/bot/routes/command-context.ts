import type { Act, ActStep, Decisions } from '@signalman/durable'
import type { UserError } from '@signalman/runtime'
import type { Caller, Message, Posted, RequestOrigin, SlackClient } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { Role, Roles } from '../../domain/roles.ts'
import type { Api } from '../../service/service.ts'
import type { Actor } from '../access/actor.ts'

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
export interface CommandContext
  extends Requester,
    ServiceAccess,
    Rights,
    Messaging,
    ActSteps,
    DecidingSteps,
    AuditNotes {
  /** Settles when the person has the answer; only where a line was typed or pressed. */
  readonly answered?: Promise<void>
}

/** A request while it is handled: its origin, and what the bot has found out about it. */
export interface HandledRequest extends RequestOrigin {
  /** Set when the used button or window belongs to an environment; otherwise the channel's setting decides. */
  environment?: Environment
  /** The act that is carried out; absent for a read. */
  act?: Act
  /** The line that is being answered; running it again draws its answer again. */
  line?: string
  /** Whether the answer leaves out the button with this line, because its person can't use it. */
  isHidden?: ((line: string) => boolean) | undefined
  /** The answer whose button was pressed; it is drawn again after the form that the button opens. */
  origin?: RedrawTarget
}

/** An answer that one person sees, or a window: where it is, and the line that draws it. */
export type RedrawTarget = { line: string; environment: Environment } & (
  | { responseUrl: string }
  | { modalId: string }
)

/** What the audit log stores of one act besides who, where, when and the reference. Never a secret. */
export interface AuditDetails {
  /** The verb as typed: `/hc edit`. */
  verb: string
  /** Kind and id of the object: `health-check 3f2a…`. The rows of an intent and its outcome have the same. */
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

/** Steps of an act that only change settings and roles. */
export interface DecidingSteps {
  /**
   * Changes settings and roles, and nothing else: what `work` says is saved in one transaction with the row of the audit log that
   * decides it. Throws what `work` throws.
   */
  decide<T>(
    what: AuditDetails & Pick<AuditedStep<T>, 'after'>,
    work: (decisions: Decisions) => Promise<T>,
  ): Promise<T>
}

/** Writes audit rows for what is not an act. */
export interface AuditNotes {
  /** Records that something was refused. */
  refused(what: AuditDetails): Promise<void>
  /** Records that something was done, such as the reading of a threat event. */
  record(what: AuditDetails): Promise<void>
}
