import { messageFields, messagePermalink } from '../payloads/message.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { isFields, isTrue, objectsIn, parseEmbeddedJson } from '../protocol/json.ts'
import { conversationType } from '../protocol/people.ts'
import type { Block, Channel } from '../protocol/protocol.ts'
import { linkText } from '../rules/values/link-text.ts'
import { createAppAccess } from '../state/app-access.ts'
import type { Caller } from '../state/installs.ts'
import { BROADCAST, type Draft, findThread, type MessageChange, TOMBSTONE } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { checkMessage } from '../validation/message.ts'
import { keys, values } from './arguments.ts'
import { findVisibleChannel } from './conversations.ts'
import { findEntityErrors } from './entity.ts'
import {
  ApiError,
  type Args,
  type DeclaredArgs,
  type Method,
  optional,
  type RunMethod,
  required,
} from './method.ts'

/** chat.update accepts less text than chat.postMessage (https://docs.slack.dev/reference/methods/chat.update, November 2026). */
const UPDATE_TEXT_LIMIT = 4000
const MARKDOWN_LIMIT = 12_000
const METADATA_LIMIT_BYTES = 16 * 1024

/** The arguments for the content of a message. */
const CONTENT: DeclaredArgs = {
  ...values('text blocks attachments markdown_text parse link_names'),
  metadata: keys('event_type event_payload entities'),
}
/** The arguments for the content of a new message. */
export const MESSAGE: DeclaredArgs = { ...CONTENT, mrkdwn: 'value' }
/** The arguments for the name and icon of a message's author. */
export const AUTHOR = values('username icon_emoji icon_url')

type MessageContent = {
  text: string
  blocks: Block[]
  attachments: Fields[]
  metadata: Fields | null
  mrkdwn: boolean
  markdown: boolean
}

export function readContent(
  world: World,
  args: Args,
  caller: Caller,
  { textLimit, linksPeople = false }: { textLimit?: number; linksPeople?: boolean } = {},
): MessageContent {
  const markdown = args.markdown_text
  if (markdown !== undefined && (args.text !== undefined || args.blocks !== undefined))
    throw new ApiError('markdown_text_conflict', ['Pass `markdown_text` without `text` and `blocks`.'])
  if (typeof markdown === 'string' && [...markdown].length > MARKDOWN_LIMIT)
    throw new ApiError('msg_too_long')
  const parsed = {
    ...args,
    blocks: parseEmbeddedJson(args.blocks) ?? [],
    attachments: parseEmbeddedJson(args.attachments) ?? [],
  }
  const options = {
    levels: world.levels,
    access: createAppAccess(world, caller),
    ...(textLimit !== undefined && { textLimit }),
  }
  // Standard Markdown doesn't contain Slack's `<…>` markup, so it doesn't need escaping.
  const checked = checkMessage(
    markdown === undefined ? parsed : { ...parsed, text: markdown, mrkdwn: false },
    options,
  )
  if ('error' in checked) throw new ApiError(checked.error, checked.notes)
  return {
    ...checked,
    text: markdown === undefined ? linkAppText(world, args, checked.text, linksPeople) : checked.text,
    metadata: readMetadata(world, parseEmbeddedJson(args.metadata)),
    mrkdwn: isTrue(args.mrkdwn ?? true),
    markdown: markdown !== undefined,
  }
}

/** `link_names` links people only in chat.update and chat.postEphemeral, according to the methods' pages. */
function linkAppText(
  { people, groups }: Pick<World, 'people' | 'groups'>,
  args: Args,
  text: string,
  linksPeople: boolean,
): string {
  const parse = optional(args, 'parse')
  return linkText(
    text,
    { parse, linkNames: isTrue(args.link_names) },
    {
      people: linksPeople || parse === 'full' ? people.all() : [],
      channels: people.channels().filter(({ kind }) => kind === 'channel'),
      groups,
    },
  )
}

/** Apps pass an empty object to chat.update to remove the metadata. */
const isEmpty = (metadata: Json): boolean => isFields(metadata) && Object.keys(metadata).length === 0

/** Message metadata: https://docs.slack.dev/messaging/message-metadata (November 2026). */
function readMetadata({ manifest }: Pick<World, 'manifest'>, metadata: Json | undefined): Fields | null {
  if (metadata === undefined || metadata === null || isEmpty(metadata)) return null
  const entities = isFields(metadata) ? objectsIn(metadata.entities) : []
  const errors = entities.flatMap((entity) => findEntityErrors(manifest, entity))
  if (errors.length > 0) throw new ApiError('invalid_metadata_format', errors)
  const isEvent =
    isFields(metadata) &&
    typeof metadata.event_type === 'string' &&
    metadata.event_type !== '' &&
    isFields(metadata.event_payload)
  // Slack doesn't document whether it accepts work objects without `event_type` and `event_payload`. The playground does.
  if (!isFields(metadata) || (!isEvent && entities.length === 0))
    throw new ApiError('invalid_metadata_format', [
      'must be an object with `event_type` and `event_payload` [json-pointer:/metadata]',
    ])
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_LIMIT_BYTES)
    throw new ApiError('metadata_too_large')
  const { event_type, event_payload } = metadata
  return { ...(isEvent && { event_type, event_payload }), ...(entities.length > 0 && { entities }) }
}

