import type { Caller } from '../installs.ts'
import type { Stored } from '../messages.ts'
import { botOf, familyOf, type People, seatOf, seenBy } from '../people.ts'
import type { Channel, Fields } from '../protocol.ts'
import { messageFields, type Slack } from '../slack.ts'
import { localeOf, personOf, teamOf } from './people.ts'
import { ApiRefusal, type Args, idsOf, isSet, type Method, optional, pageOf, required } from './reply.ts'
import { TYPE_OF } from './scopes.ts'

const NEVER_READ = '0000000000.000000'

/** The workspaces of a channel: its own, those of its organization, and those that it is shared with. */
function teamsOf(people: People, { teamId, sharedWith, isOrgShared }: Channel) {
  const organization = people.workspaces.find(({ id }) => id === teamId)?.organization?.id
  const sisters = people.workspaces.filter((one) => one.organization && one.organization.id === organization)
  const internal = isOrgShared ? sisters.map(({ id }) => id) : []
  const foreign = people.all().find(({ role, guestIn }) => role === 'foreign' && guestIn === teamId)
  const connected = sharedWith !== undefined && foreign ? [foreign.teamId] : []
  return { shared: [...new Set([teamId, ...internal, ...connected])], internal }
}

function slackDirect({ id, teamId, created, updatedMs, archived, members }: Channel, people: People): Fields {
  const { userId: botUser } = botOf(teamId)
  const user = members.find((one) => one !== botUser) ?? botUser
  return {
    ...{ id, created, updated: updatedMs, context_team_id: teamId },
    ...{ is_im: true, is_org_shared: false, is_archived: archived },
    ...{ user, is_user_deleted: people.find(user)?.deleted === true, priority: 0 },
  }
}

/** A conversation as every method returns it. Only some methods say whether the app is in it, and how many members it has. */
export function slackChannel(channel: Channel, people: People): Fields {
  if (channel.kind === 'dm') return slackDirect(channel, people)
  const isShared = channel.sharedWith !== undefined
  const family = familyOf(channel)
  const teams = teamsOf(people, channel)
  const said = (value: string, set?: { by: string; at: number }): Fields => ({
    ...{ value, creator: set?.by ?? '', last_set: set?.at ?? 0 },
  })
  return {
    ...{ id: channel.id, name: channel.name, name_normalized: channel.name },
    ...{ created: channel.created, creator: channel.creator, updated: channel.updatedMs },
    ...{ is_channel: family === 'channel', is_group: family === 'group', is_im: false },
    ...{ is_mpim: family === 'mpim', is_private: family !== 'channel', is_archived: channel.archived },
    ...{ is_general: channel.name === 'general', unlinked: 0 },
    ...{ is_shared: isShared || channel.isOrgShared === true, is_ext_shared: isShared },
    ...{ is_org_shared: channel.isOrgShared === true, is_pending_ext_shared: false },
    ...{ pending_shared: [], pending_connected_team_ids: [] },
    ...{ shared_team_ids: teams.shared, internal_team_ids: teams.internal },
    topic: said(channel.topic, channel.topicSet),
    purpose: said(channel.purpose ?? '', channel.purposeSet),
    previous_names: channel.previousNames ?? [],
    context_team_id: channel.teamId,
  }
}

/** The same, for methods that also say whether the app is in it. */
export function memberChannel(channel: Channel, people: People): Fields {
  const is_member = channel.members.includes(botOf(channel.teamId).userId)
  return { ...slackChannel(channel, people), ...(channel.kind !== 'dm' && { is_member }) }
}

/** A channel that the bot can see: public ones, and others that it is in. */
export function seen({ people }: Slack, args: Args, { reaches, bot }: Caller): Channel {
  const channel = people.channel(required(args, 'channel'))
  if (!channel || !reaches(channel.teamId)) throw new ApiRefusal('channel_not_found')
  if (familyOf(channel) !== 'channel' && !channel.members.includes(bot(channel.teamId).userId))
    throw new ApiRefusal('channel_not_found')
  return channel
}

const TYPES: readonly string[] = Object.values(TYPE_OF)

/** The kinds of conversation that a listing requests. */
export function typesOf(args: Args): string[] {
  const types = args.types === undefined ? [TYPE_OF.channel] : idsOf(args, 'types')
  const unknown = types.filter((type) => !TYPES.includes(type))
  if (unknown.length > 0) throw new ApiRefusal('invalid_types', [`There is no type ${unknown.join(', ')}.`])
  return types
}

