import { numberRange } from './cross-field-rules.ts'
import { boolean, element, integer, type Kind, kind, list, plainText, text, type ValueType } from './rule.ts'

const inputFields: Record<string, ValueType> = {
  action_id: text(255),
  placeholder: plainText(150),
  dispatch_action_config: kind('dispatch configuration'),
}
const number: ValueType = { type: 'pattern', pattern: /^-?\d+(\.\d+)?$/, expected: 'a number in a string' }

/** The rules for elements that a person types into or uploads files to. */
export const INPUTS: readonly Kind[] = [
  element('plain_text_input', {
    ...inputFields,
    // It isn't documented whether Slack refuses an initial value that a person couldn't type.
    initial_value: text(3000, 0),
    multiline: boolean,
    max_length: integer(1, 3000),
  }),
  element(
    'number_input',
    {
      ...inputFields,
      initial_value: number,
      'is_decimal_allowed!': boolean,
      min_value: number,
      max_value: number,
    },
    { crossFieldRules: [numberRange] },
  ),
  element('file_input', {
    action_id: text(255),
    filetypes: list(text(20), 100),
    max_files: integer(1, 10),
  }),
]
