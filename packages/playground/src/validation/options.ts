import { isFields } from '../json.ts'
import type { Json } from '../protocol.ts'
import { exactlyOneOf } from '../rules/cross-field-rules.ts'
import { kind, list } from '../rules/rule.ts'
import { addError, checkType, createCheck, formatError } from './check.ts'

/** In a response, unlike in an element, these lists may be empty. */
const ANSWER_FIELDS = {
  options: list(kind('menu option'), 100, 0),
  option_groups: list(kind('option group'), 100, 0),
}

/** Validates an app's response to `block_suggestion`. Returns an error message for each problem. */
export function checkOptions(answer: Json): string[] {
  const check = createCheck('modal')
  if (!isFields(answer)) return ['The response must be JSON with `options` or `option_groups`.']
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'options' || name === 'option_groups')
      checkType(ANSWER_FIELDS[name], value, `/${name}`, check)
    else addError(check, '', `invalid additional property: ${name}`)
  }
  exactlyOneOf('options', 'option_groups').check(
    answer,
    (path, message) => addError(check, path, message),
    'modal',
  )
  return check.errors.map(formatError)
}
