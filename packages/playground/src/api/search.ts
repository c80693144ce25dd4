import { messagePermalink } from '../payloads/message.ts'
import type { Fields } from '../protocol/json.ts'
import { isTrue } from '../protocol/json.ts'
import { conversationType } from '../protocol/people.ts'
import type { Channel } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { TOMBSTONE } from '../state/messages.ts'
import type { StoredMessage } from '../state/stored.ts'
import type { World } from '../state/world.ts'
import { PAGE, values } from './arguments.ts'
import {
  ApiError,
  type Args,
  type Method,
  optional,
  paginate,
  type RunMethod,
  readIds,
  required,
} from './method.ts'
import { API_TYPES } from './scopes.ts'

// https://docs.slack.dev/reference/methods/assistant.search.context (read through the types of node-slack-sdk, November 2026).

/**
 * Finds the person who sent the token. Several public apps handle `invalid_action_token` as Slack's answer to a token that has expired,
 * next to the method's other codes (read November 2026). Which code Slack returns if a bot leaves the token out isn't known.
 */
function findAsker(world: World, args: Args): string {
  const user = world.tickets.findActionTokenUser(optional(args, 'action_token') ?? '')
  if (user !== undefined) return user
  throw new ApiError('invalid_action_token', [
    'A bot token needs the `action_token` of a mention, or of a message to the app, whose `assistant_thread` contains it.',
  ])
}

/** The channels that the person and the app can both read. */
function listChannels({ people }: World, args: Args, caller: Caller, user: string): Channel[] {
  const types = args.channel_types === undefined ? [API_TYPES.channel] : readIds(args, 'channel_types')
  return people
    .channels()
    .filter(
      (channel) =>
        caller.canReach(channel.teamId) &&
        channel.members.includes(user) &&
        types.includes(API_TYPES[conversationType(channel)]),
    )
}

/** Whether the message contains every word of the query. Slack also finds related words. */
function matches({ text, app, ts, ephemeral, subtype }: StoredMessage, args: Args): boolean {
  const words =
    required(args, 'query')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const [after, before] = [Number(args.after ?? 0), Number(args.before ?? Number.POSITIVE_INFINITY)]
  const isIncluded = !ephemeral && subtype !== TOMBSTONE && (!app || isTrue(args.include_bots))
  return (
    isIncluded &&
    Number(ts) > after &&
    Number(ts) < before &&
    words.some((word) => word.length > 1) &&
    words.every((word) => text.toLowerCase().includes(word))
  )
}

const resultFields = (world: World, channel: Channel, message: StoredMessage): Fields => ({
  author_name: world.people.find(message.user)?.realName ?? '',
  author_user_id: message.user,
  team_id: channel.teamId,
  channel_id: channel.id,
  channel_name: channel.kind === 'dm' ? '' : channel.name,
  message_ts: message.ts,
  content: message.text,
  is_author_bot: message.app,
  permalink: messagePermalink(world, message),
})

/** Searches messages. Finds no files, channels, or people. */
const searchContext: RunMethod = ({ world, args, caller }) => {
  if (optional(args, 'query') === undefined) throw new ApiError('missing_query')
  const user = findAsker(world, args)
  const isForMessages =
    args.content_types === undefined || readIds(args, 'content_types').includes('messages')
  const found = listChannels(world, args, caller, user).flatMap((channel) =>
    world.messages
      .list(channel.id)
      .filter((message) => isForMessages && matches(message, args))
      .map((message) => resultFields(world, channel, message)),
  )
  const sorted = found.toSorted((left, right) => Number(right.message_ts) - Number(left.message_ts))
  const { page, response_metadata } = paginate(sorted, args)
  return { results: { messages: page }, response_metadata }
}

export const searchMethods: Record<string, Method> = {
  'assistant.search.context': {
    args: {
      ...values('query action_token channel_types content_types include_bots before after'),
      ...PAGE,
    },
    run: searchContext,
  },
}
