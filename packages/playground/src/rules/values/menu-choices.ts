import { ImpossibleValueError } from '../../protocol/choice-limits.ts'
import type { Fields, Json } from '../../protocol/json.ts'
import { asList, isFields } from '../../protocol/json.ts'
import { activeTeamId, type ConversationType, conversationType, isGuest } from '../../protocol/people.ts'
import type { Channel, Person } from '../../protocol/protocol.ts'

/** The people and channels that menus can offer, and the person who uses them. */
export interface MenuDirectory {
  me: Person
  people: readonly Person[]
  channels: readonly Channel[]
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object (November 2026). */
export interface ConversationFilter {
  include?: readonly string[]
}

/** Slack's names for types of conversations in filters. */
const FILTER_TYPES: Readonly<Record<ConversationType, string>> = {
  channel: 'public',
  group: 'private',
  mpim: 'mpim',
  im: 'im',
}

/** Whether a person sees a channel: as a member, or because it's a public channel of their workspace and they aren't a guest. */
export const canSeeChannel = (channel: Channel, me: Person): boolean =>
  channel.members.includes(me.id) ||
  (conversationType(channel) === 'channel' && channel.teamId === activeTeamId(me) && !isGuest(me))

/** Why a menu doesn't offer a person; undefined if it does. */
function findPersonObjection(person: Person, { me }: MenuDirectory): string | undefined {
  const teamId = activeTeamId(me)
  if (activeTeamId(person) !== teamId && !person.teams?.includes(teamId))
    return `${me.realName} can't see this person`
  return person.deleted ? 'this person is deactivated' : undefined
}

const excludesType = ({ include }: ConversationFilter, type: ConversationType): string | undefined =>
  include && !include.includes(FILTER_TYPES[type])
    ? `its filter includes only ${include.join(', ')}`
    : undefined

/** Why a `conversations_select` doesn't offer a channel or direct message; undefined if it does. */
function findConversationObjection(
  channel: Channel,
  directory: MenuDirectory,
  filter: ConversationFilter,
): string | undefined {
  const { me, people } = directory
  const type = conversationType(channel)
  if (!canSeeChannel(channel, me)) return `${me.realName} can't see this conversation`
  if (channel.archived) return 'this channel is archived'
  const excluded = excludesType(filter, type)
  if (excluded !== undefined || type !== 'im') return excluded
  const otherId = channel.members.find((id) => id !== me.id)
  const other = people.find(({ id }) => id === otherId)
  return other && findPersonObjection(other, directory)
}

/** The people that a `multi_users_select` offers. */
export const offeredPeople = (directory: MenuDirectory): Person[] =>
  directory.people.filter((person) => findPersonObjection(person, directory) === undefined)

/** The channels and direct messages that a `conversations_select` offers. */
export const offeredConversations = (directory: MenuDirectory, filter: ConversationFilter = {}): Channel[] =>
  directory.channels.filter((channel) => findConversationObjection(channel, directory, filter) === undefined)

const readFilter = (filter: Json | undefined): ConversationFilter =>
  isFields(filter) ? { include: asList(filter.include).map(String) } : {}

/** Something with the ID or name that a person chose. With an objection, the menu doesn't offer it. */
interface Candidate {
  id: string
  objection: string | undefined
}

const findPeople = ({ people }: MenuDirectory, value: string): Person[] => {
  const name = value.replace(/^@/, '')
  return people.filter(
    (person) => person.id === value || [person.name, person.realName, person.displayName].includes(name),
  )
}

const findChannels = ({ channels }: MenuDirectory, value: string): Channel[] => {
  const name = value.replace(/^#/, '')
  return channels.filter(
    (channel) => channel.id === value || (channel.kind === 'channel' && channel.name === name),
  )
}

function findCandidates(element: Fields, value: string, directory: MenuDirectory): Candidate[] {
  if (element.type === 'multi_users_select')
    return findPeople(directory, value).map((person) => ({
      id: person.id,
      objection: findPersonObjection(person, directory),
    }))
  const filter = readFilter(element.filter)
  return [
    ...findChannels(directory, value).map((channel) => ({
      id: channel.id,
      objection: findConversationObjection(channel, directory, filter),
    })),
    // A person stands for the direct message with them.
    ...findPeople(directory, value).map((person) => ({
      id: person.id,
      objection: excludesType(filter, 'im') ?? findPersonObjection(person, directory),
    })),
  ]
}

/**
 * Returns the ID of the person or conversation that someone chose in a menu by its ID or name. Throws ImpossibleValueError if the menu
 * doesn't offer it: people can only choose what Slack's client shows.
 */
export function findMenuChoice(element: Fields, value: string, directory: MenuDirectory): string {
  const candidates = findCandidates(element, value, directory)
  const offered = candidates.find(({ objection }) => objection === undefined)
  if (offered) return offered.id
  const reason = candidates[0]?.objection ?? 'nothing has this ID or name'
  throw new ImpossibleValueError(`"${value}" isn't a choice of ${element.action_id}: ${reason}`)
}
