import { slackChannel } from '../api/conversations.ts'
import { slackUser } from '../api/people.ts'
import { botOf, familyOf, seatOf } from '../people.ts'
import type { Channel, Outcome, Person, Post } from '../protocol.ts'
import { actor, channelOf, Refused, type Slack } from '../slack.ts'
import { announceIn } from './announce.ts'
import { type EventParts, raiseEvent } from './event.ts'
import type { EventName } from './event-names.ts'
import { happen } from './happenings.ts'

/** Someone joins a channel or leaves it: everyone there is told, and the app gets two events. */
export async function changeMembership(
  slack: EventParts,
  channel: Channel,
  { user, isIn, inviter }: { user: string; isIn: boolean; inviter?: string },
): Promise<Outcome> {
  const at = { channel: channel.id, user }
  if (!isIn) {
    // Whoever leaves is still told that they did, even if it is the app.
    const isApp = user === botOf(channel.teamId).userId
    const left = familyOf(channel) === 'channel' ? 'channel_left' : 'group_left'
    if (isApp) void announceIn(slack, left, at, { channel: channel.id, actor_id: user })
    const told = happen(slack, 'leave', { channel, user })
    setMember(slack, channel, user, false)
    return told
  }
  setMember(slack, channel, user, true)
  return happen(slack, 'join', { channel, user, ...(inviter !== undefined && { inviter }) })
}

function setMember({ people, log }: EventParts, channel: Channel, user: string, isIn: boolean): void {
  people.setMember(channel, user, isIn)
  log.append({ type: 'channel', channel: { ...channel, members: [...channel.members] } }, channel.members)
  log.append({ type: 'reset' }, [user])
}

type Change = Omit<Post<'channel'>, 'user' | 'channel'>

/** A channel is renamed, described, or archived: everyone in it sees that, and the app is told. */
export async function changeChannel(
  slack: EventParts,
  channel: Channel,
  user: string,
  change: Change,
): Promise<Outcome> {
  let outcome: Outcome = { ok: true, deliveryId: null, seq: slack.log.seq }
  for (const field of ['name', 'topic', 'purpose'] as const) {
    const after = change[field]
    const before = channel[field] ?? ''
    if (after === undefined || after === before) continue
    const set = { by: user, at: Math.floor(slack.now().getTime() / 1000) }
    slack.people.changeChannel(channel, { [field]: after, ...(field !== 'name' && { [`${field}Set`]: set }) })
    outcome = await happen(slack, field, { channel, user, before, after })
  }
  if (change.archived === undefined || change.archived === channel.archived) return outcome
  slack.people.changeChannel(channel, { archived: change.archived })
  return happen(slack, change.archived ? 'archive' : 'unarchive', { channel, user })
}

const NAME_AT_MOST = 80

/** Why a channel can't have this name, in Slack's words; undefined if it can. */
export function nameFault(people: Slack['people'], name: string, teamId: string): string | undefined {
  if (name === '') return 'invalid_name_required'
  if (name.length > NAME_AT_MOST) return 'invalid_name_maxlength'
  if (!/^[\p{Ll}\p{Lo}\p{N}_-]+$/u.test(name)) return 'invalid_name_specials'
  return people.findChannel(name, (one) => one.teamId === teamId) && 'name_taken'
}

function checkName(slack: Slack, name: string, teamId: string): void {
  const fault = nameFault(slack.people, name, teamId)
  if (fault === 'name_taken') throw new Refused(fault, `There is a channel "${name}" already.`)
  if (fault) throw new Refused(fault, 'A name has small letters, digits, - and _, and 80 of them at most.')
}

/** A person changes a channel that they are in. */
export async function changeOwnChannel(slack: Slack, post: Post<'channel'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const channel = channelOf(slack, person, post.channel)
  if (channel.archived && post.archived !== false)
    throw new Refused('is_archived', `#${channel.name} is archived.`)
  if (post.name !== undefined && post.name !== channel.name) checkName(slack, post.name, channel.teamId)
  if (channel.kind === 'dm') throw new Refused('not_a_channel', 'A direct message cannot be changed.')
  if (post.archived === true && channel.name === 'general')
    throw new Refused('cant_archive_general', 'Nobody can archive #general.')
  if (post.sharedWith !== undefined) await shareChannel(slack, channel, person.id, post.sharedWith)
  return changeChannel(slack, channel, person.id, post)
}

