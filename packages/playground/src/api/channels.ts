import { changeChannel, changeMembership, findNameError, sendChannelCreated } from '../changes/membership.ts'
import { channelWithMembership, slackChannel } from '../payloads/channel.ts'
import type { Channel } from '../protocol/protocol.ts'
import type { Caller } from '../state/installs.ts'
import { conversationType } from '../state/people.ts'
import type { World } from '../state/world.ts'
import { findVisibleChannel, readTypes } from './conversations.ts'
import { ApiError, type Args, isTrue, type Method, optional, paginate, readIds, required } from './method.ts'
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

const create: Method = ({ world, link, args, caller }) => {
  const teamId = optional(args, 'team_id') ?? caller.teamId
  if (!caller.canReach(teamId)) throw new ApiError('team_not_found')
  const bot = caller.bot(teamId).userId
  const privacy = isTrue(args.is_private) ? 'private' : undefined
  const channel = world.people.addChannel(teamId, readName(world, args, teamId), [bot], privacy)
  if (privacy === undefined) void sendChannelCreated(world, link, channel, bot)
  return { channel: channelWithMembership(channel, world.people) }
}

const join: Method = ({ world, link, args, caller }) => {
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

const leave: Method = ({ world, link, args, caller }) => {
  const channel = findNonDirectChannel(world, args, caller)
  const { userId } = caller.bot(channel.teamId)
  if (!channel.members.includes(userId)) return { not_in_channel: true }
  if (channel.archived) throw new ApiError('is_archived')
  if (channel.name === 'general') throw new ApiError('cant_leave_general')
  if (channel.members.length === 1) throw new ApiError('last_member')
  void changeMembership(world, link, channel, { user: userId, isMember: false })
  return {}
}

const invite: Method = ({ world, link, args, caller }) => {
  const { channel, bot } = findJoinedChannel(world, args, caller)
  required(args, 'users')
  const users = readIds(args, 'users').map((user) => findPerson(world, { user }, caller).id)
  if (users.includes(bot)) throw new ApiError('cant_invite_self')
  if (users.some((id) => channel.members.includes(id))) throw new ApiError('already_in_channel')
  for (const user of users)
    void changeMembership(world, link, channel, { user, isMember: true, inviter: bot })
  return { channel: channelWithMembership(channel, world.people) }
}

const kick: Method = ({ world, link, args, caller }) => {
  const { channel, bot } = findJoinedChannel(world, args, caller)
  const { id } = findPerson(world, args, caller)
  if (id === bot) throw new ApiError('cant_kick_self')
  if (channel.name === 'general') throw new ApiError('cant_kick_from_general')
  if (!channel.members.includes(id)) throw new ApiError('not_in_channel')
  void changeMembership(world, link, channel, { user: id, isMember: false })
  return {}
}

const setArchived =
  (archived: boolean): Method =>
  ({ world, link, args, caller }) => {
    const channel = findNonDirectChannel(world, args, caller)
    if (channel.archived === archived) throw new ApiError(archived ? 'already_archived' : 'not_archived')
    if (channel.name === 'general') throw new ApiError('cant_archive_general')
    void changeChannel(world, link, channel, caller.bot(channel.teamId).userId, { archived })
    return {}
  }

const rename: Method = ({ world, link, args, caller }) => {
  const { channel, bot } = findJoinedChannel(world, args, caller)
  void changeChannel(world, link, channel, bot, { name: readName(world, args, channel.teamId) })
  return { channel: channelWithMembership(channel, world.people) }
}

const setTopicOrPurpose =
  (field: 'topic' | 'purpose'): Method =>
  ({ world, link, args, caller }) => {
    const { channel, bot } = findJoinedChannel(world, args, caller)
    const text = typeof args[field] === 'string' ? args[field] : ''
    if ([...text].length > MAX_TOPIC_LENGTH) throw new ApiError('too_long')
    void changeChannel(world, link, channel, bot, field === 'topic' ? { topic: text } : { purpose: text })
    return { channel: channelWithMembership(channel, world.people) }
  }

/** Lists the channels of a person, by default of the app's bot. */
const userConversations: Method = ({ world, args, caller: { workspaces, teamId, bot } }) => {
  const user = optional(args, 'user') ?? bot(teamId).userId
  const types = readTypes(args)
  const channels = world.people
    .channels()
    .filter(
      (channel) =>
        workspaces.includes(channel.teamId) &&
        channel.members.includes(user) &&
        types.includes(API_TYPES[conversationType(channel)]) &&
        !(channel.archived && isTrue(args.exclude_archived)),
    )
  const { page, response_metadata } = paginate(channels, args)
  return { channels: page.map((channel) => slackChannel(channel, world.people)), response_metadata }
}

export const channelMethods: Record<string, Method> = {
  'conversations.create': create,
  'conversations.join': join,
  'conversations.leave': leave,
  'conversations.invite': invite,
  'conversations.kick': kick,
  'conversations.archive': setArchived(true),
  'conversations.unarchive': setArchived(false),
  'conversations.rename': rename,
  'conversations.setTopic': setTopicOrPurpose('topic'),
  'conversations.setPurpose': setTopicOrPurpose('purpose'),
  'users.conversations': userConversations,
}
