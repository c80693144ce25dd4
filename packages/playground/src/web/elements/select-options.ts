import type { Channel, Person } from '../../protocol.ts'
import { findPartner, peopleHere } from '../people.ts'
import type { Element, Option, OptionGroup } from '../wire.ts'

/** One option, whatever kind of select it is in. */
export interface Pick {
  value: string
  label: string
  detail?: string
}

export interface PickGroup {
  /** Null: not in a group. */
  label: string | null
  picks: Pick[]
}

export function pick(option: Option): Pick {
  const detail = option.description?.text
  return { value: option.value, label: option.text.text, ...(detail === undefined ? {} : { detail }) }
}

/** Slack sends either plain options or groups, never both. */
export function pickGroups(
  options: readonly Option[] = [],
  groups: readonly OptionGroup[] = [],
): PickGroup[] {
  const plain = options.length > 0 ? [{ label: null, picks: options.map(pick) }] : []
  return [...plain, ...groups.map((group) => ({ label: group.label.text, picks: group.options.map(pick) }))]
}

interface Known {
  me: Person
  people: readonly Person[]
  channels: readonly Channel[]
}

function personPicks(known: Known, bots: boolean): Pick[] {
  return peopleHere(known)
    .filter((person) => !person.deleted && (bots || person.role !== 'bot'))
    .map((person) => ({ value: person.id, label: person.realName || person.name, detail: `@${person.name}` }))
}

function channelPicks({ channels }: Known): Pick[] {
  return channels
    .filter((channel) => channel.kind === 'channel' && !channel.archived)
    .map((channel) => ({ value: channel.id, label: `#${channel.name}` }))
}

function dmPicks({ channels, people, me }: Known, bots: boolean): Pick[] {
  return channels
    .filter((channel) => channel.kind === 'dm')
    .flatMap((channel) => {
      const person = findPartner({ me, people }, channel)
      return person && (bots || person.role !== 'bot') ? [{ value: channel.id, label: person.realName }] : []
    })
}

function conversationPicks(element: Element, known: Known): Pick[] {
  const include = element.filter?.include ?? ['im', 'mpim', 'private', 'public']
  const bots = !element.filter?.exclude_bot_users
  return [
    ...(include.includes('public') ? channelPicks(known) : []),
    ...(include.includes('im') ? dmPicks(known, bots) : []),
  ]
}

/** What a select offers before anything is typed; an external one offers nothing until the app is asked. */
export function offered(element: Element, known: Known): PickGroup[] {
  switch (element.type.replace(/^multi_/, '')) {
    case 'users_select':
      return [{ label: null, picks: personPicks(known, true) }]
    case 'channels_select':
      return [{ label: null, picks: channelPicks(known) }]
    case 'conversations_select':
      return [{ label: null, picks: conversationPicks(element, known) }]
    case 'external_select':
      return []
    default:
      return pickGroups(element.options, element.option_groups)
  }
}

/** The options whose label or detail contains what was typed, without empty groups. */
export function matching(groups: readonly PickGroup[], typed: string): PickGroup[] {
  const wanted = typed.trim().toLocaleLowerCase()
  if (wanted === '') return [...groups]
  return groups
    .map((group) => ({
      ...group,
      picks: group.picks.filter(({ label, detail = '' }) =>
        `${label} ${detail}`.toLocaleLowerCase().includes(wanted),
      ),
    }))
    .filter((group) => group.picks.length > 0)
}
