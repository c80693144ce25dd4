import type { Channel } from '../../protocol/protocol.ts'
import { type MenuDirectory, offeredConversations, offeredPeople } from '../../rules/values/menu-choices.ts'
import type { Element, Option } from '../block-kit.ts'
import { findDmRecipient, shownName } from '../people.ts'

/** One option of any kind of select. */
export interface Choice {
  value: string
  label: string
  detail?: string
}

export function toChoice(option: Option): Choice {
  const detail = option.description?.text
  return { value: option.value, label: option.text.text, ...(detail === undefined ? {} : { detail }) }
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
export function initialChoices(element: Element, directory: MenuDirectory): Choice[] {
  if (element.type === 'multi_users_select') return personChoices(directory)
  if (element.type === 'conversations_select') return conversationChoices(element, directory)
  return (element.options ?? []).map(toChoice)
}

/** Returns the options whose label or detail contains the typed text. */
export function filterChoices(choices: readonly Choice[], typed: string): Choice[] {
  const query = typed.trim().toLocaleLowerCase()
  return choices.filter(({ label, detail = '' }) => `${label} ${detail}`.toLocaleLowerCase().includes(query))
}