/** Finds a channel that the app can post in. */
export function findWritableChannel(
  { people }: World,
  args: Args,
  { canReach, bot, scopes }: Caller,
  archivedError = 'is_archived',
): Channel {
  const channel = people.channel(required(args, 'channel'))
  if (!channel || !canReach(channel.teamId)) throw new ApiError('channel_not_found')
  const isMember = channel.members.includes(bot(channel.teamId).userId)
  if (!isMember && conversationType(channel) !== 'channel') throw new ApiError('channel_not_found')
  if (!isMember && !scopes.includes('chat:write.public')) throw new ApiError('not_in_channel')
  if (channel.archived) throw new ApiError(archivedError)
  return channel
}

export function readThreadTs({ messages }: World, channel: Channel, args: Args): string | null {
  const ts = optional(args, 'thread_ts')
  if (ts === undefined) return null
  const thread = findThread(messages, channel.id, ts)
  if ('error' in thread) throw new ApiError(thread.error)
  return thread.threadTs
}

/** A reply is also shown in the channel if the app asks for it. */
export const readBroadcast = (args: Args, threadTs: string | null): { subtype?: string } =>
  threadTs !== null && isTrue(args.reply_broadcast) ? { subtype: BROADCAST } : {}

/** Posts a message as the app's bot. */
export const postAsBot = (
  { messages }: World,
  { bot }: Caller,
  { id, teamId }: Channel,
  draft: Omit<Draft, 'channel' | 'user' | 'app'>,
): StoredMessage => messages.post({ ...draft, channel: id, user: bot(teamId).userId, app: true })

/**
 * Reads the custom name and icon for the message, if the app has the scope for them
 * (https://docs.slack.dev/reference/scopes/chat.write.customize, November 2026).
 */
export function readCustomAuthor(
  args: Args,
  { scopes }: Caller,
): { customAuthor?: NonNullable<StoredMessage['customAuthor']> } {
  const name = optional(args, 'username')
  const emoji = optional(args, 'icon_emoji')
  // An emoji takes precedence over an image.
  const picture = emoji === undefined ? optional(args, 'icon_url') : undefined
  const customAuthor = { ...(name && { name }), ...(emoji && { emoji }), ...(picture && { picture }) }
  return scopes.includes('chat:write.customize') && Object.keys(customAuthor).length > 0
    ? { customAuthor }
    : {}
}

const postMessage: RunMethod = ({ world, args, caller, countPost }) => {
  const channel = findWritableChannel(world, args, caller)
  const content = readContent(world, args, caller)
  const threadTs = readThreadTs(world, channel, args)
  const waitSeconds = countPost(channel.id)
  if (waitSeconds > 0)
    throw new ApiError(
      'ratelimited',
      [`Wait ${waitSeconds} s before posting to ${channel.name}.`],
      waitSeconds,
    )
  const draft = {
    ...content,
    ...readCustomAuthor(args, caller),
    run: caller.run,
    threadTs,
    ...readBroadcast(args, threadTs),
  }
  const message = postAsBot(world, caller, channel, draft)
  return { channel: channel.id, ts: message.ts, message: messageFields(world, message) }
}

/** https://docs.slack.dev/reference/methods/chat.meMessage (November 2026). */
const meMessage: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const { text, mrkdwn } = readContent(world, { text: args.text ?? '' }, caller)
  const { ts } = postAsBot(world, caller, channel, { text, mrkdwn, subtype: 'me_message' })
  return { channel: channel.id, ts }
}

const postEphemeral: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const user = required(args, 'user')
  if (!world.people.find(user)) throw new ApiError('user_not_found')
  if (!channel.members.includes(user)) throw new ApiError('user_not_in_channel')
  const content = readContent(world, args, caller, { linksPeople: true })
  const threadTs = readThreadTs(world, channel, args)
  const author = readCustomAuthor(args, caller)
  const draft = { ...content, ...author, run: caller.run, threadTs, readerId: user }
  return { message_ts: postAsBot(world, caller, channel, draft).ts }
}