const count = ({ kind, members }: Channel): Fields => (kind === 'dm' ? {} : { num_members: members.length })

/** https://docs.slack.dev/reference/methods/conversations.info: the number of members only on request (November 2026). */
const info: Method = (slack, args, caller) => {
  const channel = seen(slack, args, caller)
  const shown = memberChannel(channel, slack.people)
  const last_read = channel.lastRead ?? NEVER_READ
  return {
    channel: {
      ...{ ...shown, ...((channel.kind === 'dm' || shown.is_member === true) && { last_read }) },
      ...(isSet(args.include_num_members) && count(channel)),
      ...localeOf(args),
    },
  }
}

const list: Method = ({ people }, args, caller) => {
  const team = teamOf(args, caller)
  const types = typesOf(args)
  const isOpen = isSet(args.exclude_archived)
  const wanted = people
    .channels()
    .filter(({ teamId, archived }) => teamId === team && !(isOpen && archived))
    .filter((one) => types.includes(TYPE_OF[familyOf(one)]))
    .filter((one) => familyOf(one) === 'channel' || one.members.includes(caller.bot(team).userId))
  // The reference says "under 1000"; Slack's own suites ask for 1000 (python-slack-sdk, integration_tests/webhook, August 2026).
  const { page, response_metadata } = pageOf(wanted, args, { most: 1000 })
  const channels = page.map((one) => ({ ...memberChannel(one, people), ...count(one) }))
  return { channels, response_metadata }
}

/** People in a group message besides the app (https://docs.slack.dev/reference/methods/conversations.open, November 2026). */
const MOST_IN_GROUP = 8

/** Whether nothing had to be done, because the app hadn't closed it. */
function reopened({ people }: Slack, channel: Channel): Fields {
  if (!channel.closed) return { no_op: true, already_open: true }
  people.changeChannel(channel, { closed: false })
  return { no_op: false }
}

/** The group message of exactly these people and the app; created if it doesn't exist. */
function openGroup(slack: Slack, ids: readonly string[], caller: Caller): Fields {
  const { people } = slack
  const others = ids.map((id) => personOf(slack, { user: id }, caller))
  const [first] = others
  const teamId = first ? seatOf(first) : ''
  const members = [...new Set([caller.bot(teamId).userId, ...others.map(({ id }) => id)])]
  const same = (one: Channel) =>
    one.privacy === 'group' && [...one.members].sort().join() === [...members].sort().join()
  const known = people.channels().find(same)
  if (known) return { ...reopened(slack, known), channel: memberChannel(known, people) }
  const name = `mpdm-${members.map((id) => people.find(id)?.name ?? id).join('--')}-1`
  const channel = people.addChannel(teamId, name, members, 'group')
  slack.log.append({ type: 'reset' }, members)
  return { no_op: false, channel: memberChannel(channel, people) }
}

const openConversation: Method = (slack, args, caller) => {
  const { people } = slack
  if (optional(args, 'channel')) return { channel: memberChannel(seen(slack, args, caller), people) }
  required(args, 'users')
  const users = idsOf(args, 'users')
  if (users.length > MOST_IN_GROUP) throw new ApiRefusal('too_many_users')
  if (users.length > 1) return openGroup(slack, users, caller)
  const person = personOf(slack, { user: users[0] ?? '' }, caller)
  if (person.role === 'bot') throw new ApiRefusal('cannot_dm_bot')
  const known = people.channels().length
  const channel = people.openDirect([person.id, caller.bot(seatOf(person)).userId])
  if (people.channels().length > known)
    for (const id of channel.members)
      slack.log.append({ type: 'channel', channel: seenBy(channel, id) }, [id])
  const isKnown = people.channels().length === known
  const shown = isSet(args.return_im) ? slackChannel(channel, people) : { id: channel.id }
  return { ...(isKnown ? reopened(slack, channel) : { no_op: false }), channel: shown }
}

const members: Method = (slack, args, caller) => {
  const { page, response_metadata } = pageOf(seen(slack, args, caller).members, args)
  return { members: page, response_metadata }
}

const TS = /^\d+(?:\.\d{1,6})?$/

/** A limit of `conversations.history` and `replies`; undefined if it isn't given. */
function bound(args: Args, name: 'oldest' | 'latest'): number | undefined {
  const given = args[name]
  const text = typeof given === 'number' ? String(given) : optional(args, name)
  if (text === undefined) return undefined
  if (!TS.test(text)) throw new ApiRefusal(`invalid_ts_${name}`)
  return Number(text)
}

