import { aroundMention } from './mention-text.ts'
import type { RequestOrigin } from './origin.ts'
import { fields, first, type PayloadFields, some, text } from './payload-fields.ts'
import { NO_SURFACE, present, type Surface } from './surface.ts'
import { type ViewState, viewOf } from './view-state.ts'

export interface CommandRequest {
  kind: 'command'
  command: string
  text: string
}

export interface ActionRequest {
  kind: 'action'
  actionId: string
  /** A button's value, or the chosen option's. */
  value: string
  view: ViewState | undefined
}

export interface SubmissionRequest {
  kind: 'submission'
  view: ViewState
}

export interface HomeRequest {
  kind: 'home'
}

/** `@Signalman threat …` in a channel or a thread, where slash commands do not run; or anything in a direct message. */
export interface MentionRequest {
  kind: 'mention'
  /** The words after the mention, or those before it when none follow. */
  text: string
  /** The whole message. */
  whole: string
}

/** An entry of a message's menu. */
export interface ShortcutRequest {
  kind: 'shortcut'
  callbackId: string
  /** The message as Slack sent it: text, blocks, attachments, files. All of it is outside text. */
  message: Readonly<Record<string, unknown>>
}

/** The app was removed, or its token was revoked. Slack itself says so: the origin of the request has no person. */
export interface UninstallRequest {
  kind: 'uninstalled'
  event: 'app_uninstalled' | 'tokens_revoked'
  /** When it happened; Slack may say so again much later. */
  at: Date
  /** The app was installed for an organization, whose id is used as the workspace's. */
  isOrganization: boolean
}

/** Something about this person has changed: name, standing, or whether the account is in use. */
type PersonChangedRequest = { kind: 'person-changed' }

type OtherRequest = { kind: 'other' }

export type Request = (
  | CommandRequest
  | ActionRequest
  | SubmissionRequest
  | HomeRequest
  | MentionRequest
  | ShortcutRequest
  | UninstallRequest
  | PersonChangedRequest
  | OtherRequest
) & { origin: Place }

/** The app gives the reference itself. */
type Place = Omit<RequestOrigin, 'reference'>

/** What Slack sent, as one of the kinds of request; `undefined` when it names no workspace or person. */
export function requestOf(body: PayloadFields): Request | undefined {
  const request = typeof body.command === 'string' ? commandOf(body) : payloadOf(body)
  if (!request?.origin.workspaceId) return undefined
  return request.origin.userId || request.kind === 'uninstalled' ? request : undefined
}

/** An organization has an id of its own, which replaces the workspace's when the app is installed for all of it. */
const isOrganization = (id: string): boolean => id.startsWith('E')

/** The first of these objects that names a workspace. */
const workspaceOf = (...ids: unknown[]): string =>
  ids.map(text).find((id) => id !== '' && !isOrganization(id)) ?? ''

/** The first of these objects that names an organization. */
const organizationOf = (...ids: unknown[]): string | undefined =>
  ids.map(text).find((id) => isOrganization(id))

