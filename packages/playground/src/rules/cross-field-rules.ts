import type { Json } from '../protocol/json.ts'
import { asList, asString, isFields } from '../protocol/json.ts'
import type { CrossFieldRule } from './rule.ts'

/** Requires at least one of the fields. The error names the first field. */
export const atLeastOneOf = (firstField: string, ...otherFields: string[]): CrossFieldRule => ({
  check(value, report) {
    if ([firstField, ...otherFields].every((name) => value[name] === undefined))
      report('', `missing required field: ${firstField}`)
  },
})

const isSameOption = (a: Json, b: Json): boolean =>
  isFields(a) && isFields(b) && a.value === b.value && JSON.stringify(a.text) === JSON.stringify(b.text)

export const initialIsOption: CrossFieldRule = {
  check(value, report) {
    const isMissing = (initial: Json) =>
      !asList(value.options).some((option) => isSameOption(option, initial))
    if (value.initial_option !== undefined && isMissing(value.initial_option))
      report('/initial_option', 'must be one of the provided options')
    for (const [index, initial] of asList(value.initial_options).entries())
      if (isMissing(initial)) report(`/initial_options/${index}`, 'must be one of the provided options')
  },
}

/** Forbids two items of a list with the same text in `field`. */
export const distinctBy = (list: string, field: string): CrossFieldRule => ({
  check(value, report) {
    const seen = new Set<string>()
    for (const [index, item] of asList(value[list]).entries()) {
      const key = isFields(item) ? asString(item[field]) : undefined
      if (key === undefined) continue
      if (seen.has(key))
        report(`/${list}/${index}/${field}`, `\`${field}\` "${key}" already exists among the ${list}`)
      seen.add(key)
    }
  },
})

export const maxInitialValues: CrossFieldRule = {
  check(value, report) {
    const max = value.max_selected_items
    const name = Object.keys(value).find((field) => field.startsWith('initial_')) ?? ''
    if (typeof max === 'number' && asList(value[name]).length > max)
      report(`/${name}`, `no more than ${max} items allowed`)
  },
}

const isBelow = (low: unknown, high: unknown): boolean =>
  typeof low === 'string' && typeof high === 'string' && Number(low) < Number(high)

export const numberRange: CrossFieldRule = {
  check({ min_value, max_value, initial_value, is_decimal_allowed: isDecimal }, report) {
    for (const [name, value] of Object.entries({ min_value, max_value, initial_value }))
      if (isDecimal === false && typeof value === 'string' && value.includes('.'))
        report(`/${name}`, 'must be a whole number if is_decimal_allowed is false')
    if (isBelow(max_value, min_value)) report('/min_value', 'must be less than or equal to max_value')
    if (isBelow(initial_value, min_value))
      report('/initial_value', 'must be greater than or equal to min_value')
    if (isBelow(max_value, initial_value)) report('/initial_value', 'must be less than or equal to max_value')
  },
}
