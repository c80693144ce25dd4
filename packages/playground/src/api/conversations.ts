import { slackChannel } from '../payloads/channel.ts'
import { messageFields } from '../payloads/message.ts'
import type { Fields } from '../protocol/json.ts'
import { isTrue } from '../protocol/json.ts'
import type { Channel } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { canHaveReplies } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { ApiError, type Args, optional, paginate, type RunMethod, required } from './method.ts'

/** Whether the bot can see a channel: it can see any public channel, and the conversations that it is in. */
export const isVisibleChannel = (channel: Channel, { canReach, bot }: Caller): boolean =>
  canReach(channel.teamId) &&
  (channel.kind === 'channel' || channel.members.includes(bot(channel.teamId).userId))

function findVisibleChannel({ people }: World, args: Args, caller: Caller): Channel {
  const channel = people.channel(required(args, 'channel'))
  if (!channel || !isVisibleChannel(channel, caller)) throw new ApiError('channel_not_found')
  return channel
}

const info: RunMethod = ({ world, args, caller }) => {
  const channel = findVisibleChannel(world, args, caller)
  const is_member = channel.members.includes(caller.bot(channel.teamId).userId)
  return { channel: { ...slackChannel(channel), ...(channel.kind !== 'dm' && { is_member }) } }
}

const members: RunMethod = ({ world, args, caller }) => {
  const { page, response_metadata } = paginate(findVisibleChannel(world, args, caller).members, args)
  return { members: page, response_metadata }
}

const TS = /^\d+(?:\.\d{1,6})?$/

/** The `oldest` or `latest` argument of `conversations.history` and `replies`. */
function readTimestamp(args: Args, name: 'oldest' | 'latest'): number | undefined {
  const value = args[name]
  const text = typeof value === 'number' ? String(value) : optional(args, name)
  if (text === undefined) return undefined
  if (!TS.test(text)) throw new ApiError(`invalid_ts_${name}`)
  return Number(text)
}

/** Returns a filter for messages between `oldest` and `latest`, excluding both. */
function createTimeFilter(args: Args): (message: { ts: string }) => boolean {
  const oldest = readTimestamp(args, 'oldest')
  const latest = readTimestamp(args, 'latest')
  return ({ ts }) =>
    (oldest === undefined || Number(ts) > oldest) && (latest === undefined || Number(ts) < latest)
}

/** Finds a channel whose messages the app can read. */
function findReadableChannel(world: World, args: Args, caller: Caller): Channel {
  const channel = findVisibleChannel(world, args, caller)
  if (!channel.members.includes(caller.bot(channel.teamId).userId)) throw new ApiError('not_in_channel')
  return channel
}

/**
 * A message as in history. Of its metadata, returns only the `event_type`, unless the call sets `include_all_metadata`.
 * (https://docs.slack.dev/reference/methods/conversations.history; python-slack-sdk issue 1501; November 2026)
 */
function toHistoryMessage(world: World, message: StoredMessage, args: Args): Fields {
  const fields = messageFields(world, message)
  if (!message.metadata || isTrue(args.include_all_metadata)) return fields
  const { event_type = '' } = message.metadata
  return { ...fields, metadata: { event_type } }
}

/**
 * Builds a page of messages. With a cursor, the page starts at the first message for which `startsPage` is true, so that the cursor still
 * works after its message was deleted.
 */
function createMessagePage(
  world: World,
  all: readonly StoredMessage[],
  args: Args,
  startsPage: (message: StoredMessage, key: string) => boolean,
  limits: { maxLimit?: number; defaultLimit?: number } = {},
): Fields {
  const { page, response_metadata } = paginate(all, args, { getKey: ({ ts }) => ts, startsPage, ...limits })
  const messages = page.map((message) => toHistoryMessage(world, message, args))
  return { messages, has_more: response_metadata.next_cursor !== '', response_metadata }
}

const history: RunMethod = ({ world, args, caller }) => {
  const channel = findReadableChannel(world, args, caller)
  const messages = world.messages
    .list(channel.id)
    .filter(({ ephemeral }) => !ephemeral)
    .filter(({ threadTs, ts }) => threadTs === null || threadTs === ts)
    .filter(createTimeFilter(args))
  return createMessagePage(world, messages.reverse(), args, ({ ts }, key) => ts <= key)
}

/** A page has up to 1,000 replies by default (https://docs.slack.dev/reference/methods/conversations.replies, November 2026). */
const REPLY_LIMITS = { maxLimit: 1000, defaultLimit: 1000 }

/** Returns a thread's parent and its replies, oldest first. */
const replies: RunMethod = ({ world, args, caller }) => {
  const channel = findReadableChannel(world, args, caller)
  const ts = required(args, 'ts')
  const parent = world.messages.find(channel.id, ts)
  if (!parent || parent.ephemeral || !canHaveReplies(parent)) throw new ApiError('thread_not_found')
  const root = parent.threadTs ?? ts
  const thread = world.messages
    .list(channel.id)
    .filter((message) => !message.ephemeral && (message.ts === root || message.threadTs === root))
  const isInRange = createTimeFilter(args)
  const listed = thread.filter((message) => message.ts === root || isInRange(message))
  return createMessagePage(world, listed, args, (message, key) => message.ts >= key, REPLY_LIMITS)
}

export const conversationMethods: Record<string, RunMethod> = {
  'conversations.info': info,
  'conversations.members': members,
  'conversations.history': history,
  'conversations.replies': replies,
}
