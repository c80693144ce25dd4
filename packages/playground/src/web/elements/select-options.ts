import type { Channel } from '../../protocol/protocol.ts'
import {
  type MenuDirectory,
  offeredChannels,
  offeredConversations,
  offeredPeople,
} from '../../rules/values/menu-choices.ts'
import type { Element, Option, OptionGroup } from '../block-kit.ts'
import { findDmRecipient, shownName } from '../people.ts'

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

function personChoices(directory: MenuDirectory): Choice[] {
  return offeredPeople(directory).map((person) => ({
    value: person.id,
    label: shownName(person),
    detail: `@${person.name}`,
  }))
}

function toChannelChoice(channel: Channel, directory: MenuDirectory): Choice {
  const recipient = channel.kind === 'dm' ? findDmRecipient(directory, channel) : undefined
  return { value: channel.id, label: recipient ? shownName(recipient) : `#${channel.name}` }
}

/** Channels first, then direct messages. */
function conversationChoices({ filter }: Element, directory: MenuDirectory): Choice[] {
  return offeredConversations(directory, filter)
    .sort((a, b) => Number(a.kind === 'dm') - Number(b.kind === 'dm'))
    .map((channel) => toChannelChoice(channel, directory))
}

/** A select's options before the person types. An external select has none until the app returns some. */
export function initialChoices(element: Element, directory: MenuDirectory): ChoiceGroup[] {
  switch (element.type.replace(/^multi_/, '')) {
    case 'users_select':
      return [{ label: null, choices: personChoices(directory) }]
    case 'channels_select':
      return [
        {
          label: null,
          choices: offeredChannels(directory).map((channel) => toChannelChoice(channel, directory)),
        },
      ]
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
