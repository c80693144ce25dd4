import { placed } from './elements.ts'
import { element, flag, type Kind, kind, list, type Together, type Type, text, whole } from './rule.ts'
import { fewEnough, initialAmongOptions, oneOf } from './together.ts'

/** A menu with one choice, and the same with several. */
function menus(
  of: string,
  own: Record<string, Type>,
  {
    initial,
    choice,
    one = {},
    together = [],
  }: { initial: string; choice: Type; one?: Record<string, Type>; together?: readonly Together[] },
): Kind[] {
  const name = `${of} select`
  const type = `${of}_select`
  const several: Record<string, Type> = { ...placed, max_selected_items: whole(1, 100), ...own }
  return [
    element(
      [name, type, 'select-menu-element'],
      { ...placed, ...own, ...one, [initial]: choice },
      { together },
    ),
    element(
      [`multi ${name}`, `multi_${type}`, 'multi-select-menu-element'],
      { ...several, [`${initial}s`]: list(choice, 100) },
      { together: [...together, fewEnough] },
    ),
  ]
}

const id = text(50)
const option = kind('menu option')
const options: Record<string, Type> = {
  options: list(option, 100),
  option_groups: list(kind('option group'), 100),
}
const conversations: Record<string, Type> = {
  default_to_current_conversation: flag,
  filter: kind('conversation filter'),
}
const answered = { response_url_enabled: flag }

/** Select menus. */
export const MENUS: readonly Kind[] = [
  ...menus('static', options, {
    initial: 'initial_option',
    choice: option,
    together: [oneOf('options', 'option_groups'), initialAmongOptions],
  }),
  ...menus('external', { min_query_length: whole(0, 100) }, { initial: 'initial_option', choice: option }),
  ...menus('users', {}, { initial: 'initial_user', choice: id }),
  ...menus('channels', {}, { initial: 'initial_channel', choice: id, one: answered }),
  ...menus('conversations', conversations, { initial: 'initial_conversation', choice: id, one: answered }),
]