/**
 * A channel is shared with another organization, or no longer is. (https://docs.slack.dev/reference/events/channel_shared and
 * channel_unshared, November 2026)
 */
async function shareChannel(slack: Slack, channel: Channel, user: string, sharedWith: string): Promise<void> {
  if ((channel.sharedWith ?? '') === sharedWith) return
  slack.people.changeChannel(channel, { sharedWith })
  slack.log.append({ type: 'channel', channel: { ...channel } }, channel.members)
  const other = slack.people
    .all()
    .find(({ role, guestIn }) => role === 'foreign' && guestIn === channel.teamId)
  const team = other?.teamId ?? ''
  const at = { channel: channel.id, user }
  await (sharedWith === ''
    ? announceIn(slack, 'channel_unshared', at, {
        ...{ channel: channel.id, previously_connected_team_id: team, is_ext_shared: false },
      })
    : announceIn(slack, 'channel_shared', at, { channel: channel.id, connected_team_id: team }))
}

/** A person creates a channel, or a group message with others. `channel_created` if it is public. */
export async function makeChannel(slack: Slack, post: Post<'new-channel'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const teamId = seatOf(person)
  checkName(slack, post.name, teamId)
  const members = [...new Set([person.id, ...(post.members ?? [])])]
  const channel = slack.people.addChannel(teamId, post.name, members, post.privacy)
  slack.log.append({ type: 'reset' }, members)
  const outcome: Outcome = { ok: true, deliveryId: null, seq: slack.log.seq }
  if (post.privacy !== undefined) return outcome
  return raiseCreated(slack, channel, person.id)
}

export function raiseCreated(slack: EventParts, channel: Channel, creator: string): Promise<Outcome> {
  return raiseEvent(slack, 'channel_created', creator, { channel: slackChannel(channel, slack.people) })
}

function room({ people }: Slack, person: Person, name: string): Channel {
  const found = people.findChannel(
    name,
    ({ teamId, kind, privacy, members }) =>
      kind === 'channel' &&
      teamId === seatOf(person) &&
      (privacy === undefined || members.includes(person.id)),
  )
  if (!found) throw new Refused('channel_not_found', `There is no channel "${name}" to join or leave.`)
  if (found.archived) throw new Refused('is_archived', `#${found.name} is archived.`)
  return found
}

/** A person joins a channel of their workspace, or leaves it. */
export async function joinOrLeave(slack: Slack, post: Post<'membership'>): Promise<Outcome> {
  const person = actor(slack, post.user)
  const channel = room(slack, person, post.channel)
  const isIn = post.leave !== true
  if (channel.members.includes(person.id) === isIn) return { ok: true, deliveryId: null, seq: slack.log.seq }
  if (person.role === 'guest' || person.role === 'single-channel-guest')
    throw new Refused('user_is_restricted', 'Guests neither join nor leave channels by themselves.')
  if (!isIn && channel.name === 'general')
    throw new Refused('cant_leave_general', 'Nobody can leave #general.')
  return changeMembership(slack, channel, { user: person.id, isIn })
}

/** Someone is new in the workspace: `team_join`. */
export function announcePerson(slack: Slack, person: Person): Promise<Outcome> {
  const user = slackUser(person, slack.people, slack.installs.of(seatOf(person)) ?? { scopes: [] })
  return raiseEvent(slack, 'team_join', person.id, { user })
}

/**
 * A person changes their name, their profile, or their status, or is deactivated.
 * (https://docs.slack.dev/reference/events/user_change, user_profile_changed and user_status_changed; November 2026)
 */
export async function changePerson(slack: Slack, { user, ...change }: Post<'person'>): Promise<Outcome> {
  const changed = slack.people.change(actor(slack, user), change)
  slack.log.append({ type: 'reset' }, null)
  const raise = (type: EventName) =>
    raiseEvent(slack, type, user, {
      user: slackUser(changed, slack.people, slack.installs.of(seatOf(changed)) ?? { scopes: [] }),
      cache_ts: Math.floor(slack.now().getTime() / 1000),
    })
  const ofProfile = [change.realName, change.name, change.title, change.status].some(
    (one) => one !== undefined,
  )
  if (ofProfile) void raise('user_profile_changed')
  if (change.status) void raise('user_status_changed')
  return raise('user_change')
}
