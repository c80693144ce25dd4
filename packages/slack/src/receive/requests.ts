import { aroundMention } from './around-mention.ts'
import type { SlackBody } from './body.ts'
import { type ViewState, viewOf } from './view-state.ts'
import {
  fields,
  first,
  NO_SURFACE,
  present,
  type RequestOrigin,
  type Surface,
  some,
  text,
  type Whereabouts,
  whereaboutsOf,
} from './whereabouts.ts'

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

/** A mention of the app in a channel or a thread, where slash commands do not run; or anything in a direct message. */
export interface MentionRequest {
  kind: 'mention'
  /** The words after the mention, or those before it when none follow. */
  text: string
  /** The whole message. */
  whole: string
  /** True when a file came with it. */
  hasFile: boolean
}

/** A line that somebody has Slackbot run. */
export interface ToolRequest {
  kind: 'tool'
  command: string
  text: string
  /** True for the line of a button that the app itself has shown to this person. */
  isOffered: boolean
}

/** Somebody has opened a work object: what they are to see of it is asked for, for them alone. */
export interface EntityRequest {
  kind: 'entity'
  /** Which one, as the app itself has named it. */
  ref: string
  /** Shows it to this person. */
  triggerId: string
}

/** A step of a workflow that Slack has the app do; its person is '' where Slack has named none. */
export interface StepRequest {
  kind: 'step'
  callbackId: string
  /** What whoever built the workflow has filled in. */
  inputs: Readonly<Record<string, unknown>>
}

/** An entry of a message's menu. */
export interface ShortcutRequest {
  kind: 'shortcut'
  callbackId: string
  /** The message as Slack sent it: text, blocks, attachments, files. All of it is outside text. */
  message: Readonly<Record<string, unknown>>
}

/**
 * The app was removed, or its token was revoked, or an organization has taken it out of some of its workspaces. Slack itself says
 * so: the origin of the request has no person.
 */
interface UninstallRequest {
  kind: 'uninstalled'
  event: 'app_uninstalled' | 'tokens_revoked' | 'team_access_revoked'
  /** The workspaces that it was taken out of, where it stays in the organization. */
  leaves: readonly string[]
}

export type Request = (
  | { kind: 'command'; command: string; text: string }
  | ActionRequest
  | SubmissionRequest
  | { kind: 'home' }
  | MentionRequest
  | ShortcutRequest
  | ToolRequest
  | EntityRequest
  | StepRequest
  | UninstallRequest
  /** Something about this person has changed: name, standing, or whether the account is in use. */
  | { kind: 'person-changed' }
  /** A channel that took no messages may take them again: it was brought back, or the app was invited. */
  | { kind: 'channel-open' }
  /** People of another organization are in a channel from now on, or will be. */
  | { kind: 'channel-shared' }
  | { kind: 'other' }
) & { origin: Place }

/** The app gives the reference itself, and settles the workspace where Slack names none. */
type Place = Whereabouts & Pick<RequestOrigin, 'channelId' | 'surface' | 'door'>

/** What Slack sent, as one of the kinds of request; `undefined` when nobody has asked. */
export function requestOf(body: SlackBody): Request | undefined {
  const request = typeof body.command === 'string' ? commandOf(body) : payloadOf(body)
  return request && (request.origin.userId || OF_NOBODY.has(request.kind)) ? request : undefined
}

/** Slack need not say who did it. */
const OF_NOBODY: ReadonlySet<Request['kind']> = new Set(['uninstalled', 'channel-shared', 'step'])

