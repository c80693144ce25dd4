import type { KnownBlock } from '@slack/types'
import { byField, markIn, unmarked } from './field-ids.ts'
import type { StateValues } from './form-answers.ts'
import type { RequestOrigin } from './origin.ts'

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
  /** What stands behind the mention, or in front of it where nothing stands behind. */
  text: string
  /** The whole message. */
  whole: string
}

/** An entry of a message's menu. */
export interface ShortcutRequest {
  kind: 'shortcut'
  callbackId: string
  /** The message as Slack sent it: text, blocks, attachments, files. Outside text, all of it. */
  message: Readonly<Record<string, unknown>>
}

/** Slack says that the app was taken out, or that its token is dead. Nobody's doing: the place has no person. */
export interface UninstallRequest {
  kind: 'uninstalled'
  event: 'app_uninstalled' | 'tokens_revoked'
  /** When it happened; Slack may say so again much later. */
  at: Date
  /** The app was installed for an organization, whose id the place has as its workspace. */
  isOrganization: boolean
}

/** Slack says that something about this person is not as it was: name, standing, whether the account is in use. */
type PersonChangedRequest = { kind: 'person-changed' }

type OtherRequest = { kind: 'other' }

export interface ViewState {
  id: string
  callbackId: string
  metadata: string
  /** Changes whenever the window's contents do. */
  hash: string
  /** Behind each field's name in what was sent (see field-ids.ts); the blocks and values here are without it. */
  mark: string
  title: string
  submit: string
  blocks: KnownBlock[]
  values: StateValues
}

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
) & { place: Omit<RequestOrigin, 'reference'> }

type Fields = Record<string, unknown>

// Every read below checks what it finds: a missing or odd field becomes an empty string or an empty object.
const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const some = (value: unknown): string | undefined => text(value) || undefined
const first = (value: unknown): Fields => fields(Array.isArray(value) ? value[0] : undefined)

/** What Slack sent, as one of the kinds of request; `undefined` when it names no workspace or person. */
export function requestOf(body: Fields): Request | undefined {
  const request = typeof body.command === 'string' ? commandOf(body) : payloadOf(body)
  if (!request?.place.workspaceId) return undefined
  return request.place.userId || request.kind === 'uninstalled' ? request : undefined
}

/** Organizations have ids of their own, which stand in the place of a workspace's where the app is installed for all of one. */
const isOrganization = (id: string): boolean => id.startsWith('E')

/** The first of these that names a workspace. */
const workspaceOf = (...ids: unknown[]): string =>
  ids.map(text).find((id) => id !== '' && !isOrganization(id)) ?? ''

/** The first of these that names an organization. */
const organizationOf = (...ids: unknown[]): string | undefined =>
  ids.map(text).find((id) => isOrganization(id))

