import { changePin, changeReaction } from '../changes/reactions.ts'
import { messageItem, pinnedItem } from '../payloads/message.ts'
import type { Caller } from '../state/installs.ts'
import { TOMBSTONE } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { PAGE, values } from './arguments.ts'
import { findReadableChannel } from './conversations.ts'
import { ApiError, type Args, type Method, optional, paginate, type RunMethod, required } from './method.ts'

/**
 * Finds the message to react to or pin (https://docs.slack.dev/reference/methods/reactions.add, pins.add and others, November
 * 2026).
 */
function findTarget(world: World, args: Args, caller: Caller): { message: StoredMessage; user: string } {
  if (optional(args, 'timestamp') === undefined) throw new ApiError('no_item_specified')
  const ts = required(args, 'timestamp')
  if (!/^\d+\.\d{6}$/.test(ts)) throw new ApiError('bad_timestamp')
  const channel = findReadableChannel(world, args, caller)
  const message = world.messages.find(channel.id, ts)
  if (!message || message.ephemeral || message.subtype === TOMBSTONE) throw new ApiError('message_not_found')
  return { message, user: caller.bot(channel.teamId).userId }
}

const react =
  (remove: boolean): RunMethod =>
  ({ world, link, args, caller }) => {
    const name = required(args, 'name')
    const { message, user } = findTarget(world, args, caller)
    const result = changeReaction(world, link, message, { user, name, remove })
    if (typeof result === 'string') throw new ApiError(result)
    return {}
  }

const get: RunMethod = ({ world, args, caller }) =>
  messageItem(world, findTarget(world, args, caller).message)

/** Lists the messages that a person, by default the app's bot, has reacted to, newest first. */
const list: RunMethod = ({ world, args, caller }) => {
  const user = optional(args, 'user') ?? caller.bot(caller.teamId).userId
  if (!world.people.find(user)) throw new ApiError('user_not_found')
  const channels = world.people.channels().filter(({ teamId }) => caller.canReach(teamId))
  const reacted = channels
    .flatMap(({ id }) => world.messages.list(id))
    .filter(({ reactions }) => reactions?.some(({ users }) => users.includes(user)))
  const { page, response_metadata } = paginate(reacted.reverse(), args, { getKey: ({ ts }) => ts })
  return { items: page.map((message) => messageItem(world, message)), response_metadata }
}

const changePinned =
  (remove: boolean): RunMethod =>
  ({ world, link, args, caller }) => {
    const { message, user } = findTarget(world, args, caller)
    if (changePin(world, link, message, { user, remove }) === false)
      throw new ApiError(remove ? 'no_pin' : 'already_pinned')
    return {}
  }

const listPins: RunMethod = ({ world, args, caller }) => {
  const channel = findReadableChannel(world, args, caller)
  const pinned = world.messages
    .list(channel.id)
    .reverse()
    .flatMap((message) => (message.pin ? [{ message, pin: message.pin }] : []))
    .sort((a, b) => b.pin.at - a.pin.at)
  return { items: pinned.map(({ message, pin }) => pinnedItem(world, message, pin)) }
}

export const reactionMethods: Record<string, Method> = {
  'reactions.add': { args: { channel: 'id', ...values('timestamp name') }, run: react(false) },
  'reactions.remove': { args: { channel: 'id', ...values('timestamp name') }, run: react(true) },
  'reactions.get': { args: { channel: 'id', ...values('timestamp') }, run: get },
  'reactions.list': { args: { ...values('user'), ...PAGE }, run: list },
  'pins.add': { args: { channel: 'id', ...values('timestamp') }, run: changePinned(false) },
  'pins.remove': { args: { channel: 'id', ...values('timestamp') }, run: changePinned(true) },
  'pins.list': { args: { channel: 'id' }, run: listPins },
}
