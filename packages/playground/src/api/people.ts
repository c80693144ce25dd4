import type { Caller } from '../installs.ts'

import { APP_ID, botOf, type People, seatOf, seenBy } from '../people.ts'
import type { Channel, Fields, Person, Workspace } from '../protocol.ts'
import { BOTS, USER_GROUPS } from '../seed.ts'
import { messageFields, type Slack } from '../slack.ts'
import { ApiRefusal, type Args, isSet, type Method, optional, pageOf, required } from './reply.ts'

/** The organization's view of a person (Enterprise Grid). */
function enterpriseUser(person: Person, organization: NonNullable<Workspace['organization']>): Fields {
  return {
    id: person.id,
    enterprise_id: organization.id,
    enterprise_name: organization.name,
    is_admin: false,
    is_owner: false,
    teams: [person.teamId],
  }
}

function slackUser(person: Person, people: People): Fields {
  const { organization } = people.workspaceOf(person)
  const isGuest = person.role === 'guest' || person.role === 'single-channel-guest'
  const ownBot = Object.values(BOTS).find(({ userId }) => userId === person.id)
  if (person.deleted)
    return { ...identity(person), deleted: true, is_bot: false, is_app_user: false, updated: 0 }
  return {
    ...identity(person),
    deleted: false,
    tz: 'Etc/UTC',
    tz_label: 'Coordinated Universal Time',
    tz_offset: 0,
    profile: {
      ...identity(person).profile,
      ...(ownBot && { api_app_id: APP_ID, bot_id: ownBot.botId }),
      ...(person.role !== 'bot' && { email: person.email }),
    },
    is_admin: person.role === 'admin',
    is_owner: person.role === 'admin',
    is_primary_owner: person.role === 'admin',
    is_restricted: isGuest,
    is_ultra_restricted: person.role === 'single-channel-guest',
    is_bot: person.role === 'bot',
    is_app_user: false,
    ...(person.role === 'foreign' && { is_stranger: true }),
    ...(organization &&
      person.role !== 'foreign' && { enterprise_user: enterpriseUser(person, organization) }),
    updated: 0,
  }
}

/** All that Slack still says of a deactivated person. */
function identity({ id, teamId, name, realName }: Person) {
  return {
    id,
    team_id: teamId,
    name,
    real_name: realName,
    profile: {
      real_name: realName,
      display_name: name,
      real_name_normalized: realName,
      display_name_normalized: name,
      team: teamId,
    },
  }
}

function slackChannel(channel: Channel): Fields {
  const { userId: botUser } = botOf(channel.teamId)
  const isShared = channel.sharedWith !== undefined
  if (channel.kind === 'dm')
    return {
      id: channel.id,
      created: 0,
      is_im: true,
      is_archived: channel.archived,
      user: channel.members.find((id) => id !== botUser) ?? botUser,
      context_team_id: channel.teamId,
    }
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    created: 0,
    is_channel: true,
    is_group: false,
    is_im: false,
    is_mpim: false,
    is_private: false,
    is_archived: channel.archived,
    is_general: channel.name === 'general',
    is_shared: isShared,
    is_ext_shared: isShared,
    is_pending_ext_shared: false,
    is_org_shared: false,
    is_member: channel.members.includes(botUser),
    num_members: channel.members.length,
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    context_team_id: channel.teamId,
  }
}

/** A channel that the bot may look at: public ones, and the direct messages it is in. */
function seen({ people }: Slack, args: Args, { reaches, bot }: Caller): Channel {
  const channel = people.channel(required(args, 'channel'))
  if (!channel || !reaches(channel.teamId)) throw new ApiRefusal('channel_not_found')
  if (channel.kind === 'dm' && !channel.members.includes(bot(channel.teamId).userId))
    throw new ApiRefusal('channel_not_found')
  return channel
}

/** Whose workspace a listing is of: an organization's token must name it, as at Slack. */
function teamOf(args: Args, { isOrganization, workspaces, reaches }: Caller): string {
  const named = optional(args, 'team_id')
  if (!isOrganization) return workspaces[0] ?? ''
  if (named === undefined) throw new ApiRefusal('missing_argument', ['missing required field: team_id'])
  if (!reaches(named)) throw new ApiRefusal('team_not_found')
  return named
}

function personOf({ people }: Slack, args: Args, { reaches }: Caller): Person {
  const person = people.find(required(args, 'user'))
  if (!person || !reaches(seatOf(person))) throw new ApiRefusal('user_not_found')
  return person
}

const usersInfo: Method = (slack, args, caller) => ({
  user: slackUser(personOf(slack, args, caller), slack.people),
})

const usersList: Method = ({ people }, args, caller) => {
  const { page, response_metadata } = pageOf(people.of(teamOf(args, caller)), args)
  return { members: page.map((person) => slackUser(person, people)), cache_ts: 0, response_metadata }
}

