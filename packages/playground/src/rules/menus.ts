import { initialIsOption, maxInitialValues } from './cross-field-rules.ts'
import { menuFields } from './elements.ts'
import { element, integer, type Kind, kind, list, text, type ValueType } from './rule.ts'

const id = text(50)
const option = kind('menu option')

/** Defines a multi-select menu. */
const multiSelect = (source: string, fields: Record<string, ValueType>): Kind =>
  element(
    [`multi ${source} select`, `multi_${source}_select`, 'multi-select-menu-element'],
    { ...menuFields, max_selected_items: integer(1, 100), ...fields },
    { crossFieldRules: [maxInitialValues] },
  )

/** The rules for select menus. */
export const MENUS: readonly Kind[] = [
  element(
    ['static select', 'static_select', 'select-menu-element'],
    { ...menuFields, 'options!': list(option, 100), initial_option: option },
    { crossFieldRules: [initialIsOption] },
  ),
  element(['conversations select', 'conversations_select', 'select-menu-element'], {
    ...menuFields,
    filter: kind('conversation filter'),
    initial_conversation: id,
  }),
  multiSelect('external', { min_query_length: integer(0, 100), initial_options: list(option, 100) }),
  multiSelect('users', { initial_users: list(id, 100) }),
]
