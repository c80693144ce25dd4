import { ImpossibleValueError } from '../../protocol/choice-limits.ts'
import type { Fields, Json } from '../../protocol/json.ts'
import { asList, isFields } from '../../protocol/json.ts'
import { activeTeamId, isGuest } from '../../protocol/people.ts'
import type { Channel, Person } from '../../protocol/protocol.ts'

/** The channels that menus can offer, and the person who uses them. */
export interface MenuDirectory {
  me: Person
  channels: readonly Channel[]
}

/** Whether a person sees a channel: as a member, or because it's a channel of their workspace and they aren't a guest. */
export const canSeeChannel = (channel: Channel, me: Person): boolean =>
  channel.members.includes(me.id) ||
  (channel.kind === 'channel' && channel.teamId === activeTeamId(me) && !isGuest(me))

/**
 * Why a `conversations_select` doesn't offer a channel or direct message; undefined if it does. The filter:
 * https://docs.slack.dev/reference/block-kit/composition-objects/conversation-filter-object (November 2026).
 */
function findObjection(
  channel: Channel,
  { me }: MenuDirectory,
  filter: Json | undefined,
): string | undefined {
  if (!canSeeChannel(channel, me)) return `${me.realName} can't see this conversation`
  const included = isFields(filter) ? asList(filter.include) : undefined
  const type = channel.kind === 'dm' ? 'im' : 'public'
  return included && !included.includes(type) ? `its filter includes only ${included.join(', ')}` : undefined
}

/** The channels and direct messages that a `conversations_select` with this filter offers. */
export const offeredConversations = (directory: MenuDirectory, filter?: Json): Channel[] =>
  directory.channels.filter((channel) => findObjection(channel, directory, filter) === undefined)

/**
 * Returns the ID of the channel that someone chose in a menu by its ID or name. Throws ImpossibleValueError if the menu doesn't offer it:
 * people can only choose what Slack's client shows.
 */
export function findMenuChoice(element: Fields, value: string, directory: MenuDirectory): string {
  const name = value.replace(/^#/, '')
  const candidates = directory.channels.filter(
    (channel) => channel.id === value || (channel.kind === 'channel' && channel.name === name),
  )
  const objections = candidates.map((channel) => findObjection(channel, directory, element.filter))
  const offered = candidates[objections.indexOf(undefined)]
  if (offered) return offered.id
  const reason = objections[0] ?? 'nothing has this ID or name'
  throw new ImpossibleValueError(`"${value}" isn't a choice of ${element.action_id}: ${reason}`)
}
