import type { Fields } from '../protocol/json.ts'
import type { Channel } from '../protocol/protocol.ts'
import { appBotIn, type People } from '../state/people.ts'
import type { World } from '../state/world.ts'

export const NEVER_READ = '0000000000.000000'

/** The IDs of the workspaces that a channel is in: its own, and the one of the organization that it's shared with. */
function channelTeams(people: People, { teamId, sharedWith }: Channel): string[] {
  // The playground knows the other organization only through its person who is a guest in this workspace.
  const outsider = people.all().find(({ role, guestIn }) => role === 'foreign' && guestIn === teamId)
  return sharedWith !== undefined && outsider ? [teamId, outsider.teamId] : [teamId]
}

function slackDirectMessage({ id, teamId, created, updatedMs, members }: Channel, people: People): Fields {
  const { userId: botUser } = appBotIn(teamId)
  const user = members.find((id) => id !== botUser) ?? botUser
  return {
    id,
    created,
    updated: updatedMs,
    context_team_id: teamId,
    is_im: true,
    is_org_shared: false,
    is_archived: false,
    user,
    is_user_deleted: people.find(user)?.deleted === true,
    priority: 0,
  }
}

/** A conversation with the fields that every method returns. Some methods also return `is_member` and `num_members`. */
export function slackChannel(channel: Channel, people: People): Fields {
  if (channel.kind === 'dm') return slackDirectMessage(channel, people)
  const isShared = channel.sharedWith !== undefined
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    created: channel.created,
    creator: channel.creator,
    updated: channel.updatedMs,
    is_channel: true,
    is_group: false,
    is_im: false,
    is_mpim: false,
    is_private: false,
    is_archived: false,
    is_general: channel.isGeneral === true,
    unlinked: 0,
    is_shared: isShared,
    is_ext_shared: isShared,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    pending_connected_team_ids: [],
    shared_team_ids: channelTeams(people, channel),
    internal_team_ids: [],
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    previous_names: [],
    context_team_id: channel.teamId,
  }
}

/** A conversation, with `is_member` (whether the app is in it) unless it's a direct message. */
export function channelWithMembership(channel: Channel, people: People): Fields {
  const is_member = channel.members.includes(appBotIn(channel.teamId).userId)
  return { ...slackChannel(channel, people), ...(channel.kind !== 'dm' && { is_member }) }
}

/** A channel's ID and name as in payloads. The name of every direct message is `directmessage`. */
export function channelFields({ people }: Pick<World, 'people'>, id: string): { id: string; name: string } {
  const channel = people.channel(id)
  return { id, name: channel?.kind === 'dm' ? 'directmessage' : (channel?.name ?? '') }
}
