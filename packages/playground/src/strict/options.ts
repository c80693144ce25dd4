import { isFields } from '../json.ts'
import type { Json } from '../protocol.ts'
import { kind, list } from '../rules/rule.ts'
import { oneOf } from '../rules/together.ts'
import { addFault, checkType, createCheck, formatFault } from './check.ts'

/** Unlike an element, an answer can have no options. */
const ANSWER_FIELDS = {
  options: list(kind('menu option'), 100, 0),
  option_groups: list(kind('option group'), 100, 0),
}

/** Validates an answer to `block_suggestion`. Returns the problems as sentences. */
export function checkOptions(answer: Json): string[] {
  const check = createCheck('modal')
  if (!isFields(answer)) return ['The answer must be JSON with `options` or `option_groups`.']
  for (const [name, inner] of Object.entries(answer)) {
    if (name === 'options' || name === 'option_groups')
      checkType(ANSWER_FIELDS[name], inner, `/${name}`, check)
    else addFault(check, '', `invalid additional property: ${name}`)
  }
  oneOf('options', 'option_groups').check(
    answer,
    (below, message) => addFault(check, below, message),
    'modal',
  )
  return check.faults.map(formatFault)
}
