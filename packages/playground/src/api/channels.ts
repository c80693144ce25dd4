import { slackChannel } from '../payloads/channel.ts'
import { isTrue } from '../protocol/json.ts'
import { conversationType } from '../protocol/people.ts'
import { PAGE, values } from './arguments.ts'
import { isVisibleChannel, readTypes } from './conversations.ts'
import { type Method, optional, paginate, type RunMethod } from './method.ts'
import { API_TYPES } from './scopes.ts'

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
  'users.conversations': {
    args: { ...values('user types exclude_archived'), ...PAGE },
    run: userConversations,
  },
}
