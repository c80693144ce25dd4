import { slackUser } from '../api/people.ts'
import { seatOf } from '../people.ts'
import type { Channel, MemberPost, Outcome, Person, PersonPost } from '../protocol.ts'
import { actor, Refused, type Slack } from '../slack.ts'
import { announceIn, announceMessage } from './announce.ts'
import { type EventParts, raiseEvent } from './event.ts'

type Parts = EventParts & Pick<Slack, 'messages'>

/** Somebody comes into a channel, or goes: everyone there is told, and the app by two events. */
export async function changeMembership(
  slack: Parts,
  channel: Channel,
  { user, isIn, inviter }: { user: string; isIn: boolean; inviter?: string },
): Promise<Outcome> {
  const seq = slack.log.seq
  const at = { channelId: channel.id, user }
  const type = isIn ? 'member_joined_channel' : 'member_left_channel'
  const event = {
    type,
    user,
    channel: channel.id,
    channel_type: 'C',
    team: channel.teamId,
    ...(inviter !== undefined && { inviter }),
  }
  // Who leaves is still told that they did, and so is the app when it is the one.
  const told = isIn ? undefined : announceIn(slack, type, at, event)
  slack.people.setMember(channel, user, isIn)
  slack.log.append(
    { type: 'channel', channel: { ...channel, members: [...channel.members] } },
    channel.members,
  )
  slack.log.append({ type: 'reset' }, [user])
  if (!isIn) return (await told) ?? { ok: true, deliveryId: null, seq }
  const said = `<@${user}> has joined the channel`
  void announceMessage(slack, at, {
    type: 'message',
    subtype: 'channel_join',
    user,
    text: said,
    ts: slack.messages.nextTs(),
  })
  return announceIn(slack, type, at, event)
}

function room({ people }: Slack, person: Person, name: string): Channel {
  const found = people.findChannel(
    name,
    ({ teamId, kind }) => kind === 'channel' && teamId === seatOf(person),
  )
  if (!found) throw new Refused('channel_not_found', `There is no channel "${name}" to join or leave.`)
  if (found.archived) throw new Refused('is_archived', `#${found.name} is archived.`)
  return found
}

/** A person joins a channel of their workspace, or leaves it. */
export async function joinOrLeave(slack: Slack, post: MemberPost): Promise<Outcome> {
  const person = actor(slack, post.user)
  const channel = room(slack, person, post.channel)
  const isIn = post.leave !== true
  if (channel.members.includes(person.id) === isIn) return { ok: true, deliveryId: null, seq: slack.log.seq }
  return changeMembership(slack, channel, { user: person.id, isIn })
}

/** A person changes who they are, or is deactivated: `user_change`. */
export async function changePerson(slack: Slack, post: PersonPost): Promise<Outcome> {
  const person = actor(slack, post.user)
  const { realName, name, role, deleted } = post
  const changed = slack.people.change(person, {
    ...(realName !== undefined && { realName }),
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(deleted !== undefined && { deleted }),
  })
  slack.log.append({ type: 'reset' }, null)
  return raiseEvent(slack, 'user_change', person.id, {
    type: 'user_change',
    user: slackUser(changed, slack.people),
    cache_ts: Math.floor(slack.now().getTime() / 1000),
    event_ts: slack.messages.nextTs(),
  })
}
