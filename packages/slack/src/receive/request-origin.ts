import { isRecord } from '@signalman/runtime'
import type { SlackBody } from './body.ts'

/**
 * The person and the workspace of a request, according to Slack's payload. IDs of workspaces start with T, those of organizations
 * (Enterprise Grid) with E (https://docs.slack.dev/enterprise/developing-for-enterprise-orgs and the types of @slack/bolt 5.1,
 * November 2026).
 */
export interface RequestIds {
  userId: string
  /** The workspace whose data and permissions apply. Missing if the payload doesn't name one in which the app is installed. */
  workspaceId?: string | undefined
  /** The organization of that workspace. */
  enterpriseId?: string | undefined
  /** The person's own workspace or organization, if Slack names it. In a shared channel, it may be a different one. */
  homeId?: string | undefined
}

/** Whether an ID is an organization's. As a request's workspace, it means that Slack named no workspace. */
export const isOrganization = (id: unknown): id is string => typeof id === 'string' && id.startsWith('E')
const isWorkspace = (id: unknown): id is string => toText(id) !== '' && !isOrganization(id)

/** Reads the person and the workspace of a command. This and the next two functions are the only ones that read them. */
export function readCommandIds(body: SlackBody): RequestIds {
  return {
    userId: toText(body.user_id),
    workspaceId: [body.team_id].find(isWorkspace),
    enterpriseId: [body.enterprise_id, body.team_id].find(isOrganization),
  }
}

/**
 * `authorizations` and the `context_…` fields name the installation that received the event. `team_id` and `enterprise_id` name the
 * channel's owner, which may be another organization.
 */
export function readEventIds(body: SlackBody): RequestIds {
  const event = toObject(body.event)
  const authorization = firstObject(body.authorizations)
  const isShared = body.is_ext_shared_channel === true
  // In a shared channel, these may be of another channel owner.
  const owner = isShared ? {} : { enterpriseId: body.enterprise_id, teamId: body.team_id }
  const organizations =
    'enterprise_id' in authorization
      ? [authorization.enterprise_id]
      : [body.context_enterprise_id, owner.enterpriseId, owner.teamId]
  return {
    // An unarchived private channel names its person only as `actor_id` (@slack/types 3.2 and recorded events).
    userId: toText(event.user) || toText(toObject(event.user).id) || toText(event.actor_id),
    workspaceId: [authorization.team_id, body.context_team_id, owner.teamId].find(isWorkspace),
    enterpriseId: organizations.find(isOrganization),
    homeId: toOptionalText(event.user_team) ?? toOptionalText(event.source_team),
  }
}

/**
 * Reads the IDs of clicks, modals, shortcuts, and option requests. A modal names the app's installation in addition to the team of the
 * person who opened it.
 */
export function readInteractionIds(body: SlackBody): RequestIds {
  const [user, team, view] = [toObject(body.user), toObject(body.team), toObject(body.view)]
  const installed = toOptionalText(view.app_installed_team_id)
  const isOwnTeam = installed === undefined || installed === team.id || installed === team.enterprise_id
  const organizations = isOwnTeam ? [team.enterprise_id, team.id, toObject(body.enterprise).id] : []
  // Only the app's own messages have its buttons. A shortcut can be used on anyone's message.
  const isOwnMessage = body.type === 'block_actions' || body.type === 'block_suggestion'
  const workspaces = [isOwnTeam && team.id, isOwnMessage && toObject(body.message).team]
  return {
    userId: toText(user.id),
    workspaceId: [installed, ...workspaces].find(isWorkspace),
    enterpriseId: [installed, ...organizations].find(isOrganization),
    homeId: toOptionalText(user.team_id),
  }
}

// The functions below read a value of a payload as one type. Missing or malformed values become empty.
export const toObject = (value: unknown): SlackBody => (isRecord(value) ? value : {})
export const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
export const toOptionalText = (value: unknown): string | undefined => toText(value) || undefined
export const firstObject = (value: unknown): SlackBody =>
  toObject(Array.isArray(value) ? value[0] : undefined)

/** The workspace of a request. */
export interface Workspace {
  /** Empty if Slack names none. */
  workspaceId: string
  /** The organization (Enterprise Grid) that the workspace belongs to. */
  enterpriseId?: string | undefined
}

/** The acting person. */
export interface RequestUser extends Workspace {
  userId: string
  /** Their own workspace or organization, if the request names it. In a shared channel, it may be a different one. */
  homeId?: string | undefined
}

/** The person, and the channel they're in. */
export interface Caller extends RequestUser {
  /** Missing in App Home, and in a modal until its state is read. */
  channelId?: string | undefined
  /** The thread of the request or of the button. */
  threadTs?: string | undefined
  /** Part of every log line of this request, and of every error that a person sees. */
  reference: string
}

/** Where a request came from, and where its answer goes. */
export interface RequestOrigin extends Caller {
  surface: Surface
}

/** Whether a channel is a DM, which the first letter of its ID shows. */
export const isDirect = (channelId: string): boolean => channelId.startsWith('D')

/** Copies the fields that are needed after the request has ended. */
export function toCaller(from: Caller & { surface?: Surface }): Caller {
  const { workspaceId, enterpriseId, userId, homeId, channelId, reference } = from
  const { threadTs = from.threadTs }: AnswerTargets = from.surface ?? NO_SURFACE
  return { workspaceId, enterpriseId, userId, homeId, channelId, threadTs, reference }
}

/**
 * The surface that the person used. A `responseUrl` accepts five answers within 30 minutes, and a `triggerId` opens one modal
 * within 3 s. The answer goes to the thread of the request.
 */
export type Surface =
  /** A typed command. */
  | { kind: 'command'; responseUrl: string; triggerId: string }
  /** A button on a message, or a message shortcut. If the message is ephemeral, only one person sees it. */
  | {
      kind: 'message'
      responseUrl?: string | undefined
      triggerId?: string | undefined
      threadTs?: string | undefined
      isEphemeral: boolean
    }
  /** A button in a modal, or a submitted modal. The next modal opens on top of it. */
  | { kind: 'window'; modalId: string; triggerId?: string | undefined }
  | { kind: 'home'; triggerId?: string | undefined }
  /** A message to the app, in a channel or a DM. */
  | { kind: 'mention'; threadTs?: string | undefined }
  /** Nobody is waiting for the answer: Slack itself sent the request, or the person has stopped waiting. */
  | { kind: 'none'; threadTs?: string | undefined }

/** Everything that a surface may have for answering. Any part of it may be missing. */
export interface AnswerTargets {
  responseUrl?: string | undefined
  triggerId?: string | undefined
  modalId?: string | undefined
  threadTs?: string | undefined
}

/** For requests without a waiting person. */
export const NO_SURFACE: Surface = { kind: 'none' }

/** The surface once its person has stopped waiting: the trigger has expired, and nobody reads the command's own answer. */
export function toExpiredSurface(surface: Surface): Surface {
  if (surface.kind === 'window') return { kind: 'window', modalId: surface.modalId }
  const { threadTs }: AnswerTargets = surface
  return { kind: 'none', threadTs }
}
