import { changeChannel, changeMembership, findNameError, sendChannelCreated } from '../changes/membership.ts'
import { channelWithMembership, slackChannel } from '../payloads/channel.ts'
import type { Fields } from '../protocol/json.ts'
import { isTrue } from '../protocol/json.ts'
import { activeTeamId, conversationType } from '../protocol/people.ts'
import type { Channel, Person } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import type { World } from '../state/world.ts'
import { PAGE, values } from './arguments.ts'
import { findVisibleChannel, isVisibleChannel, readTypes } from './conversations.ts'
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
import { findPerson } from './people.ts'
import { API_TYPES } from './scopes.ts'

// Creating, joining, and leaving channels: https://docs.slack.dev/reference/methods#conversations (November 2026).

const MAX_TOPIC_LENGTH = 250

function findNonDirectChannel(world: World, args: Args, caller: Caller): Channel {
  const channel = findVisibleChannel(world, args, caller)
  if (channel.kind === 'dm') throw new ApiError('method_not_supported_for_channel_type')
  return channel
}

/** Finds an active channel that the app's bot is a member of. */
function findJoinedChannel(world: World, args: Args, caller: Caller): { channel: Channel; bot: string } {
  const channel = findNonDirectChannel(world, args, caller)
  const bot = caller.bot(channel.teamId).userId
  if (!channel.members.includes(bot)) throw new ApiError('not_in_channel')
  if (channel.archived) throw new ApiError('is_archived')
  return { channel, bot }
}

function readName({ people }: World, args: Args, teamId: string): string {
  const name = optional(args, 'name') ?? ''
  const error = findNameError(people, name, teamId)
  if (error) throw new ApiError(error)
  return name
}

const create: RunMethod = ({ world, link, args, caller }) => {
  const teamId = optional(args, 'team_id') ?? caller.teamId
  if (!caller.canReach(teamId)) throw new ApiError('team_not_found')
  const bot = caller.bot(teamId).userId
  const privacy = isTrue(args.is_private) ? 'private' : undefined
  const channel = world.people.addChannel(teamId, readName(world, args, teamId), [bot], privacy)
  if (privacy === undefined) void sendChannelCreated(world, link, channel, bot)
  return { channel: channelWithMembership(channel, world.people) }
}

const join: RunMethod = ({ world, link, args, caller }) => {
  const channel = findNonDirectChannel(world, args, caller)
  if (channel.archived) throw new ApiError('is_archived')
  const { userId } = caller.bot(channel.teamId)
  if (channel.members.includes(userId))
    return {
      channel: channelWithMembership(channel, world.people),
      warning: 'already_in_channel',
      response_metadata: { warnings: ['already_in_channel'] },
    }
  void changeMembership(world, link, channel, { user: userId, isMember: true })
  return { channel: channelWithMembership(channel, world.people) }
}

const leave: RunMethod = ({ world, link, args, caller }) => {
  const channel = findNonDirectChannel(world, args, caller)
  const { userId } = caller.bot(channel.teamId)
  if (!channel.members.includes(userId)) return { not_in_channel: true }
  if (channel.archived) throw new ApiError('is_archived')
  if (channel.isGeneral) throw new ApiError('cant_leave_general')
  if (channel.members.length === 1) throw new ApiError('last_member')
  void changeMembership(world, link, channel, { user: userId, isMember: false })
  return {}
}

/** A single-channel guest can be in one channel, apart from direct messages. */
const isInOtherChannel = ({ people }: World, { id }: Person, channel: Channel): boolean =>
  people
    .channels()
    .some(
      ({ id: other, kind, members }) => kind === 'channel' && other !== channel.id && members.includes(id),
    )

/** Slack's error for a person who can't be invited (https://docs.slack.dev/reference/methods/conversations.invite, November 2026). */
function findInviteError(world: World, channel: Channel, user: string, caller: Caller): string | undefined {
  const person = world.people.find(user)
  if (!person || !caller.canReach(activeTeamId(person))) return 'user_not_found'
  if (user === caller.bot(channel.teamId).userId) return 'cant_invite_self'
  if (channel.members.includes(user)) return 'already_in_channel'
  if (person.deleted) return 'cant_invite'
  if (person.role === 'foreign' && !channel.sharedWith) return 'no_external_invite_permission'
  const isFull = person.role === 'single-channel-guest' && isInOtherChannel(world, person, channel)
  return isFull ? 'ura_max_channels' : undefined
}

