import type { Channel, Person } from '../../protocol.ts'
import { findPartner, reachablePeople } from '../people.ts'
import type { Element, Option, OptionGroup } from '../wire.ts'

/** One option of any kind of select. */
export interface Choice {
  value: string
  label: string
  detail?: string
}

export interface ChoiceGroup {
  /** Null for options without a group. */
  label: string | null
  choices: Choice[]
}

export function toChoice(option: Option): Choice {
  const detail = option.description?.text
  return { value: option.value, label: option.text.text, ...(detail === undefined ? {} : { detail }) }
}

/** Converts options or option groups. A select has one or the other, never both. */
export function toChoiceGroups(
  options: readonly Option[] = [],
  groups: readonly OptionGroup[] = [],
): ChoiceGroup[] {
  const plain = options.length > 0 ? [{ label: null, choices: options.map(toChoice) }] : []
  return [
    ...plain,
    ...groups.map((group) => ({ label: group.label.text, choices: group.options.map(toChoice) })),
  ]
}

interface Directory {
  me: Person
  people: readonly Person[]
  channels: readonly Channel[]
}

function personChoices(known: Directory, bots: boolean): Choice[] {
  return reachablePeople(known)
    .filter((person) => !person.deleted && (bots || person.role !== 'bot'))
    .map((person) => ({ value: person.id, label: person.realName || person.name, detail: `@${person.name}` }))
}

function channelChoices({ channels }: Directory): Choice[] {
  return channels
    .filter((channel) => channel.kind === 'channel' && !channel.archived)
    .map((channel) => ({ value: channel.id, label: `#${channel.name}` }))
}

function directMessageChoices({ channels, people, me }: Directory, bots: boolean): Choice[] {
  return channels
    .filter((channel) => channel.kind === 'dm')
    .flatMap((channel) => {
      const person = findPartner({ me, people }, channel)
      return person && (bots || person.role !== 'bot') ? [{ value: channel.id, label: person.realName }] : []
    })
}

function conversationChoices(element: Element, known: Directory): Choice[] {
  const include = element.filter?.include ?? ['im', 'mpim', 'private', 'public']
  const bots = !element.filter?.exclude_bot_users
  return [
    ...(include.includes('public') ? channelChoices(known) : []),
    ...(include.includes('im') ? directMessageChoices(known, bots) : []),
  ]
}

/** A select's options before anything is typed. External ones have none until the app is queried. */
export function initialChoices(element: Element, known: Directory): ChoiceGroup[] {
  switch (element.type.replace(/^multi_/, '')) {
    case 'users_select':
      return [{ label: null, choices: personChoices(known, true) }]
    case 'channels_select':
      return [{ label: null, choices: channelChoices(known) }]
    case 'conversations_select':
      return [{ label: null, choices: conversationChoices(element, known) }]
    case 'external_select':
      return []
    default:
      return toChoiceGroups(element.options, element.option_groups)
  }
}

/** The options whose label or detail contains what was typed, without empty groups. */
export function filterChoices(groups: readonly ChoiceGroup[], typed: string): ChoiceGroup[] {
  const wanted = typed.trim().toLocaleLowerCase()
  if (wanted === '') return [...groups]
  return groups
    .map((group) => ({
      ...group,
      choices: group.choices.filter(({ label, detail = '' }) =>
        `${label} ${detail}`.toLocaleLowerCase().includes(wanted),
      ),
    }))
    .filter((group) => group.choices.length > 0)
}
