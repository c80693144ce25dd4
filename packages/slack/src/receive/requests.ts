import { aroundMention } from './around-mention.ts'
import type { SlackBody } from './body.ts'
import { readViewState, type ViewState } from './view-state.ts'
import {
  fields,
  first,
  NO_SURFACE,
  present,
  type RequestOrigin,
  readRequestIds,
  type Surface,
  some,
  text,
  type Whereabouts,
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

/** A mention of the app in a channel or thread (slash commands don't work in threads), or any DM to the app. */
export interface MentionRequest {
  kind: 'mention'
  /** The words after the mention, or those before it if there are none after. */
  text: string
  /** The whole message. */
  whole: string
  /** True if the message has a file. */
  hasFile: boolean
}

/** A command line that someone asked Slackbot to run. */
export interface ToolRequest {
  kind: 'tool'
  command: string
  text: string
  /** True if the line is from a button that the app itself showed to this person. */
  isOffered: boolean
}

/** Someone has opened a work object. The pane is only for this person. */
export interface EntityRequest {
  kind: 'entity'
  /** The app's own ID of the work object. */
  ref: string
  /** Identifies the pane to fill for this person. */
  triggerId: string
}

/** A workflow step for the app. The user ID of its origin is '' if Slack doesn't name a person. */
export interface StepRequest {
  kind: 'step'
  callbackId: string
  /** The inputs from the workflow's author. */
  inputs: Readonly<Record<string, unknown>>
}

/** A person is typing into a menu whose options the app provides. */
export interface OptionsRequest {
  kind: 'options'
  actionId: string
  /** The field of the form with the menu. */
  field: string
  /** The text that they've typed so far. */
  typed: string
  view: ViewState | undefined
}

/** A message shortcut. */
export interface ShortcutRequest {
  kind: 'shortcut'
  callbackId: string
  /** The message as Slack sent it: text, blocks, attachments, and files. All of it is outside text. */
  message: Readonly<Record<string, unknown>>
}

/**
 * The app was uninstalled, its token was revoked, or an organization has removed it from some workspaces. The request is from
 * Slack itself, so its origin has no person.
 */
interface UninstallRequest {
  kind: 'uninstalled'
  event: 'app_uninstalled' | 'tokens_revoked' | 'team_access_revoked'
  /** The workspaces that it was removed from, if it stays in the organization. */
  leaves: readonly string[]
}

export type Request = (
  | { kind: 'command'; command: string; text: string }
  | ActionRequest
  | SubmissionRequest
  | { kind: 'home' }
  | MentionRequest
  | OptionsRequest
  | ShortcutRequest
  | ToolRequest
  | EntityRequest
  | StepRequest
  | UninstallRequest
  /** This person's name, role, or account status has changed. */
  | { kind: 'person-changed' }
  /** A channel may accept messages again: it was unarchived, or the app was invited. */
  | { kind: 'channel-open' }
  /** A channel is now shared with another organization, or will be. */
  | { kind: 'channel-shared' }
) & { origin: MessagePlace }

/** The app assigns the reference, and determines the workspace if Slack names none. */
type MessagePlace = Whereabouts & Pick<RequestOrigin, 'channelId' | 'surface' | 'door'>

/** Reads one kind of payload. `undefined` if the app doesn't handle it, or if Slack names no person. */
type Reader = (body: object) => Request | undefined

export const fromCommand: Reader = (given) => {
  const body = fields(given)
  const surface: Surface = {
    kind: 'command',
    responseUrl: text(body.response_url),
    triggerId: text(body.trigger_id),
  }
  return ifFromPerson({
    kind: 'command',
    command: text(body.command).replace(/^\//, ''),
    text: text(body.text),
    origin: present({ ...readRequestIds(body), channelId: some(body.channel_id), surface }),
  })
}

export const fromAction: Reader = (given) => {
  const body = fields(given)
  const action = first(body.actions)
  const value = text(action.value) || text(fields(action.selected_option).value)
  const view = readViewState(body.view)
  return ifFromPerson({
    kind: 'action',
    actionId: text(action.action_id),
    value,
    view,
    origin: pressedAt(body),
  })
}

export const fromSubmission: Reader = (given) => {
  const body = fields(given)
  const view = readViewState(body.view)
  return view && ifFromPerson({ kind: 'submission', view, origin: pressedAt(body) })
}

export const fromShortcut: Reader = (given) => {
  const body = fields(given)
  const message = fields(body.message)
  return ifFromPerson({
    kind: 'shortcut',
    callbackId: text(body.callback_id),
    message,
    origin: pressedAt(body),
  })
}

export const fromOptions: Reader = (given) => {
  const body = fields(given)
  const view = readViewState(body.view)
  const blockId = text(body.block_id)
  return ifFromPerson({
    kind: 'options',
    actionId: text(body.action_id),
    field: view?.mark && blockId.endsWith(view.mark) ? blockId.slice(0, -view.mark.length) : blockId,
    typed: text(body.value),
    view,
    origin: pressedAt(body),
  })
}

export const fromHomeOpened: Reader = (given) => {
  const { event, origin } = readEvent(given)
  if (event.tab !== 'home') return undefined
  return ifFromPerson({ kind: 'home', origin: { ...origin, surface: { kind: 'home' } } })
}

/** A mention of the app in a channel or thread. */
export const fromMention: Reader = (given) => {
  const { body, event, origin } = readEvent(given)
  const surface = present({ kind: 'mention' as const, threadTs: readThread(event) })
  return written(body, event, { ...origin, surface })
}

/** A DM to the app. The answer is an ordinary message in the conversation, not in a thread. */
export const fromDirectMessage: Reader = (given) => {
  const { body, event, origin } = readEvent(given)
  if (!isDirectMessage(event)) return undefined
  return written(body, event, { ...origin, surface: { kind: 'mention' } })
}

function written(body: SlackBody, event: SlackBody, origin: MessagePlace): Request | undefined {
  // Messages of other apps are ignored, or two apps could answer each other forever.
  if (event.bot_id) return undefined
  const whole = text(event.text)
  return ifFromPerson({
    kind: 'mention',
    text: aroundMention(whole, some(first(body.authorizations).user_id), isDirectMessage(event)),
    whole,
    hasFile: Array.isArray(event.files) && event.files.length > 0,
    origin: present({ ...origin, channelId: some(event.channel) }),
  })
}

/** Someone has opened a work object. */
export const fromEntityDetails: Reader = (given) => {
  const { event, origin } = readEvent(given)
  return ifFromPerson({
    kind: 'entity',
    ref: text(fields(event.external_ref).id),
    triggerId: text(event.trigger_id),
    origin: present({ ...origin, channelId: some(event.channel), door: WORK_OBJECT }),
  })
}

export const fromUserChange: Reader = (given) =>
  ifFromPerson({ kind: 'person-changed', origin: readEvent(given).origin })

/** The channel was unarchived, or the app was invited. Other people joining a channel doesn't matter. */
export const fromChannelOpen: Reader = (given) => {
  const { body, event, origin } = readEvent(given)
  const isJoin = event.type === 'member_joined_channel'
  if (isJoin && text(event.user) !== text(first(body.authorizations).user_id)) return undefined
  // Slack may not say who unarchived it.
  return { kind: 'channel-open', origin: present({ ...origin, channelId: some(event.channel) }) }
}

/** Slack may not say who shared it. */
export const fromChannelShared: Reader = (given) => {
  const { event, origin } = readEvent(given)
  return { kind: 'channel-shared', origin: present({ ...origin, channelId: some(event.channel) }) }
}

/** The event is from Slack itself, so there is no person. */
export const fromUninstall: Reader = (given) => {
  const { event, origin } = readEvent(given)
  if (!isUninstall(event)) return undefined
  return { kind: 'uninstalled', event: event.type, leaves: teamsIn(event.team_ids), origin }
}

/** Ignores a payload if Slack doesn't name the person. */
const ifFromPerson = (request: Request): Request | undefined => (request.origin.userId ? request : undefined)

/** Reads the message, modal, or tab that a payload is from. */
function pressedAt(body: SlackBody): MessagePlace {
  return present({
    ...readRequestIds(body),
    channelId: some(fields(body.channel).id) ?? some(fields(body.container).channel_id),
    surface: readSurface(body, fields(body.view)),
    door: fields(body.container).type === 'entity_detail' ? WORK_OBJECT : undefined,
  })
}

function readEvent(given: object): { body: SlackBody; event: SlackBody; origin: MessagePlace } {
  const body = fields(given)
  return { body, event: fields(body.event), origin: { ...readRequestIds(body), surface: NO_SURFACE } }
}

/**
 * The pane beside the conversation, and clicks in it (https://docs.slack.dev/messaging/work-objects-implementation, November
 * 2026).
 */
const WORK_OBJECT = 'a work object'

const USER_CONTEXT = 'slack#/types/user_context'
const USER_ID = /^[UW][A-Z0-9]{2,30}$/

/**
 * The event itself doesn't name the person. They are in an input of a type that only Slack can fill in, together with a secret
 * (https://docs.slack.dev/reference/types/user_context-type, November 2026). An ID anywhere else can't be trusted.
 */
export const fromStep: Reader = (given) => {
  const { event, origin } = readEvent(given)
  const executionId = text(event.function_execution_id)
  if (executionId === '') return undefined
  const about = fields(event.function)
  const declared = Array.isArray(about.input_parameters) ? about.input_parameters.map(fields) : []
  const proven = new Set(declared.flatMap(({ type, name }) => (type === USER_CONTEXT ? [text(name)] : [])))
  const inputs = Object.entries(fields(event.inputs))
  const [person = {}] = inputs.flatMap(([name, value]) => (proven.has(name) ? [fields(value)] : []))
  return {
    kind: 'step',
    callbackId: text(about.callback_id),
    // The secret is only for Slack.
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
 * Messages that people write: text, a file, a thread reply also sent to the channel, `/me …`. Other subtypes describe changes of
 * messages (https://docs.slack.dev/reference/events/message, November 2026).
 */
const WRITTEN: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message']

/** A DM to the app. */
const isDirectMessage = (event: SlackBody): boolean =>
  event.type === 'message' &&
  event.channel_type === 'im' &&
  WRITTEN.includes(event.subtype) &&
  event.user !== 'USLACKBOT'

/** `tokens_revoked` may name user tokens, which the app doesn't have. */
function isUninstall(event: SlackBody): event is SlackBody & { type: UninstallRequest['event'] } {
  if (event.type === 'app_uninstalled' || event.type === 'team_access_revoked') return true
  const { bot } = fields(event.tokens)
  return event.type === 'tokens_revoked' && Array.isArray(bot) && bot.length > 0
}

const teamsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []

function readSurface(body: SlackBody, view: SlackBody): Surface {
  const triggerId = some(body.trigger_id)
  if (view.type === 'modal') return present({ kind: 'window' as const, modalId: text(view.id), triggerId })
  if (view.type === 'home') return present({ kind: 'home' as const, triggerId })
  const container = fields(body.container)
  return present({
    kind: 'message' as const,
    responseUrl: some(body.response_url),
    triggerId,
    threadTs: readThread(fields(body.message)) ?? readThread(container),
    isEphemeral: container.is_ephemeral === true,
  })
}

/**
 * The thread of a message, if it already has replies. Before that, Slack doesn't show ephemeral messages in a thread
 * (https://docs.slack.dev/reference/methods/chat.postEphemeral, November 2026), so they go to the channel.
 */
const readThread = (message: SlackBody): string | undefined => some(message.thread_ts)
