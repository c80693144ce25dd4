import type { Channel, Person } from '../../protocol/protocol.ts'
import type { Element, Option, OptionGroup } from '../block-kit.ts'
import { findDmRecipient, reachablePeople, shownName } from '../people.ts'

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

/** Converts options or option groups. Slack doesn't allow a select with both. */
export function toChoiceGroups(
  options: readonly Option[] = [],
  groups: readonly OptionGroup[] = [],
): ChoiceGroup[] {
  const ungrouped = options.length > 0 ? [{ label: null, choices: options.map(toChoice) }] : []
  return [
    ...ungrouped,
    ...groups.map((group) => ({ label: group.label.text, choices: group.options.map(toChoice) })),
  ]
}

interface ChoiceDirectory {
  me: Person
  people: readonly Person[]
  channels: readonly Channel[]
}

function personChoices(directory: ChoiceDirectory, { includeBots }: { includeBots: boolean }): Choice[] {
  return reachablePeople(directory)
    .filter((person) => !person.deleted && (includeBots || person.role !== 'bot'))
    .map((person) => ({ value: person.id, label: shownName(person), detail: `@${person.name}` }))
}

function channelChoices({ channels }: ChoiceDirectory): Choice[] {
  return channels
    .filter((channel) => channel.kind === 'channel' && !channel.archived)
    .map((channel) => ({ value: channel.id, label: `#${channel.name}` }))
}

function directMessageChoices(
  { channels, people, me }: ChoiceDirectory,
  { includeBots }: { includeBots: boolean },
): Choice[] {
  return channels
    .filter((channel) => channel.kind === 'dm')
    .flatMap((channel) => {
      const person = findDmRecipient({ me, people }, channel)
      return person && (includeBots || person.role !== 'bot')
        ? [{ value: channel.id, label: shownName(person) }]
        : []
    })
}

function conversationChoices(element: Element, directory: ChoiceDirectory): Choice[] {
  const include = element.filter?.include ?? ['im', 'mpim', 'private', 'public']
  const includeBots = !element.filter?.exclude_bot_users
  return [
    ...(include.includes('public') ? channelChoices(directory) : []),
    ...(include.includes('im') ? directMessageChoices(directory, { includeBots }) : []),
  ]
}

/** A select's options before the person types. An external select has none until the app returns some. */
export function initialChoices(element: Element, directory: ChoiceDirectory): ChoiceGroup[] {
  switch (element.type.replace(/^multi_/, '')) {
    case 'users_select':
      return [{ label: null, choices: personChoices(directory, { includeBots: true }) }]
    case 'channels_select':
      return [{ label: null, choices: channelChoices(directory) }]
    case 'conversations_select':
      return [{ label: null, choices: conversationChoices(element, directory) }]
    case 'external_select':
      return []
    default:
      return toChoiceGroups(element.options, element.option_groups)
  }
}

/** Returns the options whose label or detail contains the typed text. Omits groups without matches. */
export function filterChoices(groups: readonly ChoiceGroup[], typed: string): ChoiceGroup[] {
  const query = typed.trim().toLocaleLowerCase()
  if (query === '') return [...groups]
  return groups
    .map((group) => ({
      ...group,
      choices: group.choices.filter(({ label, detail = '' }) =>
        `${label} ${detail}`.toLocaleLowerCase().includes(query),
      ),
    }))
    .filter((group) => group.choices.length > 0)
}
