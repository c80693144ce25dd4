import { slackMessage } from '../messages.ts'
import { APP_ID, BOT_ID, BOT_USER, seenBy } from '../people.ts'
import type { Channel, Fields, Person } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { ApiRefusal, type Args, type Method, optional, pageOf, required } from './reply.ts'

function slackUser(person: Person): Fields {
  return {
    id: person.id,
    team_id: person.teamId,
    name: person.name,
    deleted: person.deleted,
    real_name: person.realName,
    tz: 'Etc/UTC',
    tz_label: 'Coordinated Universal Time',
    tz_offset: 0,
    profile: {
      real_name: person.realName,
      display_name: person.name,
      real_name_normalized: person.realName,
      display_name_normalized: person.name,
      team: person.teamId,
      ...(person.role === 'bot' ? { api_app_id: APP_ID, bot_id: BOT_ID } : { email: person.email }),
    },
    is_admin: person.role === 'admin',
    is_owner: person.role === 'admin',
    is_primary_owner: person.role === 'admin',
    is_restricted: person.role === 'guest',
    is_ultra_restricted: false,
    is_bot: person.role === 'bot',
    is_app_user: false,
    ...(person.role === 'foreign' && { is_stranger: true }),
    updated: 0,
  }
}

function slackChannel(channel: Channel): Fields {
  if (channel.kind === 'dm')
    return {
      id: channel.id,
      created: 0,
      is_im: true,
      is_archived: channel.archived,
      user: channel.members.find((id) => id !== BOT_USER) ?? BOT_USER,
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
    is_shared: false,
    is_ext_shared: false,
    is_org_shared: false,
    is_member: channel.members.includes(BOT_USER),
    num_members: channel.members.length,
    topic: { value: channel.topic, creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    context_team_id: channel.teamId,
  }
}

/** A channel that the bot may look at: public ones, and the direct messages it is in. */
function seen({ people }: Slack, args: Args): Channel {
  const channel = people.channel(required(args, 'channel'))
  if (!channel || (channel.kind === 'dm' && !channel.members.includes(BOT_USER)))
    throw new ApiRefusal('channel_not_found')
  return channel
}

const usersInfo: Method = ({ people }, args) => {
  const person = people.find(required(args, 'user'))
  if (!person) throw new ApiRefusal('user_not_found')
  return { user: slackUser(person) }
}

const usersList: Method = ({ people }, args) => {
  const { page, response_metadata } = pageOf(people.all(), args)
  return { members: page.map(slackUser), cache_ts: 0, response_metadata }
}

const lookupByEmail: Method = ({ people }, args) => {
  const person = people.findByEmail(required(args, 'email'))
  if (!person || person.role === 'bot') throw new ApiRefusal('users_not_found')
  return { user: slackUser(person) }
}

const info: Method = (slack, args) => ({ channel: slackChannel(seen(slack, args)) })

const list: Method = ({ people }, args) => {
  const types = (optional(args, 'types') ?? 'public_channel').split(',').map((type) => type.trim())
  const wanted = people
    .channels()
    .filter(({ kind, members }) =>
      kind === 'dm' ? types.includes('im') && members.includes(BOT_USER) : types.includes('public_channel'),
    )
  const { page, response_metadata } = pageOf(wanted, args)
  return { channels: page.map(slackChannel), response_metadata }
}

const openConversation: Method = (slack, args) => {
  const { people } = slack
  if (optional(args, 'channel')) return { channel: slackChannel(seen(slack, args)) }
  const users = required(args, 'users')
    .split(',')
    .map((id) => id.trim())
  if (users.length !== 1)
    throw new ApiRefusal('invalid_arguments', ['The playground has no group messages: give one user.'])
  if (!users.every((id) => people.find(id))) throw new ApiRefusal('user_not_found')
  if (users.includes(BOT_USER)) throw new ApiRefusal('cannot_dm_bot')
  const known = people.channels().length
  const channel = people.openDirect([...users, BOT_USER])
  if (people.channels().length > known)
    for (const id of channel.members)
      slack.log.append({ type: 'channel', channel: seenBy(channel, id) }, [id])
  return { no_op: people.channels().length === known, channel: { id: channel.id } }
}

const members: Method = (slack, args) => {
  const { page, response_metadata } = pageOf(seen(slack, args).members, args)
  return { members: page, response_metadata }
}

const history: Method = (slack, args) => {
  const channel = seen(slack, args)
  if (!channel.members.includes(BOT_USER)) throw new ApiRefusal('not_in_channel')
  const lasting = slack.messages
    .list(channel.id)
    .filter(({ ephemeral, threadTs, ts }) => !ephemeral && (threadTs === null || threadTs === ts))
  const { page, response_metadata } = pageOf([...lasting].reverse(), args)
  const has_more = response_metadata.next_cursor !== ''
  return {
    messages: page.map((one) => slackMessage(one, channel.teamId)),
    has_more,
    pin_count: 0,
    response_metadata,
  }
}

const botsInfo: Method = ({ people }, args) => {
  if (required(args, 'bot') !== BOT_ID) throw new ApiRefusal('bot_not_found')
  return {
    bot: {
      id: BOT_ID,
      deleted: false,
      name: people.find(BOT_USER)?.name ?? '',
      app_id: APP_ID,
      user_id: BOT_USER,
      updated: 0,
      icons: {},
    },
  }
}

const authTest: Method = ({ people, url }) => ({
  url: `${url()}/`,
  team: people.workspace.name,
  user: people.find(BOT_USER)?.name ?? '',
  team_id: people.workspace.id,
  user_id: BOT_USER,
  bot_id: BOT_ID,
  is_enterprise_install: false,
})

export const peopleMethods: Record<string, Method> = {
  'auth.test': authTest,
  'users.info': usersInfo,
  'users.list': usersList,
  'users.lookupByEmail': lookupByEmail,
  'conversations.info': info,
  'conversations.list': list,
  'conversations.open': openConversation,
  'conversations.members': members,
  'conversations.history': history,
  'bots.info': botsInfo,
}
