import { slackChannel } from '../payloads/channel.ts'
import { isVisibleChannel } from './conversations.ts'
import { paginate, type RunMethod } from './method.ts'
import { API_TYPES, readTypes } from './scopes.ts'

/** Lists the conversations that the app's bot is in. */
const userConversations: RunMethod = ({ world, args, caller }) => {
  const { userId } = caller.bot(caller.teamId)
  const types = readTypes(args)
  const channels = world.people
    .channels()
    .filter(
      (channel) =>
        isVisibleChannel(channel, caller) &&
        channel.members.includes(userId) &&
        types.includes(API_TYPES[channel.kind]),
    )
  const { page, response_metadata } = paginate(channels, args)
  return { channels: page.map(slackChannel), response_metadata }
}

export const channelMethods: Record<string, RunMethod> = { 'users.conversations': userConversations }
