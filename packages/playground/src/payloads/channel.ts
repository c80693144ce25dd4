import type { Fields } from '../protocol/json.ts'
import type { Channel } from '../protocol/protocol.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

function slackDirectMessage({ id, teamId, members }: Channel): Fields {
  const { userId: botUser } = appBotIn(teamId)
  const user = members.find((member) => member !== botUser) ?? botUser
  return { id, context_team_id: teamId, is_im: true, is_archived: false, user }
}

/** A conversation with the fields that every method returns. */
export function slackChannel(channel: Channel): Fields {
  if (channel.kind === 'dm') return slackDirectMessage(channel)
  const isShared = channel.sharedWith !== undefined
  return {
    id: channel.id,
    name: channel.name,
    is_channel: true,
    is_im: false,
    is_private: false,
    is_archived: false,
    is_shared: isShared,
    is_ext_shared: isShared,
    is_pending_ext_shared: false,
    context_team_id: channel.teamId,
  }
}

/** A channel's ID and name as in payloads. The name of every direct message is `directmessage`. */
export function channelFields({ people }: Pick<World, 'people'>, id: string): { id: string; name: string } {
  const channel = people.channel(id)
  return { id, name: channel?.kind === 'dm' ? 'directmessage' : (channel?.name ?? '') }
}
