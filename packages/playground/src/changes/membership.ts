import { announceChannelChange } from '../delivery/channel-changes.ts'
import { sendChannelEvent } from '../delivery/channel-events.ts'
import { type EventDeps, sendEvent } from '../delivery/event.ts'
import { slackChannel } from '../payloads/channel.ts'
import { slackUser } from '../payloads/person.ts'
import type { EventName } from '../protocol/event-names.ts'
import type { Channel, Outcome, Person, PostBody } from '../protocol/protocol.ts'
import { ActionError, findActor, findOwnChannel } from '../state/actors.ts'
import { activeTeamId, appBotIn, conversationType, isGuest } from '../state/people.ts'
import type { Slack } from '../state/world.ts'

/** Adds a person to a channel or removes them, posts the message about it in the channel, and sends the events to the app. */
export async function changeMembership(
  slack: EventDeps,
  channel: Channel,
  { user, isMember, inviter }: { user: string; isMember: boolean; inviter?: string },
): Promise<Outcome> {
  const origin = { channel: channel.id, user }
  if (!isMember) {
    // The events are sent before the removal, so that the person or app that leaves gets them too.
    const isApp = user === appBotIn(channel.teamId).userId
    const leftEvent = conversationType(channel) === 'channel' ? 'channel_left' : 'group_left'
    if (isApp) void sendChannelEvent(slack, leftEvent, origin, { channel: channel.id, actor_id: user })
    const outcome = announceChannelChange(slack, 'leave', { channel, user })
    setMember(slack, channel, user, false)
    return outcome
  }
  setMember(slack, channel, user, true)
  return announceChannelChange(slack, 'join', { channel, user, ...(inviter !== undefined && { inviter }) })
}

function setMember({ people, log }: EventDeps, channel: Channel, user: string, isMember: boolean): void {
  people.setMember(channel, user, isMember)
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  log.append({ type: 'reset' }, [user])
}

type ChannelEdit = Omit<PostBody<'channel'>, 'user' | 'channel'>

/** Changes a channel's name, topic, purpose, or archived state. Posts a message and sends the app an event for each change. */
export async function changeChannel(
  slack: EventDeps,
  channel: Channel,
  user: string,
  edit: ChannelEdit,
): Promise<Outcome> {
  let outcome: Outcome = { ok: true, deliveryId: null, seq: slack.log.seq }
  for (const field of ['name', 'topic', 'purpose'] as const) {
    const after = edit[field]
    const before = channel[field] ?? ''
    if (after === undefined || after === before) continue
    const lastSet = { by: user, at: Math.floor(slack.now().getTime() / 1000) }
    slack.people.changeChannel(channel, {
      [field]: after,
      ...(field !== 'name' && { [`${field}Set`]: lastSet }),
    })
    outcome = await announceChannelChange(slack, field, { channel, user, before, after })
  }
  if (edit.archived === undefined || edit.archived === channel.archived) return outcome
  slack.people.changeChannel(channel, { archived: edit.archived })
  return announceChannelChange(slack, edit.archived ? 'archive' : 'unarchive', { channel, user })
}

const MAX_NAME_LENGTH = 80

/** Returns Slack's error for an invalid or taken channel name. */
export function findNameError(people: Slack['people'], name: string, teamId: string): string | undefined {
  if (name === '') return 'invalid_name_required'
  if (name.length > MAX_NAME_LENGTH) return 'invalid_name_maxlength'
  if (!/^[\p{Ll}\p{Lo}\p{N}_-]+$/u.test(name)) return 'invalid_name_specials'
  return people.findChannel(name, (channel) => channel.teamId === teamId) && 'name_taken'
}

function checkName(slack: Slack, name: string, teamId: string): void {
  const error = findNameError(slack.people, name, teamId)
  if (error === 'name_taken') throw new ActionError(error, `There is already a channel "${name}".`)
  if (error) throw new ActionError(error, 'Use at most 80 characters: lowercase letters, digits, - and _.')
}

/** A person changes a channel that they are in. */
export async function changeOwnChannel(slack: Slack, post: PostBody<'channel'>): Promise<Outcome> {
  const person = findActor(slack, post.user)
  const channel = findOwnChannel(slack, person, post.channel)
  if (channel.archived && post.archived !== false)
    throw new ActionError('is_archived', `#${channel.name} is archived.`)
  if (post.name !== undefined && post.name !== channel.name) checkName(slack, post.name, channel.teamId)
  if (channel.kind === 'dm') throw new ActionError('not_a_channel', "A direct message can't be changed.")
  if (post.archived === true && channel.name === 'general')
    throw new ActionError('cant_archive_general', 'Nobody can archive #general.')
  if (post.sharedWith !== undefined) await shareChannel(slack, channel, person.id, post.sharedWith)
  return changeChannel(slack, channel, person.id, post)
}

