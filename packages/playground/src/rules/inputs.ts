import { element, flag, type Kind, kind, list, plain, type Together, type Type, text, whole } from './rule.ts'
import { lengths, numbers } from './together.ts'

const typed: Record<string, Type> = {
  action_id: text(255),
  focus_on_load: flag,
  placeholder: plain(150),
  dispatch_action_config: kind('dispatch configuration'),
}
const number: Type = { is: 'pattern', pattern: /^-?\d+(\.\d+)?$/, wanted: 'a number in a string' }
const initial = { initial_value: text(3000, 0) }
const INITIAL = "Whether Slack refuses an initial value that a person couldn't type isn't known."

/** A text input. Its page is named after its type, without `text` except for the plain one. */
function input(
  type: string,
  shape: Record<string, Type>,
  more: { together?: readonly Together[]; unsettled?: string } = { unsettled: INITIAL },
): Kind {
  const page = type.replace(/^(email|url)_text/, '$1').replaceAll('_', '-')
  return element([type.replaceAll('_', ' '), type, `${page}-element`], { ...typed, ...shape }, more)
}

/** What a person types or uploads. */
export const INPUTS: readonly Kind[] = [
  input(
    'plain_text_input',
    { ...initial, multiline: flag, min_length: whole(0, 3000), max_length: whole(1, 3000) },
    { together: [lengths], unsettled: INITIAL },
  ),
  input('email_text_input', initial),
  input('url_text_input', initial),
  input(
    'number_input',
    { initial_value: number, 'is_decimal_allowed!': flag, min_value: number, max_value: number },
    { together: [numbers] },
  ),
  input(
    'rich_text_input',
    { initial_value: kind('rich text'), min_lines: whole(1, 100), max_lines: whole(1, 100) },
    { unsettled: "The maximum number of lines isn't documented." },
  ),
  element(['file input', 'file_input', 'file-input-element'], {
    ...{ action_id: text(255), filetypes: list(text(20), 100), max_files: whole(1, 10) },
  }),
]
