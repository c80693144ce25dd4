import type { AppLink } from '../delivery/app-link.ts'
import { announceChannelChange } from '../delivery/channel-changes.ts'
import { sendChannelEvent, sendEvent } from '../delivery/events.ts'
import { slackChannel } from '../payloads/channel.ts'
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

type ChannelEdit = Omit<PostBody<'channel'>, 'user' | 'channel'>

/** Changes a channel's name, topic, purpose, or archived state. Posts a message and sends the app an event for each change. */
export async function changeChannel(
  world: World,
  link: AppLink,
  channel: Channel,
  user: string,
  edit: ChannelEdit,
): Promise<Outcome> {
  let outcome: Outcome = { ok: true, deliveryId: null, seq: world.log.seq }
  for (const field of ['name', 'topic', 'purpose'] as const) {
    const after = edit[field]
    const before = channel[field] ?? ''
    if (after === undefined || after === before) continue
    const lastSet = { by: user, at: Math.floor(world.now().getTime() / 1000) }
    world.people.changeChannel(channel, {
      [field]: after,
      ...(field !== 'name' && { [`${field}Set`]: lastSet }),
    })
    outcome = await announceChannelChange(world, link, field, { channel, user, before, after })
  }
  if (edit.archived === undefined || edit.archived === channel.archived) return outcome
  world.people.changeChannel(channel, { archived: edit.archived })
  return announceChannelChange(world, link, edit.archived ? 'archive' : 'unarchive', { channel, user })
}

const MAX_NAME_LENGTH = 80

/** Returns Slack's error for an invalid or taken channel name. */
export function findNameError(people: World['people'], name: string, teamId: string): string | undefined {
  if (name === '') return 'invalid_name_required'
  if (name.length > MAX_NAME_LENGTH) return 'invalid_name_maxlength'
  if (!/^[\p{Ll}\p{Lo}\p{N}_-]+$/u.test(name)) return 'invalid_name_specials'
  if (/^[_-]+$/.test(name)) return 'invalid_name_punctuation'
  return people.findChannel(name, (channel) => channel.teamId === teamId) && 'name_taken'
}

function checkName(world: World, name: string, teamId: string): void {
  const error = findNameError(world.people, name, teamId)
  if (error === 'name_taken') throw new ActionError(error, `There is already a channel "${name}".`)
  if (error)
    throw new ActionError(
      error,
      'Use at most 80 characters: lowercase letters, digits, - and _, and not only - and _.',
    )
}

/** A person changes a channel that they are in. */
export async function changeOwnChannel(
  world: World,
  link: AppLink,
  post: PostBody<'channel'>,
): Promise<Outcome> {
  const person = findActor(world, post.user)
  const channel = findOwnChannel(world, person, post.channel)
  if (channel.archived && post.archived !== false)
    throw new ActionError('is_archived', `#${channel.name} is archived.`)
  if (post.name !== undefined && post.name !== channel.name) checkName(world, post.name, channel.teamId)
  if (channel.kind === 'dm') throw new ActionError('not_a_channel', "A direct message can't be changed.")
  if (post.archived === true && channel.isGeneral)
    throw new ActionError('cant_archive_general', `Nobody can archive #${channel.name}.`)
  if (post.sharedWith !== undefined) await shareChannel(world, link, channel, person.id, post.sharedWith)
  return changeChannel(world, link, channel, person.id, post)
}

/**
 * Shares a channel with another organization, or stops sharing it. (https://docs.slack.dev/reference/events/channel_shared and
 * channel_unshared, November 2026)
 */
async function shareChannel(
  world: World,
  link: AppLink,
  channel: Channel,
  user: string,
  sharedWith: string,
): Promise<void> {
  if ((channel.sharedWith ?? '') === sharedWith) return
  world.people.changeChannel(channel, { sharedWith })
  world.log.append({ type: 'channel', channel: { ...channel } }, channel.members)
  // The playground knows the other organization only through its person who is a guest in this workspace.
  const outsider = world.people
    .all()
    .find(({ role, guestIn }) => role === 'foreign' && guestIn === channel.teamId)
  const team = outsider?.teamId ?? ''
  const origin = { channel: channel.id, user }
  await (sharedWith === ''
    ? sendChannelEvent(world, link, 'channel_unshared', origin, {
        channel: channel.id,
        previously_connected_team_id: team,
        is_ext_shared: false,
      })
    : sendChannelEvent(world, link, 'channel_shared', origin, {
        channel: channel.id,
        connected_team_id: team,
      }))
}

/** A person creates a channel or a group message. Sends `channel_created` for a public channel. */
export async function createChannel(
  world: World,
  link: AppLink,
  post: PostBody<'new-channel'>,
): Promise<Outcome> {
  const person = findActor(world, post.user)
  const teamId = activeTeamId(person)
  checkName(world, post.name, teamId)
  const members = [...new Set([person.id, ...(post.members ?? [])])]
  const channel = world.people.addChannel(teamId, post.name, members, post.privacy)
  world.log.append({ type: 'reset' }, members)
  const outcome: Outcome = { ok: true, deliveryId: null, seq: world.log.seq }
  if (post.privacy !== undefined) return outcome
  return sendChannelCreated(world, link, channel, person.id)
}

export function sendChannelCreated(
  world: World,
  link: AppLink,
  channel: Channel,
  creator: string,
): Promise<Outcome> {
  return sendEvent(world, link, 'channel_created', creator, { channel: slackChannel(channel, world.people) })
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

/** Sends `team_join` for a person who was added to the workspace. */
export function sendTeamJoin(world: World, link: AppLink, person: Person): Promise<Outcome> {
  const user = slackUser(person, world.people, world.installs.forTeam(activeTeamId(person)) ?? { scopes: [] })
  return sendEvent(world, link, 'team_join', person.id, { user })
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
      user: slackUser(changed, world.people, world.installs.forTeam(activeTeamId(changed)) ?? { scopes: [] }),
      cache_ts: Math.floor(world.now().getTime() / 1000),
    })
  const changesProfile = [change.realName, change.displayName, change.name, change.title, change.status].some(
    (value) => value !== undefined,
  )
  if (changesProfile) void send('user_profile_changed')
  if (change.status) void send('user_status_changed')
  return send('user_change')
}