/**
 * Shares a channel with another organization, or stops sharing it. (https://docs.slack.dev/reference/events/channel_shared and
 * channel_unshared, November 2026)
 */
async function shareChannel(slack: Slack, channel: Channel, user: string, sharedWith: string): Promise<void> {
  if ((channel.sharedWith ?? '') === sharedWith) return
  slack.people.changeChannel(channel, { sharedWith })
  slack.log.append({ type: 'channel', channel: { ...channel } }, channel.members)
  // The playground knows the other organization only through its person who is a guest in this workspace.
  const outsider = slack.people
    .all()
    .find(({ role, guestIn }) => role === 'foreign' && guestIn === channel.teamId)
  const team = outsider?.teamId ?? ''
  const origin = { channel: channel.id, user }
  await (sharedWith === ''
    ? sendChannelEvent(slack, 'channel_unshared', origin, {
        channel: channel.id,
        previously_connected_team_id: team,
        is_ext_shared: false,
      })
    : sendChannelEvent(slack, 'channel_shared', origin, { channel: channel.id, connected_team_id: team }))
}

/** A person creates a channel or a group message. Sends `channel_created` for a public channel. */
export async function createChannel(slack: Slack, post: PostBody<'new-channel'>): Promise<Outcome> {
  const person = findActor(slack, post.user)
  const teamId = activeTeamId(person)
  checkName(slack, post.name, teamId)
  const members = [...new Set([person.id, ...(post.members ?? [])])]
  const channel = slack.people.addChannel(teamId, post.name, members, post.privacy)
  slack.log.append({ type: 'reset' }, members)
  const outcome: Outcome = { ok: true, deliveryId: null, seq: slack.log.seq }
  if (post.privacy !== undefined) return outcome
  return sendChannelCreated(slack, channel, person.id)
}

export function sendChannelCreated(slack: EventDeps, channel: Channel, creator: string): Promise<Outcome> {
  return sendEvent(slack, 'channel_created', creator, { channel: slackChannel(channel, slack.people) })
}

function findJoinableChannel({ people }: Slack, person: Person, name: string): Channel {
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
export async function joinOrLeaveChannel(slack: Slack, post: PostBody<'membership'>): Promise<Outcome> {
  const person = findActor(slack, post.user)
  const channel = findJoinableChannel(slack, person, post.channel)
  const shouldBeMember = post.leave !== true
  if (channel.members.includes(person.id) === shouldBeMember)
    return { ok: true, deliveryId: null, seq: slack.log.seq }
  if (isGuest(person))
    throw new ActionError('user_is_restricted', "Guests can't join or leave channels themselves.")
  if (!shouldBeMember && channel.name === 'general')
    throw new ActionError('cant_leave_general', 'Nobody can leave #general.')
  return changeMembership(slack, channel, { user: person.id, isMember: shouldBeMember })
}

/** Sends `team_join` for a person who was added to the workspace. */
export function sendTeamJoin(slack: Slack, person: Person): Promise<Outcome> {
  const user = slackUser(person, slack.people, slack.installs.forTeam(activeTeamId(person)) ?? { scopes: [] })
  return sendEvent(slack, 'team_join', person.id, { user })
}

/**
 * Changes a person's name, profile, status, or role, or deactivates them. Sends the matching events to the app.
 * (https://docs.slack.dev/reference/events/user_change, user_profile_changed and user_status_changed; November 2026)
 */
export async function changePerson(slack: Slack, { user, ...change }: PostBody<'person'>): Promise<Outcome> {
  const changed = slack.people.change(findActor(slack, user), change)
  slack.log.append({ type: 'reset' }, null)
  const send = (type: EventName) =>
    sendEvent(slack, type, user, {
      user: slackUser(changed, slack.people, slack.installs.forTeam(activeTeamId(changed)) ?? { scopes: [] }),
      cache_ts: Math.floor(slack.now().getTime() / 1000),
    })
  const changesProfile = [change.realName, change.name, change.title, change.status].some(
    (value) => value !== undefined,
  )
  if (changesProfile) void send('user_profile_changed')
  if (change.status) void send('user_status_changed')
  return send('user_change')
}