/** Finds a message that the app posted. As in Slack, throws `message_not_found` for ephemeral messages. */
export function findAppMessage(
  { messages }: World,
  channel: Channel,
  ts: string,
  errorIfNotOwn: string,
): StoredMessage {
  const message = messages.find(channel.id, ts)
  if (!message || message.ephemeral || message.subtype === TOMBSTONE) throw new ApiError('message_not_found')
  if (!message.app) throw new ApiError(errorIfNotOwn)
  return message
}

/**
 * Reads what chat.update changes. A call without attachments keeps those of the message, and a call with only attachments keeps the text
 * and blocks. Without `metadata`, the message keeps its metadata. (https://docs.slack.dev/reference/methods/chat.update, November 2026)
 */
function readUpdate(world: World, message: StoredMessage, args: Args, caller: Caller): MessageChange {
  const hasAttachments = args.attachments !== undefined
  const keepsText =
    hasAttachments && ['text', 'blocks', 'markdown_text'].every((name) => args[name] === undefined)
  const content = keepsText
    ? readContent(world, { ...args, text: message.text, blocks: message.blocks, mrkdwn: false }, caller)
    : readContent(world, args, caller, { textLimit: UPDATE_TEXT_LIMIT, linksPeople: true })
  const { text, markdown, blocks, attachments, metadata } = content
  return {
    ...(!keepsText && { text, markdown, blocks }),
    ...(hasAttachments && { attachments }),
    ...(args.metadata !== undefined && { metadata }),
  }
}

const update: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller, 'is_inactive')
  const message = findAppMessage(world, channel, required(args, 'ts'), 'cant_update_message')
  if (message.streaming) throw new ApiError('streaming_state_conflict')
  if (broadcastReply(world, message, args)) return updateResult(world, message)
  const change = readUpdate(world, message, args, caller)
  world.messages.change(message, { ...change, edited: true, warning: null, cause: null })
  return updateResult(world, message)
}

/**
 * Shows an existing reply in the channel too, if the call asks for it. Returns whether it did. A reply can't be broadcast and changed at
 * once. (The errors of https://docs.slack.dev/reference/methods/chat.update, November 2026)
 */
function broadcastReply({ messages }: World, message: StoredMessage, args: Args): boolean {
  if (!isTrue(args.reply_broadcast) || message.subtype === BROADCAST) return false
  if (message.threadTs === null || message.threadTs === message.ts)
    throw new ApiError('cant_broadcast_message')
  const changesContent = ['text', 'blocks', 'attachments', 'markdown_text'].some(
    (name) => args[name] !== undefined,
  )
  if (changesContent) throw new ApiError('no_dual_broadcast_content_update')
  messages.change(message, { subtype: BROADCAST, edited: true })
  return true
}

const updateResult = (world: World, message: StoredMessage): Fields => ({
  channel: message.channel,
  ts: message.ts,
  text: message.text,
  message: updatedFields(world, message),
})

/** The message in the response of chat.update. In recorded responses from Slack, it has no `ts` and no thread fields. */
function updatedFields(world: World, message: StoredMessage): Fields {
  const omitted = new Set([
    'ts',
    'thread_ts',
    'parent_user_id',
    'reply_count',
    'reply_users_count',
    'latest_reply',
    'reply_users',
  ])
  return Object.fromEntries(
    Object.entries(messageFields(world, message)).filter(([name]) => !omitted.has(name)),
  )
}

const remove: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const message = findAppMessage(world, channel, required(args, 'ts'), 'cant_delete_message')
  world.messages.remove(message)
  return { channel: channel.id, ts: message.ts }
}

/** Works for every channel that the app can see, including archived ones. */
const getPermalink: RunMethod = ({ world, args, caller }) => {
  const channel = findVisibleChannel(world, args, caller)
  const ts = required(args, 'message_ts')
  const message = world.messages.find(channel.id, ts)
  if (!message) throw new ApiError('message_not_found')
  return { channel: channel.id, permalink: messagePermalink(world, message) }
}

export const chatMethods: Record<string, Method> = {
  'chat.postMessage': {
    args: {
      channel: 'destination',
      ...values('thread_ts reply_broadcast'),
      ...AUTHOR,
      ...MESSAGE,
    },
    run: postMessage,
  },
  'chat.meMessage': { args: { channel: 'destination', ...values('text') }, run: meMessage },
  'chat.postEphemeral': {
    args: { channel: 'destination', ...values('user thread_ts'), ...AUTHOR, ...MESSAGE },
    run: postEphemeral,
  },
  'chat.update': { args: { channel: 'id', ...values('ts reply_broadcast'), ...CONTENT }, run: update },
  'chat.delete': { args: { channel: 'id', ...values('ts') }, run: remove },
  'chat.getPermalink': { args: { channel: 'id', ...values('message_ts') }, run: getPermalink },
}