/** Between `oldest` and `latest`, excluding both unless `inclusive`. */
function within(args: Args): (message: { ts: string }) => boolean {
  const oldest = bound(args, 'oldest')
  const latest = bound(args, 'latest')
  const isInclusive = isSet(args.inclusive)
  return ({ ts }) => {
    const at = Number(ts)
    if (isInclusive && (at === oldest || at === latest)) return true
    return (oldest === undefined || at > oldest) && (latest === undefined || at < latest)
  }
}

/** A channel whose messages the app can read. */
export function readable(slack: Slack, args: Args, caller: Caller): Channel {
  const channel = seen(slack, args, caller)
  if (!channel.members.includes(caller.bot(channel.teamId).userId)) throw new ApiRefusal('not_in_channel')
  return channel
}

/**
 * A message as in a listing. The content of its metadata is shown on request, otherwise only its type.
 * (https://docs.slack.dev/reference/methods/conversations.history; python-slack-sdk issue 1501; November 2026)
 */
function listed(slack: Slack, message: Stored, args: Args): Fields {
  const said = messageFields(slack, message)
  // The app follows the threads that it has written in.
  const fields = message.replies ? { ...said, subscribed: isFollowed(message), is_locked: false } : said
  if (!message.metadata || isSet(args.include_all_metadata)) return fields
  const { event_type = '' } = message.metadata
  return { ...fields, metadata: { event_type } }
}

const isFollowed = ({ app, replies, user }: Stored): boolean => app || replies?.users.includes(user) === true

/** A page of messages. A cursor whose message was deleted continues with the one that `isNext` finds. */
function listing(
  slack: Slack,
  all: readonly Stored[],
  args: Args,
  isNext: (one: Stored, key: string) => boolean,
): Fields {
  const { page, response_metadata } = pageOf(all, args, { keyOf: ({ ts }) => ts, isNext })
  const messages = page.map((one) => listed(slack, one, args))
  return { messages, has_more: response_metadata.next_cursor !== '', response_metadata }
}

const history: Method = (slack, args, caller) => {
  const channel = readable(slack, args, caller)
  const lasting = slack.messages
    .list(channel.id)
    .filter(({ ephemeral, threadTs, ts }) => !ephemeral && (threadTs === null || threadTs === ts))
    .filter(within(args))
  const pin_count = slack.messages.list(channel.id).filter(({ pinned }) => pinned).length
  return { ...listing(slack, lasting.reverse(), args, ({ ts }, key) => ts <= key), pin_count }
}

/** A thread, with its parent first and the oldest reply next. */
const replies: Method = (slack, args, caller) => {
  const channel = readable(slack, args, caller)
  const ts = required(args, 'ts')
  const parent = slack.messages.find(channel.id, ts)
  if (!parent || parent.ephemeral) throw new ApiRefusal('thread_not_found')
  const root = parent.threadTs ?? ts
  const thread = slack.messages
    .list(channel.id)
    .filter((one) => !one.ephemeral && (one.ts === root || one.threadTs === root))
  const isIn = within(args)
  const found = thread.filter((one) => one.ts === root || isIn(one))
  return listing(slack, found, args, (one, key) => one.ts >= key)
}

/** https://docs.slack.dev/reference/methods/conversations.close (November 2026). People still see it. */
const close: Method = (slack, args, caller) => {
  const channel = seen(slack, args, caller)
  if (channel.kind !== 'dm' && channel.privacy !== 'group')
    throw new ApiRefusal('method_not_supported_for_channel_type')
  if (channel.closed) return { no_op: true, already_closed: true }
  slack.people.changeChannel(channel, { closed: true })
  return {}
}

/** https://docs.slack.dev/reference/methods/conversations.mark (November 2026). */
const mark: Method = (slack, args, caller) => {
  const channel = readable(slack, args, caller)
  const ts = required(args, 'ts')
  if (!TS.test(ts)) throw new ApiRefusal('invalid_timestamp')
  slack.people.changeChannel(channel, { lastRead: ts })
  return {}
}

export const conversationMethods: Record<string, Method> = {
  'conversations.info': info,
  'conversations.list': list,
  'conversations.open': openConversation,
  'conversations.close': close,
  'conversations.mark': mark,
  'conversations.members': members,
  'conversations.history': history,
  'conversations.replies': replies,
}