function commandOf(body: SlackBody): Request {
  const surface: Surface = {
    kind: 'command',
    responseUrl: text(body.response_url),
    triggerId: text(body.trigger_id),
  }
  return {
    kind: 'command',
    command: text(body.command).replace(/^\//, ''),
    text: text(body.text),
    origin: present({ ...whereaboutsOf(body), channelId: some(body.channel_id), surface }),
  }
}

function payloadOf(body: SlackBody): Request | undefined {
  if (body.type === 'event_callback') return eventOf(body)
  const origin: Place = present({
    ...whereaboutsOf(body),
    channelId: some(fields(body.channel).id) ?? some(fields(body.container).channel_id),
    surface: surfaceOf(body, fields(body.view)),
    door: fields(body.container).type === 'entity_detail' ? WORK_OBJECT : undefined,
  })
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

function eventOf(body: SlackBody): Request {
  const event = fields(body.event)
  const origin: Place = { ...whereaboutsOf(body), surface: NO_SURFACE }
  if (isUninstall(event))
    return { kind: 'uninstalled', event: event.type, leaves: teamsIn(event.team_ids), origin }
  if (event.type === 'function_executed') return stepOf(event, origin)
  if (event.type === 'user_change') return { kind: 'person-changed', origin }
  const ofChannel = ofChannelIn(body, event)
  if (ofChannel) return { kind: ofChannel, origin: present({ ...origin, channelId: some(event.channel) }) }
  if (event.type === 'entity_details_requested')
    return {
      kind: 'entity',
      ref: text(fields(event.external_ref).id),
      triggerId: text(event.trigger_id),
      origin: present({ ...origin, channelId: some(event.channel), door: WORK_OBJECT }),
    }
  if (event.type === 'app_home_opened' && event.tab === 'home')
    return { kind: 'home', origin: { ...origin, surface: { kind: 'home' } } }
  const isDirect = isDirectMessage(event)
  // Words of another app are ignored, or two apps could answer each other for ever.
  if ((event.type !== 'app_mention' && !isDirect) || event.bot_id) return { kind: 'other', origin }
  const whole = text(event.text)
  // In a direct message the answer is an ordinary message of the conversation, and no thread's.
  const surface = present({ kind: 'mention' as const, threadTs: isDirect ? undefined : threadOf(event) })
  return {
    kind: 'mention',
    text: aroundMention(whole, some(first(body.authorizations).user_id), isDirect),
    whole,
    hasFile: Array.isArray(event.files) && event.files.length > 0,
    origin: present({ ...origin, channelId: some(event.channel), surface }),
  }
}

/** The pane beside the conversation, and what is pressed in it (https://docs.slack.dev/messaging/work-objects-implementation, November 2026). */
const WORK_OBJECT = 'a work object'

const USER_CONTEXT = 'slack#/types/user_context'
const USER_ID = /^[UW][A-Z0-9]{2,30}$/

/**
 * The event itself names nobody. Its person is whom Slack has put into an input of the type that only Slack fills in, with a secret of
 * its own (https://docs.slack.dev/reference/types/user_context-type, November 2026); an id that stands anywhere else may be anybody's.
 */
function stepOf(event: SlackBody, origin: Place): Request {
  const executionId = text(event.function_execution_id)
  if (executionId === '') return { kind: 'other', origin }
  const about = fields(event.function)
  const declared = Array.isArray(about.input_parameters) ? about.input_parameters.map(fields) : []
  const proven = new Set(declared.flatMap(({ type, name }) => (type === USER_CONTEXT ? [text(name)] : [])))
  const inputs = Object.entries(fields(event.inputs))
  const [person = {}] = inputs.flatMap(([name, value]) => (proven.has(name) ? [fields(value)] : []))
  return {
    kind: 'step',
    callbackId: text(about.callback_id),
    // The secret is for Slack alone.
    inputs: Object.fromEntries(inputs.filter(([name]) => !proven.has(name))),
    origin: {
      ...origin,
      userId: text(person.secret) !== '' && USER_ID.test(text(person.id)) ? text(person.id) : '',
      surface: { kind: 'step', executionId },
      door: 'a workflow',
    },
  }
}

/**
 * What a person may write: words, a file, an answer in a thread that stands in the conversation too, `/me …`. Any other subtype says
 * what became of a message (https://docs.slack.dev/reference/events/message, November 2026).
 */
const WRITTEN: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message']

/** A message that a person writes to the app. */
const isDirectMessage = (event: SlackBody): boolean =>
  event.type === 'message' &&
  event.channel_type === 'im' &&
  WRITTEN.includes(event.subtype) &&
  event.user !== 'USLACKBOT'

/** `tokens_revoked` may name a person's token, and the app has none of those. */
function isUninstall(event: SlackBody): event is SlackBody & { type: UninstallRequest['event'] } {
  if (event.type === 'app_uninstalled' || event.type === 'team_access_revoked') return true
  const { bot } = fields(event.tokens)
  return event.type === 'tokens_revoked' && Array.isArray(bot) && bot.length > 0
}

const teamsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []

function surfaceOf(body: SlackBody, view: SlackBody): Surface {
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
const threadOf = (message: SlackBody): string | undefined => some(message.thread_ts)

/** What has become of a channel, as far as that matters. Other people join channels all the time. */
function ofChannelIn(
  body: SlackBody,
  { type, user }: SlackBody,
): 'channel-open' | 'channel-shared' | undefined {
  if (type === 'channel_shared') return 'channel-shared'
  if (type === 'channel_unarchive' || type === 'group_unarchive') return 'channel-open'
  const isOwn = text(user) === text(first(body.authorizations).user_id)
  return type === 'member_joined_channel' && isOwn ? 'channel-open' : undefined
}
