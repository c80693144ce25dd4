import { messageFields } from '../payloads/message.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { isFields, parseEmbeddedJson } from '../protocol/json.ts'
import { activeTeamId } from '../protocol/people.ts'
import type { Block, Channel } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { type Draft, findThread } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { checkMessage } from '../validation/message.ts'
import { ApiError, type Args, optional, type RunMethod, required } from './method.ts'

/** chat.update accepts less text than chat.postMessage (https://docs.slack.dev/reference/methods/chat.update, November 2026). */
const UPDATE_TEXT_LIMIT = 4000
const METADATA_LIMIT_BYTES = 16 * 1024

function readContent(args: Args, textLimit?: number): { text: string; blocks: Block[] } {
  const parsed = { ...args, blocks: parseEmbeddedJson(args.blocks) ?? [] }
  const checked = checkMessage(parsed, textLimit)
  if ('error' in checked) throw new ApiError(checked.error, checked.notes)
  return checked
}

/** Message metadata: https://docs.slack.dev/messaging/message-metadata (November 2026). */
function readMetadata(metadata: Json | undefined): Fields | null {
  if (metadata === undefined) return null
  if (
    !isFields(metadata) ||
    typeof metadata.event_type !== 'string' ||
    metadata.event_type === '' ||
    !isFields(metadata.event_payload)
  )
    throw new ApiError('invalid_metadata_format', [
      'must be an object with `event_type` and `event_payload` [json-pointer:/metadata]',
    ])
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_LIMIT_BYTES)
    throw new ApiError('metadata_too_large')
  const { event_type, event_payload } = metadata
  return { event_type, event_payload }
}

/** Finds a channel that the app can post in. */
export function findWritableChannel(
  { people }: World,
  args: Args,
  { canReach, bot, scopes }: Caller,
): Channel {
  const channel = people.channel(required(args, 'channel'))
  if (!channel || !canReach(channel.teamId)) throw new ApiError('channel_not_found')
  const isMember = channel.members.includes(bot(channel.teamId).userId)
  if (!isMember && channel.kind === 'dm') throw new ApiError('channel_not_found')
  if (!isMember && !scopes.includes('chat:write.public')) throw new ApiError('not_in_channel')
  return channel
}

export function readThreadTs({ messages }: World, channel: Channel, args: Args): string | null {
  const ts = optional(args, 'thread_ts')
  if (ts === undefined) return null
  const thread = findThread(messages, channel.id, ts)
  if ('error' in thread) throw new ApiError(thread.error)
  return thread.threadTs
}

/** Finds where to post: a channel, or the direct message with a person. */
function findDestination(world: World, args: Args, caller: Caller): Channel {
  const person = world.people.find(required(args, 'channel'))
  if (!person || person.role === 'foreign' || !caller.canReach(activeTeamId(person)))
    return findWritableChannel(world, args, caller)
  return world.people.openDirectMessage([person.id, caller.bot(person.teamId).userId])
}

/** Posts a message as the app's bot. */
export const postAsBot = (
  { messages }: World,
  { bot }: Caller,
  { id, teamId }: Channel,
  draft: Omit<Draft, 'channel' | 'user' | 'app'>,
): StoredMessage => messages.post({ ...draft, channel: id, user: bot(teamId).userId, app: true })

const postMessage: RunMethod = ({ world, args, caller }) => {
  const channel = findDestination(world, args, caller)
  const content = readContent(args)
  const metadata = readMetadata(parseEmbeddedJson(args.metadata))
  const threadTs = readThreadTs(world, channel, args)
  const message = postAsBot(world, caller, channel, { ...content, metadata, threadTs })
  return { channel: channel.id, ts: message.ts, message: messageFields(world, message) }
}

const postEphemeral: RunMethod = ({ world, args, caller }) => {
  const channel = findDestination(world, args, caller)
  const user = required(args, 'user')
  if (!world.people.find(user)) throw new ApiError('user_not_found')
  if (!channel.members.includes(user)) throw new ApiError('user_not_in_channel')
  const content = readContent(args)
  const threadTs = readThreadTs(world, channel, args)
  const draft = { ...content, threadTs, readerId: user }
  return { message_ts: postAsBot(world, caller, channel, draft).ts }
}

/** Finds a message that the app posted. As in Slack, throws `message_not_found` for ephemeral messages. */
function findAppMessage({ messages }: World, channel: Channel, ts: string): StoredMessage {
  const message = messages.find(channel.id, ts)
  if (!message || message.ephemeral) throw new ApiError('message_not_found')
  if (!message.app) throw new ApiError('cant_update_message')
  return message
}

const update: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const message = findAppMessage(world, channel, required(args, 'ts'))
  const change = readContent(args, UPDATE_TEXT_LIMIT)
  world.messages.change(message, { ...change, edited: true, warning: null, cause: null })
  // In recorded responses from Slack, the message has no `ts` and no thread fields.
  const { ts, thread_ts, ...fields } = messageFields(world, message)
  return { channel: message.channel, ts: message.ts, text: message.text, message: fields }
}

const remove: RunMethod = ({ world, args, caller }) => {
  const channel = findWritableChannel(world, args, caller)
  const message = world.messages.find(channel.id, required(args, 'ts'))
  if (!message || message.ephemeral) throw new ApiError('message_not_found')
  if (!message.app) throw new ApiError('cant_delete_message')
  world.messages.remove(message)
  return { channel: message.channel, ts: message.ts }
}

const getPermalink: RunMethod = ({ world: { url, ...world }, args, caller }) => {
  const channel = findWritableChannel({ ...world, url }, args, caller)
  const message = world.messages.find(channel.id, required(args, 'message_ts'))
  if (!message || message.ephemeral) throw new ApiError('message_not_found')
  const permalink = `${url()}/archives/${channel.id}/p${message.ts.replace('.', '')}`
  return { channel: channel.id, permalink }
}

export const chatMethods: Record<string, RunMethod> = {
  'chat.delete': remove,
  'chat.getPermalink': getPermalink,
  'chat.postMessage': postMessage,
  'chat.postEphemeral': postEphemeral,
  'chat.update': update,
}
