// This folder: changes that people and the app can make: membership, replies, uninstalling.

import type { AppLink } from '../delivery/app-link.ts'
import { announceChannelChange } from '../delivery/channel-changes.ts'
import { sendChannelEvent, sendEvent } from '../delivery/events.ts'
import { slackUser } from '../payloads/person.ts'
import type { EventName } from '../protocol/event-names.ts'
import { activeTeamId, conversationType, isGuest } from '../protocol/people.ts'
import type { Channel, Outcome, Person, PostBody } from '../protocol/protocol.ts'
import { ActionError, findAccount, findActor, findOwnChannel } from '../state/actors.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'

/** Adds a person to a channel or removes them, posts the message about it in the channel, and sends the events to the app. */
export async function changeMembership(
  world: World,
  link: AppLink,
  channel: Channel,
  { user, isMember, inviter }: { user: string; isMember: boolean; inviter?: string },
): Promise<Outcome> {
  const origin = { channel: channel.id, user }
  if (!isMember) {
    // The events are sent before the removal, so that the person or app that leaves gets them too.
    const isApp = user === appBotIn(channel.teamId).userId
    const leftEvent = conversationType(channel) === 'channel' ? 'channel_left' : 'group_left'
    if (isApp) void sendChannelEvent(world, link, leftEvent, origin, { channel: channel.id, actor_id: user })
    const outcome = announceChannelChange(world, link, 'leave', { channel, user })
    setMember(world, channel, user, false)
    return outcome
  }
  setMember(world, channel, user, true)
  return announceChannelChange(world, link, 'join', {
    channel,
    user,
    ...(inviter !== undefined && { inviter }),
  })
}

function setMember({ people, log }: World, channel: Channel, user: string, isMember: boolean): void {
  people.setMember(channel, user, isMember)
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  log.append({ type: 'reset' }, [user])
}

function findJoinableChannel({ people }: World, person: Person, name: string): Channel {
  const channel = people.findChannel(
    name,
    ({ teamId, kind, privacy, members }) =>
      kind === 'channel' &&
      teamId === activeTeamId(person) &&
      (privacy === undefined || members.includes(person.id)),
  )
  if (!channel) throw new ActionError('channel_not_found', `There is no channel "${name}" to join or leave.`)
  if (channel.archived) throw new ActionError('is_archived', `#${channel.name} is archived.`)
  return channel
}

/** A person joins or leaves a channel of their workspace. */
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
  return changeMembership(world, link, channel, { user: person.id, isMember: shouldBeMember })
}

/**
 * Shares a channel with another organization, or stops sharing it. (https://docs.slack.dev/reference/events/channel_shared and
 * channel_unshared, November 2026)
 */
export async function shareChannel(
  world: World,
  link: AppLink,
  { user, channel: id, sharedWith }: PostBody<'share'>,
): Promise<Outcome> {
  const person = findActor(world, user)
  const channel = findOwnChannel(world, person, id)
  if (channel.kind === 'dm') throw new ActionError('not_a_channel', "A direct message can't be shared.")
  if ((channel.sharedWith ?? '') === sharedWith) return { ok: true, deliveryId: null, seq: world.log.seq }
  world.people.changeChannel(channel, { sharedWith })
  world.log.append({ type: 'channel', channel: { ...channel } }, channel.members)
  // The playground knows the other organization only through its person who is a guest in this workspace.
  const outsider = world.people
    .all()
    .find(({ role, guestIn }) => role === 'foreign' && guestIn === channel.teamId)
  const team = outsider?.teamId ?? ''
  const origin = { channel: channel.id, user: person.id }
  return sharedWith === ''
    ? sendChannelEvent(world, link, 'channel_unshared', origin, {
        channel: channel.id,
        previously_connected_team_id: team,
        is_ext_shared: false,
      })
    : sendChannelEvent(world, link, 'channel_shared', origin, {
        channel: channel.id,
        connected_team_id: team,
      })
}

/**
 * Changes a person's name, profile, status, or role, or deactivates them. Sends the matching events to the app.
 * (https://docs.slack.dev/reference/events/user_change, user_profile_changed and user_status_changed; November 2026)
 */
export async function changePerson(
  world: World,
  link: AppLink,
  { user, ...change }: PostBody<'person'>,
): Promise<Outcome> {
  const changed = world.people.change(findAccount(world, user), change)
  world.log.append({ type: 'reset' }, null)
  const send = (type: EventName) =>
    sendEvent(world, link, type, user, {
      user: slackUser(changed, world.people, world.installs.find(activeTeamId(changed)) ?? { scopes: [] }),
      cache_ts: Math.floor(world.now().getTime() / 1000),
    })
  const changesProfile = [change.realName, change.displayName, change.name, change.title, change.status].some(
    (value) => value !== undefined,
  )
  if (changesProfile) void send('user_profile_changed')
  if (change.status) void send('user_status_changed')
  return send('user_change')
}