function commandOf(body: PayloadFields): Request {
  const surface: Surface = {
    kind: 'command',
    responseUrl: text(body.response_url),
    triggerId: text(body.trigger_id),
  }
  return {
    kind: 'command',
    command: text(body.command).replace(/^\//, ''),
    text: text(body.text),
    origin: present({
      workspaceId: workspaceOf(body.team_id),
      enterpriseId: organizationOf(body.enterprise_id, body.team_id),
      userId: text(body.user_id),
      channelId: some(body.channel_id),
      surface,
    }),
  }
}

function payloadOf(body: PayloadFields): Request | undefined {
  if (body.type === 'event_callback') return eventOf(body)
  const origin = placeOf(body)
  switch (body.type) {
    case 'block_actions': {
      const action = first(body.actions)
      const value = text(action.value) || text(fields(action.selected_option).value)
      return { kind: 'action', actionId: text(action.action_id), value, view: viewOf(body.view), origin }
    }
    case 'view_submission': {
      const view = viewOf(body.view)
      return view && { kind: 'submission', view, origin }
    }
    case 'message_action':
      return { kind: 'shortcut', callbackId: text(body.callback_id), message: fields(body.message), origin }
    default:
      return { kind: 'other', origin }
  }
}

function eventOf(body: PayloadFields): Request {
  const event = fields(body.event)
  const authorization = first(body.authorizations)
  const origin: Place = present({
    // In a channel shared with another organization the envelope may name that one; the authorization names ours.
    workspaceId: workspaceOf(authorization.team_id, body.team_id),
    enterpriseId: organizationOf(body.enterprise_id, authorization.enterprise_id, body.team_id),
    userId: text(event.user),
    userTeamId: some(event.user_team) ?? some(event.source_team),
    surface: NO_SURFACE,
  })
  if (isUninstall(event)) return uninstallOf(body, event.type, origin)
  if (event.type === 'user_change')
    return { kind: 'person-changed', origin: { ...origin, userId: text(fields(event.user).id) } }
  if (event.type === 'app_home_opened' && event.tab === 'home')
    return { kind: 'home', origin: { ...origin, surface: { kind: 'home' } } }
  const isDirect = isDirectMessage(event)
  // Words of another app are ignored, or two apps could answer each other for ever.
  if ((event.type !== 'app_mention' && !isDirect) || event.bot_id) return { kind: 'other', origin }
  const whole = text(event.text)
  const said = aroundMention(whole, some(authorization.user_id), isDirect)
  // In a direct message the answer is an ordinary message that stays.
  if (isDirect)
    return { kind: 'mention', text: said, whole, origin: { ...origin, surface: { kind: 'mention' } } }
  const surface = present({ kind: 'mention' as const, threadTs: threadOf(event) })
  return {
    kind: 'mention',
    text: said,
    whole,
    origin: present({ ...origin, channelId: some(event.channel), surface }),
  }
}

/** A message that a person writes to the app; changed and deleted messages have a subtype. */
const isDirectMessage = (event: PayloadFields): boolean =>
  event.type === 'message' &&
  event.channel_type === 'im' &&
  event.subtype === undefined &&
  event.user !== 'USLACKBOT'

/** `tokens_revoked` may name a person's token, and the app has none of those. */
function isUninstall(event: PayloadFields): event is PayloadFields & { type: UninstallRequest['event'] } {
  if (event.type === 'app_uninstalled') return true
  const { bot } = fields(event.tokens)
  return event.type === 'tokens_revoked' && Array.isArray(bot) && bot.length > 0
}

function uninstallOf(body: PayloadFields, event: UninstallRequest['event'], origin: Place): Request {
  const isOrganizations = first(body.authorizations).is_enterprise_install === true || !origin.workspaceId
  const { enterpriseId } = origin
  const seconds = Number(body.event_time)
  return {
    kind: 'uninstalled',
    event,
    at: Number.isFinite(seconds) ? new Date(seconds * 1000) : new Date(8.64e15),
    isOrganization: isOrganizations && enterpriseId !== undefined,
    origin: isOrganizations && enterpriseId ? { ...origin, workspaceId: enterpriseId } : origin,
  }
}

function placeOf(body: PayloadFields): Place {
  const view = fields(body.view)
  return present({
    // A window opened in a channel shared with another organization belongs to the workspace that installed the app;
    // where that is an organization, its people are each of a workspace of it.
    workspaceId: workspaceOf(view.app_installed_team_id, fields(body.team).id, fields(body.user).team_id),
    enterpriseId: organizationOf(
      fields(body.enterprise).id,
      fields(body.team).enterprise_id,
      view.app_installed_team_id,
      fields(body.team).id,
    ),
    userId: text(fields(body.user).id),
    userTeamId: some(fields(body.user).team_id),
    channelId: some(fields(body.channel).id) ?? some(fields(body.container).channel_id),
    surface: surfaceOf(body, view),
  })
}

function surfaceOf(body: PayloadFields, view: PayloadFields): Surface {
  const triggerId = some(body.trigger_id)
  if (view.type === 'modal') return present({ kind: 'window' as const, modalId: text(view.id), triggerId })
  if (view.type === 'home') return present({ kind: 'home' as const, triggerId })
  const container = fields(body.container)
  return present({
    kind: 'message' as const,
    responseUrl: some(body.response_url),
    triggerId,
    threadTs: threadOf(fields(body.message)) ?? threadOf(container),
    isEphemeral: container.is_ephemeral === true,
  })
}

/**
 * The thread of a message, once somebody has answered in it: until then Slack shows nobody what is posted there for one
 * person alone (https://docs.slack.dev/reference/methods/chat.postEphemeral, November 2026), so the channel is the place.
 */
const threadOf = (message: PayloadFields): string | undefined => some(message.thread_ts)
