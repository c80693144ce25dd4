import { initialIsOption, maxInitialValues } from './cross-field-rules.ts'
import { menuFields } from './elements.ts'
import { element, integer, type Kind, kind, list, text } from './rule.ts'

const option = kind('menu option')

/** The rules for select menus. */
export const MENUS: readonly Kind[] = [
  element(
    'static_select',
    { ...menuFields, 'options!': list(option, 100), initial_option: option },
    { crossFieldRules: [initialIsOption] },
  ),
  element('conversations_select', {
    ...menuFields,
    filter: kind('conversation filter'),
    initial_conversation: text(50),
  }),
  element(
    'multi_external_select',
    {
      ...menuFields,
      max_selected_items: integer(1, 100),
      min_query_length: integer(0, 100),
      initial_options: list(option, 100),
    },
    { crossFieldRules: [maxInitialValues] },
  ),
]
