import { base, source } from './elements.ts'
import {
  type Field,
  fields,
  flag,
  type Kind,
  kind,
  list,
  plain,
  say,
  type Together,
  type Type,
  text,
  whole,
} from './rule.ts'
import { lengths, numbers } from './together.ts'

const typed: Record<string, Type> = {
  ...base,
  focus_on_load: flag,
  placeholder: plain(150),
  dispatch_action_config: kind('dispatch configuration'),
}
const number: Type = { is: 'pattern', pattern: /^-?\d+(\.\d+)?$/, wanted: 'a number in a string' }
const TYPED = {
  action_id: 'a',
  focus_on_load: true,
  placeholder: say('Type here'),
  dispatch_action_config: { trigger_actions_on: ['on_enter_pressed'] },
}

function input(
  type: string,
  shape: Record<string, Type>,
  example: Kind['example'],
  more: { page: string; together?: readonly Together[]; unsettled?: string },
): Kind {
  const { page, ...rest } = more
  const own: Record<string, Field> = fields({ ...typed, ...shape })
  return {
    name: type.replaceAll('_', ' '),
    family: 'element',
    type,
    fields: own,
    source: source(page),
    example: { type, ...TYPED, ...example },
    ...rest,
  }
}

const INITIAL = 'Whether Slack refuses an initial value that a person could not type is not known.'

/** What a person types or uploads. */
export const INPUTS: readonly Kind[] = [
  input(
    'plain_text_input',
    { initial_value: text(3000, 0), multiline: flag, min_length: whole(0, 3000), max_length: whole(1, 3000) },
    { initial_value: 'typed', multiline: true, min_length: 1, max_length: 100 },
    { page: 'plain-text-input-element', together: [lengths], unsettled: INITIAL },
  ),
  input(
    'email_text_input',
    { initial_value: text(3000, 0) },
    { initial_value: 'ann@example.com' },
    { page: 'email-input-element', unsettled: INITIAL },
  ),
  input(
    'url_text_input',
    { initial_value: text(3000, 0) },
    { initial_value: 'https://example.com' },
    { page: 'url-input-element', unsettled: INITIAL },
  ),
  input(
    'number_input',
    { initial_value: number, 'is_decimal_allowed!': flag, min_value: number, max_value: number },
    { initial_value: '1.5', is_decimal_allowed: true, min_value: '-1', max_value: '9' },
    { page: 'number-input-element', together: [numbers] },
  ),
  input(
    'rich_text_input',
    { initial_value: kind('rich text'), min_lines: whole(1, 100), max_lines: whole(1, 100) },
    { initial_value: { type: 'rich_text', elements: [] }, min_lines: 1, max_lines: 9 },
    { page: 'rich-text-input-element', unsettled: 'How many lines it may have is not said.' },
  ),
  {
    name: 'file input',
    family: 'element',
    type: 'file_input',
    fields: fields({ ...base, filetypes: list(text(20), 100), max_files: whole(1, 10) }),
    source: source('file-input-element'),
    example: { type: 'file_input', action_id: 'a', filetypes: ['csv'], max_files: 2 },
  },
]
