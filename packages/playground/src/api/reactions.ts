import { changePin, changeReaction } from '../changes/reactions.ts'
import { messageFields } from '../payloads/message.ts'
import type { Fields } from '../protocol/json.ts'
import type { Caller } from '../state/installs.ts'
import { TOMBSTONE } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { Slack } from '../state/world.ts'
import { findReadableChannel } from './conversations.ts'
import { ApiError, type Args, type Method, optional, paginate, required } from './method.ts'

/**
 * Finds the message to react to or pin (https://docs.slack.dev/reference/methods/reactions.add, pins.add and others, November
 * 2026).
 */
function findTarget(slack: Slack, args: Args, caller: Caller): { message: StoredMessage; user: string } {
  if (optional(args, 'timestamp') === undefined) throw new ApiError('no_item_specified')
  const ts = required(args, 'timestamp')
  if (!/^\d+\.\d{6}$/.test(ts)) throw new ApiError('bad_timestamp')
  const channel = findReadableChannel(slack, args, caller)
  const message = slack.messages.find(channel.id, ts)
  if (!message || message.ephemeral || message.subtype === TOMBSTONE) throw new ApiError('message_not_found')
  return { message, user: caller.bot(channel.teamId).userId }
}

const react =
  (remove: boolean): Method =>
  (slack, args, caller) => {
    const name = required(args, 'name')
    const { message, user } = findTarget(slack, args, caller)
    const result = changeReaction(slack, message, { user, name, remove })
    if (typeof result === 'string') throw new ApiError(result)
    return {}
  }

const messageItem = (slack: Slack, message: StoredMessage): Fields => ({
  type: 'message',
  channel: message.channel,
  message: messageFields(slack, message),
})

const get: Method = (slack, args, caller) => messageItem(slack, findTarget(slack, args, caller).message)

/** Lists the messages that a person, by default the app's bot, has reacted to, newest first. */
const list: Method = (slack, args, caller) => {
  const user = optional(args, 'user') ?? caller.bot(caller.teamId).userId
  const channels = slack.people.channels().filter(({ teamId }) => caller.canReach(teamId))
  const reacted = channels
    .flatMap(({ id }) => slack.messages.list(id))
    .filter(({ reactions }) => reactions?.some(({ users }) => users.includes(user)))
  const { page, response_metadata } = paginate(reacted.reverse(), args, { getKey: ({ ts }) => ts })
  return { items: page.map((message) => messageItem(slack, message)), response_metadata }
}

const pin =
  (remove: boolean): Method =>
  (slack, args, caller) => {
    const { message, user } = findTarget(slack, args, caller)
    if (changePin(slack, message, { user, remove }) === false)
      throw new ApiError(remove ? 'no_pin' : 'already_pinned')
    return {}
  }

const listPins: Method = (slack, args, caller) => {
  const channel = findReadableChannel(slack, args, caller)
  const pinned = slack.messages.list(channel.id).filter((message) => message.pinned)
  return {
    items: pinned.reverse().map(
      (message): Fields => ({
        ...messageItem(slack, message),
        created: Math.floor(Number(message.ts)),
        created_by: message.user,
      }),
    ),
  }
}

export const reactionMethods: Record<string, Method> = {
  'reactions.add': react(false),
  'reactions.remove': react(true),
  'reactions.get': get,
  'reactions.list': list,
  'pins.add': pin(false),
  'pins.remove': pin(true),
  'pins.list': listPins,
}
