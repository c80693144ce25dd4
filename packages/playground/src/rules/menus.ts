import { EXAMPLE_CONFIRM, placed, source } from './elements.ts'
import {
  choice,
  fields,
  flag,
  type Kind,
  kind,
  list,
  say,
  type Together,
  type Type,
  text,
  whole,
} from './rule.ts'
import { fewEnough, initialAmongOptions, oneOf } from './together.ts'

const several: Record<string, Type> = { ...placed, max_selected_items: whole(1, 100) }
const lists: Record<string, Type> = {
  options: list(kind('menu option'), 100),
  option_groups: list(kind('option group'), 100),
}
const conversations: Record<string, Type> = {
  default_to_current_conversation: flag,
  filter: kind('conversation filter'),
}
const id = text(50)
const ids = list(id, 100)
const option = kind('menu option')
const initialOptions = list(option, 100)

const ONE = { action_id: 'a', focus_on_load: true, confirm: EXAMPLE_CONFIRM, placeholder: say('Choose') }
const MANY = { ...ONE, max_selected_items: 2 }
const OPTIONS = [choice('One', '1'), choice('Two', '2')]
const FILTER = { include: ['public'] }

function menu(
  type: string,
  shape: Record<string, Type>,
  example: Kind['example'],
  together: readonly Together[] = [],
): Kind {
  const isMulti = type.startsWith('multi_')
  return {
    name: type.replaceAll('_', ' '),
    family: 'element',
    type,
    fields: fields({ ...(isMulti ? several : placed), ...shape }),
    together: isMulti ? [...together, fewEnough] : together,
    source: source(isMulti ? 'multi-select-menu-element' : 'select-menu-element'),
    example: { type, ...(isMulti ? MANY : ONE), ...example },
  }
}

const staticRules = [oneOf('options', 'option_groups'), initialAmongOptions]

/** Select menus, of one choice and of many. */
export const MENUS: readonly Kind[] = [
  menu(
    'static_select',
    { ...lists, initial_option: option },
    { options: OPTIONS, initial_option: choice('One', '1') },
    staticRules,
  ),
  menu(
    'multi_static_select',
    { ...lists, initial_options: initialOptions },
    { option_groups: [{ label: say('All'), options: OPTIONS }], initial_options: [choice('One', '1')] },
    staticRules,
  ),
  menu(
    'external_select',
    { initial_option: option, min_query_length: whole(0, 100) },
    { initial_option: choice('One', '1'), min_query_length: 2 },
  ),
  menu(
    'multi_external_select',
    { initial_options: initialOptions, min_query_length: whole(0, 100) },
    { initial_options: [choice('One', '1')], min_query_length: 0 },
  ),
  menu('users_select', { initial_user: id }, { initial_user: 'U0MEMBER01' }),
  menu('multi_users_select', { initial_users: ids }, { initial_users: ['U0MEMBER01'] }),
  menu(
    'channels_select',
    { initial_channel: id, response_url_enabled: flag },
    { initial_channel: 'C0GENERAL1', response_url_enabled: false },
  ),
  menu('multi_channels_select', { initial_channels: ids }, { initial_channels: ['C0GENERAL1'] }),
  menu(
    'conversations_select',
    { ...conversations, initial_conversation: id, response_url_enabled: flag },
    {
      initial_conversation: 'C0GENERAL1',
      default_to_current_conversation: true,
      filter: FILTER,
      response_url_enabled: false,
    },
  ),
  menu(
    'multi_conversations_select',
    { ...conversations, initial_conversations: ids },
    { initial_conversations: ['C0GENERAL1'], default_to_current_conversation: true, filter: FILTER },
  ),
]
