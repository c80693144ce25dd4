import type { Json } from '../protocol.ts'
import { oneOf, optionGroups, options } from './objects.ts'
import { all, anything, createCheck, list, object, type Rule } from './rules.ts'

const lists: Rule = object({ options: allowEmpty(options), option_groups: allowEmpty(optionGroups) })

/** An answer may offer nothing; an element may not. */
function allowEmpty(rule: Rule): Rule {
  return (value, at, check) =>
    (Array.isArray(value) && value.length === 0 ? list(anything, 0, 0) : rule)(value, at, check)
}

/** The faults of an answer to `block_suggestion`; none when it is well formed. */
export function checkOptions(answer: Json): string[] {
  const check = createCheck('modal')
  all(oneOf('options', 'option_groups'), lists)(answer, '', check)
  if (typeof answer !== 'object')
    check.faults.push('The answer must be JSON with `options` or `option_groups`.')
  return check.faults
}
