import { lengthRange, numberRange } from './cross-field-rules.ts'
import {
  boolean,
  type CrossFieldRule,
  element,
  integer,
  type Kind,
  kind,
  list,
  plainText,
  text,
  type ValueType,
} from './rule.ts'

const inputFields: Record<string, ValueType> = {
  action_id: text(255),
  focus_on_load: boolean,
  placeholder: plainText(150),
  dispatch_action_config: kind('dispatch configuration'),
}
const number: ValueType = { type: 'pattern', pattern: /^-?\d+(\.\d+)?$/, expected: 'a number in a string' }
/** It isn't documented whether Slack refuses an initial value that a person couldn't type. */
const initial = { initial_value: text(3000, 0) }

/** Defines a text input. Its page in Slack's reference is named after its type, without `text` for emails and URLs. */
function input(
  type: string,
  shape: Record<string, ValueType>,
  crossFieldRules: readonly CrossFieldRule[] = [],
): Kind {
  const page = type.replace(/^(email|url)_text/, '$1').replaceAll('_', '-')
  return element(
    [type.replaceAll('_', ' '), type, `${page}-element`],
    { ...inputFields, ...shape },
    { crossFieldRules },
  )
}

/** The rules for elements that a person types into or uploads files to. */
export const INPUTS: readonly Kind[] = [
  input(
    'plain_text_input',
    { ...initial, multiline: boolean, min_length: integer(0, 3000), max_length: integer(1, 3000) },
    [lengthRange],
  ),
  input('email_text_input', initial),
  input('url_text_input', initial),
  input(
    'number_input',
    { initial_value: number, 'is_decimal_allowed!': boolean, min_value: number, max_value: number },
    [numberRange],
  ),
  element(['file input', 'file_input', 'file-input-element'], {
    action_id: text(255),
    filetypes: list(text(20), 100),
    max_files: integer(1, 10),
  }),
]