const invite: RunMethod = ({ world, link, args, caller }) => {
  const { channel, bot } = findJoinedChannel(world, args, caller)
  required(args, 'users')
  const users = [...new Set(readIds(args, 'users'))]
  const errors = users.flatMap((user): Fields[] => {
    const error = findInviteError(world, channel, user, caller)
    return error === undefined ? [] : [{ user, ok: false, error }]
  })
  const [firstError] = errors
  if (firstError) throw new ApiError(String(firstError.error), [], undefined, { errors })
  for (const user of users)
    void changeMembership(world, link, channel, { user, isMember: true, inviter: bot })
  return { channel: channelWithMembership(channel, world.people) }
}

const kick: RunMethod = ({ world, link, args, caller }) => {
  const { channel, bot } = findJoinedChannel(world, args, caller)
  const { id } = findPerson(world, args, caller)
  if (id === bot) throw new ApiError('cant_kick_self')
  if (channel.isGeneral) throw new ApiError('cant_kick_from_general')
  if (!channel.members.includes(id)) throw new ApiError('not_in_channel')
  void changeMembership(world, link, channel, { user: id, isMember: false })
  return {}
}

const archive: RunMethod = ({ world, link, args, caller }) => {
  const channel = findNonDirectChannel(world, args, caller)
  const bot = caller.bot(channel.teamId).userId
  if (channel.archived) throw new ApiError('already_archived')
  if (channel.isGeneral) throw new ApiError('cant_archive_general')
  if (!channel.members.includes(bot)) throw new ApiError('not_in_channel')
  void changeChannel(world, link, channel, bot, { archived: true })
  return {}
}

/**
 * Bots can't unarchive channels (https://docs.slack.dev/reference/methods/conversations.unarchive): archiving a channel removes them from
 * it, so they get `not_in_channel` (slack-go/slack#1066, November 2026).
 */
const unarchive: RunMethod = ({ world, args, caller }) => {
  const channel = findNonDirectChannel(world, args, caller)
  if (!channel.archived) throw new ApiError('not_archived')
  throw new ApiError('not_in_channel', [
    'Bot tokens can’t unarchive channels. Slack needs a user token for it.',
  ])
}

const rename: RunMethod = ({ world, link, args, caller }) => {
  const { channel, bot } = findJoinedChannel(world, args, caller)
  // A bot is never an admin, and the playground has no channel managers.
  if (channel.creator !== bot)
    throw new ApiError('not_authorized', [
      `Only the creator of a channel, an admin, or a channel manager can rename it, and ${channel.creator} created this one.`,
    ])
  void changeChannel(world, link, channel, bot, { name: readName(world, args, channel.teamId) })
  return { channel: channelWithMembership(channel, world.people) }
}

const setTopicOrPurpose =
  (field: 'topic' | 'purpose'): RunMethod =>
  ({ world, link, args, caller }) => {
    const { channel, bot } = findJoinedChannel(world, args, caller)
    const text = typeof args[field] === 'string' ? args[field] : ''
    if ([...text].length > MAX_TOPIC_LENGTH) throw new ApiError('too_long')
    void changeChannel(world, link, channel, bot, field === 'topic' ? { topic: text } : { purpose: text })
    return { channel: channelWithMembership(channel, world.people) }
  }

/** Lists the channels of a person that the app can see. The default is the app's bot. */
const userConversations: RunMethod = ({ world, args, caller }) => {
  const user = optional(args, 'user') ?? caller.bot(caller.teamId).userId
  const types = readTypes(args)
  const channels = world.people
    .channels()
    .filter(
      (channel) =>
        isVisibleChannel(channel, caller) &&
        channel.members.includes(user) &&
        types.includes(API_TYPES[conversationType(channel)]) &&
        !(channel.archived && isTrue(args.exclude_archived)),
    )
  const { page, response_metadata } = paginate(channels, args)
  return { channels: page.map((channel) => slackChannel(channel, world.people)), response_metadata }
}

export const channelMethods: Record<string, Method> = {
  'conversations.create': { args: values('name is_private team_id'), run: create },
  'conversations.join': { args: { channel: 'id' }, run: join },
  'conversations.leave': { args: { channel: 'id' }, run: leave },
  'conversations.invite': { args: { channel: 'id', ...values('users') }, run: invite },
  'conversations.kick': { args: { channel: 'id', ...values('user') }, run: kick },
  'conversations.archive': { args: { channel: 'id' }, run: archive },
  'conversations.unarchive': { args: { channel: 'id' }, run: unarchive },
  'conversations.rename': { args: { channel: 'id', ...values('name') }, run: rename },
  'conversations.setTopic': { args: { channel: 'id', ...values('topic') }, run: setTopicOrPurpose('topic') },
  'conversations.setPurpose': {
    args: { channel: 'id', ...values('purpose') },
    run: setTopicOrPurpose('purpose'),
  },
  'users.conversations': {
    args: { ...values('user types exclude_archived'), ...PAGE },
    run: userConversations,
  },
}