function commandOf(body: Fields): Request {
  return {
    kind: 'command',
    command: text(body.command).replace(/^\//, ''),
    text: text(body.text),
    place: {
      workspaceId: workspaceOf(body.team_id),
      enterpriseId: organizationOf(body.enterprise_id, body.team_id),
      userId: text(body.user_id),
      channelId: some(body.channel_id),
      responseUrl: some(body.response_url),
      triggerId: some(body.trigger_id),
    },
  }
}

function payloadOf(body: Fields): Request | undefined {
  const place = placeOf(body)
  switch (body.type) {
    case 'block_actions': {
      const action = first(body.actions)
      const value = text(action.value) || text(fields(action.selected_option).value)
      return { kind: 'action', actionId: text(action.action_id), value, view: viewOf(body.view), place }
    }
    case 'view_submission': {
      const view = viewOf(body.view)
      return view && { kind: 'submission', view, place }
    }
    case 'message_action': {
      const message = fields(body.message)
      const thread = threadOf(message)
      return { kind: 'shortcut', callbackId: text(body.callback_id), message, place: { ...place, ...thread } }
    }
    case 'event_callback':
      return eventOf(body)
    default:
      return { kind: 'other', place }
  }
}

function eventOf(body: Fields): Request {
  const event = fields(body.event)
  const authorization = first(body.authorizations)
  const place = {
    // In a channel shared with another organization the envelope may name theirs; the authorization names ours.
    workspaceId: workspaceOf(authorization.team_id, body.team_id),
    enterpriseId: organizationOf(body.enterprise_id, authorization.enterprise_id, body.team_id),
    userId: text(event.user),
    userTeamId: some(event.user_team) ?? some(event.source_team),
  }
  if (isUninstall(event)) return uninstallOf(body, event.type, place)
  if (event.type === 'user_change')
    return { kind: 'person-changed', place: { ...place, userId: text(fields(event.user).id) } }
  if (event.type === 'app_home_opened' && event.tab === 'home') return { kind: 'home', place }
  const isDirect = isDirectMessage(event)
  // Another app's words are no command, or two apps could go on for ever.
  if ((event.type !== 'app_mention' && !isDirect) || event.bot_id) return { kind: 'other', place }
  const whole = text(event.text)
  const said = aroundMention(whole, some(authorization.user_id), isDirect)
  // In a direct message the answer is a message like any other, and stays.
  if (isDirect) return { kind: 'mention', text: said, whole, place }
  return {
    kind: 'mention',
    text: said,
    whole,
    place: { ...place, channelId: some(event.channel), ...threadOf(event) },
  }
}

/** What a person writes to the app itself; changed and deleted messages have a subtype. */
const isDirectMessage = (event: Fields): boolean =>
  event.type === 'message' &&
  event.channel_type === 'im' &&
  event.subtype === undefined &&
  event.user !== 'USLACKBOT'

const MENTION_WITHIN = 4000
const MENTION = /<@([UW][A-Z0-9]{1,30})(?:\|[^>]{0,200})?>/g
/** Other people who are mentioned in front of the words, and what people put between a name and what they say to it. */
const IN_FRONT = /^(?:\s|<@[UW][A-Z0-9]{1,30}(?:\|[^<>]{0,200})?>|[:,;.!\u2013\u2014-](?=\s))+/

/** This runs before Slack has its acknowledgement: whatever the text, its time is bounded. */
function aroundMention(said: string, ownId: string | undefined, isDirect: boolean): string {
  const mentions = [...said.slice(0, MENTION_WITHIN).matchAll(MENTION)]
  const own = mentions.find(([, id]) => id === ownId) ?? (ownId === undefined ? mentions[0] : undefined)
  const first = own ?? (isDirect ? undefined : mentions[0])
  if (!first) return said.replace(IN_FRONT, '').trim()
  const behind = said.slice(first.index + first[0].length).replace(IN_FRONT, '')
  return /[\p{L}\p{N}]/u.test(behind)
    ? behind.trim()
    : said.slice(0, first.index).replace(IN_FRONT, '').trim()
}

/** The token that dies with `tokens_revoked` may be a person's, of which the app holds none. */
function isUninstall(event: Fields): event is Fields & { type: UninstallRequest['event'] } {
  if (event.type === 'app_uninstalled') return true
  const { bot } = fields(event.tokens)
  return event.type === 'tokens_revoked' && Array.isArray(bot) && bot.length > 0
}

function uninstallOf(
  body: Fields,
  event: UninstallRequest['event'],
  place: Omit<RequestOrigin, 'reference'>,
): Request {
  const isOrganizations = first(body.authorizations).is_enterprise_install === true || !place.workspaceId
  const { enterpriseId } = place
  const seconds = Number(body.event_time)
  return {
    kind: 'uninstalled',
    event,
    at: Number.isFinite(seconds) ? new Date(seconds * 1000) : new Date(8.64e15),
    isOrganization: isOrganizations && enterpriseId !== undefined,
    place: isOrganizations && enterpriseId ? { ...place, workspaceId: enterpriseId } : place,
  }
}

function placeOf(body: Fields): Omit<RequestOrigin, 'reference'> {
  const view = fields(body.view)
  return {
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
    responseUrl: some(body.response_url),
    triggerId: some(body.trigger_id),
    modalId: view.type === 'modal' ? some(view.id) : undefined,
    isEphemeral: fields(body.container).is_ephemeral === true,
    threadTs: some(fields(body.message).thread_ts) ?? some(fields(body.container).thread_ts),
  }
}

function viewOf(value: unknown): ViewState | undefined {
  const view = fields(value)
  if (view.type !== 'modal') return undefined
  const metadata = text(view.private_metadata)
  // The blocks are ours, as Slack returns them.
  const blocks = Array.isArray(view.blocks) ? (unescaped(view.blocks) as KnownBlock[]) : []
  const mark = markIn(blocks, metadata)
  return {
    id: text(view.id),
    callbackId: text(view.callback_id),
    metadata,
    hash: text(view.hash),
    title: text(fields(view.title).text),
    submit: text(fields(view.submit).text),
    mark,
    blocks: unmarked(blocks, mark),
    // Slack's documented form of a view's state.
    values: byField(fields(fields(view.state).values) as StateValues, mark),
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** Slack may hand text back escaped: sent again as it is, `R&D` would become `R&amp;D`. */
function unescaped(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(unescaped)
  if (typeof part !== 'object' || part === null) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === 'text' && typeof value === 'string'
        ? value.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
        : unescaped(value),
    ]),
  )
}

/**
 * The thread of a message, once somebody has answered in it: until then Slack shows nobody what is posted there for one
 * person alone (https://docs.slack.dev/reference/methods/chat.postEphemeral, November 2026), so the channel is the place.
 */
const threadOf = (message: Fields): { threadTs: string | undefined } => ({
  threadTs: some(message.thread_ts),
})
