// This folder: changes that people and the app can make: membership, replies, uninstalling.

import type { AppLink } from '../delivery/app-link.ts'
import { announceChannelChange } from '../delivery/channel-changes.ts'
import { sendChannelEvent, sendEvent } from '../delivery/events.ts'
import { slackUser } from '../payloads/person.ts'
import { activeTeamId, isGuest } from '../protocol/people.ts'
import type { Channel, Outcome, Person, PostBody } from '../protocol/protocol.ts'
import { ActionError, findAccount, findActor, findOwnChannel } from '../state/actors.ts'
import type { World } from '../state/world.ts'

function setMember({ people, log }: World, channel: Channel, user: string, isMember: boolean): void {
  people.setMember(channel, user, isMember)
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  log.append({ type: 'reset' }, [user])
}

function findJoinableChannel({ people }: World, person: Person, name: string): Channel {
  const channel = people.findChannel(
    name,
    ({ teamId, kind }) => kind === 'channel' && teamId === activeTeamId(person),
  )
  if (!channel) throw new ActionError('channel_not_found', `There is no channel "${name}" to join or leave.`)
  return channel
}

/** A person joins or leaves a channel of their workspace: posts a message about it, and sends the event to the app. */
export async function joinOrLeaveChannel(
  world: World,
  link: AppLink,
  post: PostBody<'membership'>,
): Promise<Outcome> {
  const person = findActor(world, post.user)
  const channel = findJoinableChannel(world, person, post.channel)
  const shouldBeMember = post.leave !== true
  if (channel.members.includes(person.id) === shouldBeMember)
    return { ok: true, deliveryId: null, seq: world.log.seq }
  if (isGuest(person))
    throw new ActionError('user_is_restricted', "Guests can't join or leave channels themselves.")
  if (!shouldBeMember && channel.isGeneral)
    throw new ActionError('cant_leave_general', `Nobody can leave #${channel.name}.`)
  setMember(world, channel, person.id, shouldBeMember)
  return announceChannelChange(
    world,
    link,
    shouldBeMember ? 'channel_join' : 'channel_leave',
    channel,
    person.id,
  )
}

/** Shares a channel with another organization (https://docs.slack.dev/reference/events/channel_shared, November 2026). */
export async function shareChannel(
  world: World,
  link: AppLink,
  { user, channel: id, sharedWith }: PostBody<'share'>,
): Promise<Outcome> {
  const person = findActor(world, user)
  const channel = findOwnChannel(world, person, id)
  if (channel.kind === 'dm') throw new ActionError('not_a_channel', "A direct message can't be shared.")
  channel.sharedWith = sharedWith
  world.log.append({ type: 'channel', channel: { ...channel } }, channel.members)
  // The playground knows the other organization only through its person who is a guest in this workspace.
  const outsider = world.people
    .all()
    .find(({ role, guestIn }) => role === 'foreign' && guestIn === channel.teamId)
  const event = { channel: channel.id, connected_team_id: outsider?.teamId ?? '' }
  return sendChannelEvent(world, link, 'channel_shared', { channel: channel.id, user: person.id }, event)
}

/** Changes a person's role, or deactivates them (https://docs.slack.dev/reference/events/user_change, November 2026). */
export async function changePerson(
  world: World,
  link: AppLink,
  { user, ...change }: PostBody<'person'>,
): Promise<Outcome> {
  const changed = world.people.change(findAccount(world, user), change)
  world.log.append({ type: 'reset' }, null)
  return sendEvent(world, link, 'user_change', user, {
    user: slackUser(changed, world.people),
  })
}