const lookupByEmail: Method = ({ people }, args, { reaches }) => {
  const email = required(args, 'email').toLowerCase()
  const person = people.all().find((one) => one.email === email && reaches(seatOf(one)))
  if (!person || person.role === 'bot' || person.deleted) throw new ApiRefusal('users_not_found')
  return { user: slackUser(person, people) }
}

const groupsList: Method = (_slack, args, caller) => {
  const team = teamOf(args, caller)
  const isWithUsers = isSet(args.include_users)
  return {
    usergroups: USER_GROUPS.filter(({ teamId }) => teamId === team).map(
      ({ id, teamId, handle, name, users }): Fields => ({
        id,
        team_id: teamId,
        is_usergroup: true,
        name,
        handle,
        description: '',
        is_external: false,
        date_delete: 0,
        user_count: users.length,
        ...(isWithUsers && { users: [...users] }),
      }),
    ),
  }
}

const groupUsers: Method = (_slack, args, caller) => {
  const id = required(args, 'usergroup')
  const team = teamOf(args, caller)
  const group = USER_GROUPS.find((one) => one.id === id && one.teamId === team)
  if (!group) throw new ApiRefusal('no_such_subteam')
  return { users: [...group.users] }
}

const info: Method = (slack, args, caller) => ({ channel: slackChannel(seen(slack, args, caller)) })

const list: Method = ({ people }, args, caller) => {
  const team = teamOf(args, caller)
  const types = (optional(args, 'types') ?? 'public_channel').split(',').map((type) => type.trim())
  const wanted = people
    .channels()
    .filter(({ teamId }) => teamId === team)
    .filter(({ kind, members }) =>
      kind === 'dm'
        ? types.includes('im') && members.includes(caller.bot(team).userId)
        : types.includes('public_channel'),
    )
  const { page, response_metadata } = pageOf(wanted, args)
  return { channels: page.map(slackChannel), response_metadata }
}

const openConversation: Method = (slack, args, caller) => {
  const { people } = slack
  if (optional(args, 'channel')) return { channel: slackChannel(seen(slack, args, caller)) }
  const users = required(args, 'users')
    .split(',')
    .map((id) => id.trim())
  if (users.length !== 1)
    throw new ApiRefusal('invalid_arguments', ['The playground has no group messages: give one user.'])
  const person = personOf(slack, { user: users[0] ?? '' }, caller)
  if (person.role === 'bot') throw new ApiRefusal('cannot_dm_bot')
  const known = people.channels().length
  const channel = people.openDirect([person.id, caller.bot(seatOf(person)).userId])
  if (people.channels().length > known)
    for (const id of channel.members)
      slack.log.append({ type: 'channel', channel: seenBy(channel, id) }, [id])
  return { no_op: people.channels().length === known, channel: { id: channel.id } }
}

const members: Method = (slack, args, caller) => {
  const { page, response_metadata } = pageOf(seen(slack, args, caller).members, args)
  return { members: page, response_metadata }
}

const history: Method = (slack, args, caller) => {
  const channel = seen(slack, args, caller)
  if (!channel.members.includes(caller.bot(channel.teamId).userId)) throw new ApiRefusal('not_in_channel')
  const lasting = slack.messages
    .list(channel.id)
    .filter(({ ephemeral, threadTs, ts }) => !ephemeral && (threadTs === null || threadTs === ts))
  const { page, response_metadata } = pageOf([...lasting].reverse(), args)
  const has_more = response_metadata.next_cursor !== ''
  return {
    messages: page.map((one) => messageFields(slack, one, channel.teamId)),
    has_more,
    pin_count: 0,
    response_metadata,
  }
}

const botsInfo: Method = ({ people }, args, { workspaces, bot }) => {
  const id = required(args, 'bot')
  const found = workspaces.map(bot).find(({ botId }) => botId === id)
  if (!found) throw new ApiRefusal('bot_not_found')
  return {
    bot: {
      id,
      deleted: false,
      name: people.find(found.userId)?.name ?? '',
      app_id: APP_ID,
      user_id: found.userId,
      updated: 0,
      icons: {},
    },
  }
}

const authTest: Method = ({ people, url }, _args, { id, isOrganization, workspaces, bot }) => {
  const workspace = people.workspaces.find((one) => one.id === workspaces[0])
  const { userId, botId } = bot(workspace?.id ?? id)
  const { organization } = workspace ?? {}
  return {
    url: `${url()}/`,
    team: (isOrganization ? organization : workspace)?.name ?? '',
    user: people.find(userId)?.name ?? '',
    team_id: id,
    user_id: userId,
    bot_id: botId,
    ...(organization && { enterprise_id: organization.id }),
    is_enterprise_install: isOrganization,
  }
}

export const peopleMethods: Record<string, Method> = {
  'auth.test': authTest,
  'users.info': usersInfo,
  'users.list': usersList,
  'users.lookupByEmail': lookupByEmail,
  'usergroups.list': groupsList,
  'usergroups.users.list': groupUsers,
  'conversations.info': info,
  'conversations.list': list,
  'conversations.open': openConversation,
  'conversations.members': members,
  'conversations.history': history,
  'bots.info': botsInfo,
}
