import type { Json } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import { exactlyOneOf } from '../rules/cross-field-rules.ts'
import { kind, list } from '../rules/rule.ts'
import { addError, checkType, createCheck, formatError } from './check.ts'

/** The lists in an app's response. Unlike in an element, they may be empty. */
const RESPONSE_FIELDS = {
  options: list(kind('menu option'), 100, 0),
  option_groups: list(kind('option group'), 100, 0),
}

/** Validates an app's response to `block_suggestion`. Returns an error message for each problem. */
export function checkOptions(response: Json): string[] {
  const check = createCheck('modal')
  if (!isFields(response)) return ['The response must be JSON with `options` or `option_groups`.']
  for (const [name, value] of Object.entries(response)) {
    if (name === 'options' || name === 'option_groups')
      checkType(RESPONSE_FIELDS[name], value, `/${name}`, check)
    else addError(check, '', `invalid additional property: ${name}`)
  }
  exactlyOneOf('options', 'option_groups').check(
    response,
    (path, message) => addError(check, path, message),
    'modal',
  )
  return check.errors.map(formatError)
}
