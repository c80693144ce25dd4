import { exactlyOneOf, initialIsOption, maxInitialValues } from './cross-field-rules.ts'
import { menuFields } from './elements.ts'
import {
  boolean,
  type CrossFieldRule,
  element,
  integer,
  type Kind,
  kind,
  list,
  text,
  type ValueType,
} from './rule.ts'

/** Defines the select menu and the multi-select menu for one source of options. */
function menuKinds(
  source: string,
  sourceFields: Record<string, ValueType>,
  {
    initial,
    choice,
    singleFields = {},
    crossFieldRules = [],
  }: {
    initial: string
    choice: ValueType
    /** Fields that the multi-select menu doesn't have. */
    singleFields?: Record<string, ValueType>
    crossFieldRules?: readonly CrossFieldRule[]
  },
): Kind[] {
  const name = `${source} select`
  const type = `${source}_select`
  const multiFields: Record<string, ValueType> = {
    ...menuFields,
    max_selected_items: integer(1, 100),
    ...sourceFields,
  }
  return [
    element(
      [name, type, 'select-menu-element'],
      { ...menuFields, ...sourceFields, ...singleFields, [initial]: choice },
      { crossFieldRules },
    ),
    element(
      [`multi ${name}`, `multi_${type}`, 'multi-select-menu-element'],
      { ...multiFields, [`${initial}s`]: list(choice, 100) },
      { crossFieldRules: [...crossFieldRules, maxInitialValues] },
    ),
  ]
}

const id = text(50)
const option = kind('menu option')
const options: Record<string, ValueType> = {
  options: list(option, 100),
  option_groups: list(kind('option group'), 100),
}
const conversations: Record<string, ValueType> = {
  default_to_current_conversation: boolean,
  filter: kind('conversation filter'),
}
const responseUrlField = { response_url_enabled: boolean }

/** The rules for select menus. */
export const MENUS: readonly Kind[] = [
  ...menuKinds('static', options, {
    initial: 'initial_option',
    choice: option,
    crossFieldRules: [exactlyOneOf('options', 'option_groups'), initialIsOption],
  }),
  ...menuKinds(
    'external',
    { min_query_length: integer(0, 100) },
    { initial: 'initial_option', choice: option },
  ),
  ...menuKinds('users', {}, { initial: 'initial_user', choice: id }),
  ...menuKinds('channels', {}, { initial: 'initial_channel', choice: id, singleFields: responseUrlField }),
  ...menuKinds('conversations', conversations, {
    initial: 'initial_conversation',
    choice: id,
    singleFields: responseUrlField,
  }),
]
