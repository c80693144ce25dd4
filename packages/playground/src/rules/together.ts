import { fieldsOf, isFields, listOf, stringOf } from '../json.ts'
import type { Fields, Json } from '../protocol.ts'
import type { Together } from './rule.ts'

/** Rules that several kinds share. */
export const oneOf = (first: string, second: string): Together => ({
  says: `exactly one of \`${first}\` and \`${second}\``,
  check(value, fault) {
    const has = (name: string) => value[name] !== undefined
    if (has(first) === has(second))
      fault('', `must define either \`${first}\` or \`${second}\`, not ${has(first) ? 'both' : 'neither'}`)
  },
})

/** `first` is the field that the message asks for. */
export const someOf = (first: string, ...others: string[]): Together => ({
  says: `at least one of ${[first, ...others].map((name) => `\`${name}\``).join(', ')}`,
  check(value, fault) {
    if ([first, ...others].every((name) => value[name] === undefined))
      fault('', `missing required field: ${first}`)
  },
})

const offered = (value: Fields): Json[] => [
  ...listOf(value.options),
  ...fieldsOf(value.option_groups).flatMap((group) => listOf(group.options)),
]

const same = (a: Json, b: Json): boolean =>
  isFields(a) && isFields(b) && a.value === b.value && JSON.stringify(a.text) === JSON.stringify(b.text)

export const initialAmongOptions: Together = {
  says: 'every initial option equals one of the options, including its label',
  check(value, fault) {
    const missing = (initial: Json) => !offered(value).some((option) => same(option, initial))
    if (value.initial_option !== undefined && missing(value.initial_option))
      fault('/initial_option', 'must be one of the provided options')
    for (const [index, initial] of listOf(value.initial_options).entries())
      if (missing(initial)) fault(`/initial_options/${index}`, 'must be one of the provided options')
  },
}

/** No two items of a list have the same text in `field`. */
export const distinctBy = (list: string, field: string): Together => ({
  says: `no two of \`${list}\` have the same \`${field}\``,
  check(value, fault) {
    const seen = new Set<string>()
    for (const [index, one] of listOf(value[list]).entries()) {
      const key = isFields(one) ? stringOf(one[field]) : undefined
      if (key === undefined) continue
      if (seen.has(key))
        fault(`/${list}/${index}/${field}`, `\`${field}\` "${key}" already exists among the ${list}`)
      seen.add(key)
    }
  },
})

export const fewEnough: Together = {
  says: 'no more initial values than `max_selected_items`',
  check(value, fault) {
    const most = value.max_selected_items
    const name = Object.keys(value).find((one) => one.startsWith('initial_')) ?? ''
    if (typeof most === 'number' && listOf(value[name]).length > most)
      fault(`/${name}`, `no more than ${most} items allowed`)
  },
}

export const lengths: Together = {
  says: '`min_length` is at most `max_length`',
  check({ min_length: min, max_length: max }, fault) {
    if (typeof min === 'number' && typeof max === 'number' && min > max)
      fault('/min_length', 'must be less than or equal to max_length')
  },
}

const below = (low: unknown, high: unknown): boolean =>
  typeof low === 'string' && typeof high === 'string' && Number(low) < Number(high)

export const numbers: Together = {
  says: 'whole numbers where `is_decimal_allowed` is false, and `initial_value` between `min_value` and `max_value`',
  check({ min_value, max_value, initial_value, is_decimal_allowed: isDecimal }, fault) {
    for (const [name, given] of Object.entries({ min_value, max_value, initial_value }))
      if (isDecimal === false && typeof given === 'string' && given.includes('.'))
        fault(`/${name}`, 'must be a whole number where is_decimal_allowed is false')
    if (below(max_value, min_value)) fault('/min_value', 'must be less than or equal to max_value')
    if (below(initial_value, min_value)) fault('/initial_value', 'must be greater than or equal to min_value')
    if (below(max_value, initial_value)) fault('/initial_value', 'must be less than or equal to max_value')
  },
}
