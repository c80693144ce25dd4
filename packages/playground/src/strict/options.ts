import { isFields } from '../json.ts'
import type { Json } from '../protocol.ts'
import { kind, list } from '../rules/rule.ts'
import { oneOf } from '../rules/together.ts'
import { checkType, createCheck, fault, worded } from './check.ts'

/** An answer can offer nothing; an element can't. */
const LISTS = {
  options: list(kind('menu option'), 100, 0),
  option_groups: list(kind('option group'), 100, 0),
}

/** The problems of an answer to `block_suggestion`; none if it is well formed. */
export function checkOptions(answer: Json): string[] {
  const check = createCheck('modal')
  if (!isFields(answer)) return ['The answer must be JSON with `options` or `option_groups`.']
  for (const [name, inner] of Object.entries(answer)) {
    if (name === 'options' || name === 'option_groups') checkType(LISTS[name], inner, `/${name}`, check)
    else fault(check, '', `invalid additional property: ${name}`)
  }
  oneOf('options', 'option_groups').check(answer, (below, message) => fault(check, below, message), 'modal')
  return check.faults.map(worded)
}
