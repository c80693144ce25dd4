import { type MenuDirectory, offeredConversations } from '../../rules/values/menu-choices.ts'
import type { Element, Option } from '../block-kit.ts'

/** One option of any kind of select. */
export interface Choice {
  value: string
  label: string
}

export const toChoice = ({ value, text }: Option): Choice => ({ value, label: text.text })

/** A select's options before the person types. An external select has none until the app returns some. */
export function initialChoices(element: Element, directory: MenuDirectory): Choice[] {
  if (element.type !== 'conversations_select') return (element.options ?? []).map(toChoice)
  return offeredConversations(directory, element.filter).map(({ id, name }) => ({
    value: id,
    label: `#${name}`,
  }))
}

/** Returns the options whose label contains the typed text. */
export function filterChoices(choices: readonly Choice[], typed: string): Choice[] {
  const query = typed.trim().toLocaleLowerCase()
  return choices.filter(({ label }) => label.toLocaleLowerCase().includes(query))
}
