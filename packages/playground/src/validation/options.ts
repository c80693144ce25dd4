import type { Json } from '../protocol/json.ts'
import { isFields } from '../protocol/json.ts'
import { kind, list } from '../rules/rule.ts'
import { addError, checkType, createCheck, formatError } from './check.ts'

/** The options in an app's response. Unlike in an element, the list may be empty. */
const OPTIONS = list(kind('menu option'), 100, 0)

/** Validates an app's response to `block_suggestion`. Returns an error message for each problem. */
export function checkOptions(response: Json): string[] {
  const check = createCheck('modal')
  if (!isFields(response) || response.options === undefined)
    return ['The response must be JSON with `options`.']
  for (const [name, value] of Object.entries(response)) {
    if (name === 'options') checkType(OPTIONS, value, '/options', check)
    else addError(check, '', `invalid additional property: ${name}`)
  }
  return check.errors.map(formatError)
}
