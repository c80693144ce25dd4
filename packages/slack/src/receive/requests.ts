import { readTextAroundMention } from './around-mention.ts'
import type { SlackBody } from './body.ts'
import {
  firstObject,
  NO_SURFACE,
  type RequestIds,
  type RequestOrigin,
  readCommandIds,
  readEventIds,
  readInteractionIds,
  type Surface,
  toObject,
  toOptionalText,
  toText,
} from './request-origin.ts'
import { readViewState, type ViewState } from './view-state.ts'

export interface ActionRequest {
  kind: 'action'
  actionId: string
  /** A button's value, or the chosen option's. */
  value: string
  view: ViewState | undefined
}

interface SubmissionRequest {
  kind: 'submission'
  view: ViewState
}

/** A mention of the app in a channel or thread (slash commands don't work in threads), or any DM to the app. */
export interface MentionRequest {
  kind: 'mention'
  /** The words after the mention, or those before it if there are none after. */
  text: string
  /** True if the message has a file. */
  hasFile: boolean
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
interface ShortcutRequest {
  kind: 'shortcut'
  callbackId: string
  /** The message as Slack sent it: text, blocks, attachments, and files. All of it is untrusted text. */
  message: Readonly<Record<string, unknown>>
}

export type Request = (
  | { kind: 'command'; command: string; text: string }
  | ActionRequest
  | SubmissionRequest
  | { kind: 'home' }
  | MentionRequest
  | OptionsRequest
  | ShortcutRequest
) & { origin: PartialOrigin }

/** Something happened in Slack. Nobody waits for an answer. */
export type SlackEvent = (
  | UninstallEvent
  /** This person's name, role, or account status has changed. */
  | { kind: 'person-changed' }
  /** A channel is now shared with another organization, or will be. */
  | { kind: 'channel-shared' }
) & { origin: PartialOrigin }

/** The app was uninstalled, or its token was revoked. It's from Slack itself, so its origin has no person. */
interface UninstallEvent {
  kind: 'uninstalled'
  event: 'app_uninstalled' | 'tokens_revoked'
}

/** The app assigns the reference. */
type PartialOrigin = RequestIds & Pick<RequestOrigin, 'channelId' | 'surface'>

/** Reads one kind of payload. `undefined` if the app doesn't handle it, or if Slack names no person. */
type Reader<Read = Request> = (body: object) => Read | undefined

export const fromCommand: Reader = (payload) => {
  const body = toObject(payload)
  const surface: Surface = {
    kind: 'command',
    responseUrl: toText(body.response_url),
    triggerId: toText(body.trigger_id),
  }
  return ifFromPerson({
    kind: 'command',
    command: toText(body.command).replace(/^\//, ''),
    text: toText(body.text),
    origin: { ...readCommandIds(body), channelId: toOptionalText(body.channel_id), surface },
  })
}

export const fromAction: Reader = (payload) => {
  const body = toObject(payload)
  const action = firstObject(body.actions)
  const value = toText(action.value) || toText(toObject(action.selected_option).value)
  const view = readViewState(body.view)
  return ifFromPerson({
    kind: 'action',
    actionId: toText(action.action_id),
    value,
    view,
    origin: readOrigin(body),
  })
}

export const fromSubmission: Reader = (payload) => {
  const body = toObject(payload)
  const view = readViewState(body.view)
  return view && ifFromPerson({ kind: 'submission', view, origin: readOrigin(body) })
}

export const fromShortcut: Reader = (payload) => {
  const body = toObject(payload)
  const message = toObject(body.message)
  return ifFromPerson({
    kind: 'shortcut',
    callbackId: toText(body.callback_id),
    message,
    origin: readOrigin(body),
  })
}

export const fromOptions: Reader = (payload) => {
  const body = toObject(payload)
  const view = readViewState(body.view)
  return ifFromPerson({
    kind: 'options',
    actionId: toText(body.action_id),
    field: toText(body.block_id),
    typed: toText(body.value),
    view,
    origin: readOrigin(body),
  })
}

export const fromHomeOpened: Reader = (payload) => {
  const { event, origin } = readEvent(payload)
  if (event.tab !== 'home') return undefined
  return ifFromPerson({ kind: 'home', origin: { ...origin, surface: { kind: 'home' } } })
}

/** A mention of the app in a channel or thread, or a DM to the app, whose answer is an ordinary message in the conversation. */
export const fromMessage: Reader = (payload) => {
  const body = toObject(payload)
  const event = toObject(body.event)
  // Messages of apps are ignored, or two apps could answer each other forever. Each of this app's own DMs comes back as an event.
  if (event.bot_id) return undefined
  const isMention = event.type === 'app_mention'
  if (!isMention && !isDirectMessage(event)) return undefined
  return ifFromPerson({
    kind: 'mention',
    text: readTextAroundMention(
      toText(event.text),
      toOptionalText(firstObject(body.authorizations).user_id),
      !isMention,
    ),
    hasFile: Array.isArray(event.files) && event.files.length > 0,
    origin: {
      ...readEventIds(body),
      channelId: toOptionalText(event.channel),
      surface: { kind: 'mention', threadTs: isMention ? readThread(event) : undefined },
    },
  })
}

export const fromUserChange: Reader<SlackEvent> = (payload) =>
  ifFromPerson({ kind: 'person-changed', origin: readEvent(payload).origin })

/** Slack may not say who shared it. */
export const fromChannelShared: Reader<SlackEvent> = (payload) => {
  const { event, origin } = readEvent(payload)
  return {
    kind: 'channel-shared',
    origin: { ...origin, channelId: toOptionalText(event.channel) },
  }
}

/** The event is from Slack itself, so there is no person. */
export const fromUninstall: Reader<SlackEvent> = (payload) => {
  const { event, origin } = readEvent(payload)
  if (!isUninstall(event)) return undefined
  return { kind: 'uninstalled', event: event.type, origin }
}

/** Ignores a payload if Slack doesn't name the person. */
const ifFromPerson = <Read extends Pick<Request, 'origin'>>(request: Read): Read | undefined =>
  request.origin.userId ? request : undefined

/** Reads the message, modal, or tab that a payload is from. */
function readOrigin(body: SlackBody): PartialOrigin {
  return {
    ...readInteractionIds(body),
    channelId:
      toOptionalText(toObject(body.channel).id) ?? toOptionalText(toObject(body.container).channel_id),
    surface: readSurface(body, toObject(body.view)),
  }
}

function readEvent(payload: object): { event: SlackBody; origin: PartialOrigin } {
  const body = toObject(payload)
  return { event: toObject(body.event), origin: { ...readEventIds(body), surface: NO_SURFACE } }
}

/**
 * Messages that people write: text, a file, a thread reply also sent to the channel, `/me …`. Other subtypes describe changes of
 * messages (https://docs.slack.dev/reference/events/message, November 2026).
 */
const USER_SUBTYPES: readonly unknown[] = [undefined, 'file_share', 'thread_broadcast', 'me_message']

/** A DM to the app. */
const isDirectMessage = (event: SlackBody): boolean =>
  event.type === 'message' &&
  event.channel_type === 'im' &&
  USER_SUBTYPES.includes(event.subtype) &&
  event.user !== 'USLACKBOT'

/** `tokens_revoked` may name user tokens, which the app doesn't have. */
function isUninstall(event: SlackBody): event is SlackBody & { type: UninstallEvent['event'] } {
  if (event.type === 'app_uninstalled') return true
  const { bot } = toObject(event.tokens)
  return event.type === 'tokens_revoked' && Array.isArray(bot) && bot.length > 0
}

function readSurface(body: SlackBody, view: SlackBody): Surface {
  const triggerId = toOptionalText(body.trigger_id)
  if (view.type === 'modal') return { kind: 'window', modalId: toText(view.id), triggerId }
  if (view.type === 'home') return { kind: 'home', triggerId }
  const container = toObject(body.container)
  return {
    kind: 'message',
    responseUrl: toOptionalText(body.response_url),
    triggerId,
    threadTs: readThread(toObject(body.message)) ?? readThread(container),
    isEphemeral: container.is_ephemeral === true,
  }
}

/**
 * The thread of a reply. A message with replies names itself as its thread, but it's in the channel, and so is whoever used it: an
 * ephemeral answer in its thread would be seen only by those who have the thread open
 * (https://docs.slack.dev/reference/methods/chat.postEphemeral, November 2026).
 */
function readThread({ thread_ts, ts, message_ts }: SlackBody): string | undefined {
  return thread_ts === (ts ?? message_ts) ? undefined : toOptionalText(thread_ts)
}
