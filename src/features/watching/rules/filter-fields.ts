import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { type Field, type FieldTable, sayFields } from '../../../bot/typed/fields.ts'
import { listField } from '../../../bot/typed/list-field.ts'
import { listed } from '../../../domain/wording.ts'
import type { WatchField, WatchFilter, WatchRule } from './watch.ts'

/** What fits; what is not named holds for everything. */
export type FilterValues = Partial<Record<WatchField | 'not', readonly WatchRule[]>>

const FIELDS: readonly WatchField[] = ['name', 'uuid', 'target', 'protocol', 'customer']
const MOST_RULES = 50
const MOST_PATTERN = 200
const SHOWN_PATTERN = 60
const SHOWN_RULES = 8
/** The fields other than the name that `--not` takes: `--not target=*.example.org`. */
const OF_FIELD = /^(name|target|protocol|customer)\s*[=:]\s*(.+)$/is
const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const

/** Throws UserError for a rule that cannot fit anything. */
function ruleOf(field: WatchField, typed: string): WatchRule {
  const pattern = typed.trim()
  if (pattern === '') throw new UserError('A condition needs a value.')
  if (pattern.length > MOST_PATTERN)
    throw new UserError(`A name or target in a watch can have up to ${MOST_PATTERN} characters.`)
  if (field === 'customer' && !/^\d{1,15}$/.test(pattern))
    throw new UserError(`“${pattern}” isn’t a customer ID. Type a whole number.`)
  if (field === 'protocol') return { field, pattern: oneOf(pattern, PROTOCOLS, 'protocol') }
  return { field, pattern }
}

function oneOf(typed: string, known: readonly string[], what: string): string {
  const found = known.find((one) => one === typed.toUpperCase())
  if (found) return found
  throw new UserError(`“${typed}” isn’t a ${what}. Use ${known.join(', ')}.`)
}

/** A name, or `target=…`, `protocol=…`, `customer=…`, `status=…`. */
function excludedRule(typed: string): WatchRule {
  const [, field, pattern] = OF_FIELD.exec(typed) ?? []
  if (field === undefined || pattern === undefined) return ruleOf('name', typed)
  // The regular expression lets only these fields through.
  return ruleOf(field.toLowerCase() as WatchField, pattern)
}

const excludedWords = ({ field, pattern }: WatchRule): string =>
  field === 'name' && !OF_FIELD.test(pattern) ? pattern : `${field}=${pattern}`

const ruleName = ({ pattern, label }: WatchRule): string => clip(oneLine(label ?? pattern), SHOWN_PATTERN)
const namesOf = (rules: readonly WatchRule[], nameOf = ruleName): string =>
  listed(rules.map(nameOf), SHOWN_RULES, (name) => name)

const ruleField = (
  field: WatchField,
  label: string,
  options: {
    says?: (rules: readonly WatchRule[]) => string
    hint?: string
    choices?: readonly string[]
    alsoTyped?: Readonly<Record<string, string>>
  } = {},
): Field<readonly WatchRule[]> =>
  listField(field, label, {
    says: (rules) => `${field} ${namesOf(rules)}`,
    ...options,
    read: (typed) => ruleOf(field, typed),
    write: ({ pattern }) => pattern,
  })

/** The conditions of a watch. */
export const FILTER: FieldTable<FilterValues> = {
  name: ruleField('name', 'Names', {
    says: namesOf,
    hint: 'One per line; * matches anything. Leave this and the UUIDs empty to watch every health check.',
  }),
  uuid: ruleField('uuid', 'Or single health checks by their UUID', { says: namesOf, hint: 'One per line.' }),
  target: ruleField('target', 'Only these targets', { hint: 'One per line; * matches anything.' }),
  protocol: ruleField('protocol', 'Only these protocols', { choices: PROTOCOLS }),
  customer: ruleField('customer', 'Only these customers', { hint: 'Customer IDs, one per line.' }),
  not: listField('not', 'Leave out', {
    read: excludedRule,
    write: excludedWords,
    says: (rules) =>
      `not ${namesOf(rules, (rule) => (rule.field === 'name' ? ruleName(rule) : `${rule.field} ${ruleName(rule)}`))}`,
    placeholder: 'web-test*',
    hint: 'A name, or target=…, protocol=…, customer=…, one per line.',
  }),
}

/** The filter that these values make. Throws UserError for more conditions than a watch takes. */
export function filterOf({ not: exclude = [], ...values }: FilterValues): WatchFilter {
  const include = FIELDS.flatMap((field) => values[field] ?? [])
  if (include.length + exclude.length > MOST_RULES)
    throw new UserError(`A watch can have up to ${MOST_RULES} conditions. Make two watches instead.`)
  return { include: include.filter(({ field, pattern }) => field !== 'name' || pattern !== '*'), exclude }
}

/** The other way round. */
export function filterValues({ include, exclude }: WatchFilter): FilterValues {
  const rules = Object.fromEntries(Map.groupBy(include, ({ field }) => field))
  return { ...rules, ...(exclude.length > 0 && { not: exclude }) }
}

/** `web-*, api-*; protocol HTTPS; not web-test*`: what a watch is about, in words. */
export function filterWords(filter: WatchFilter): string {
  const { name, uuid, ...others } = filterValues(filter)
  const names = [...(name ?? []), ...(uuid ?? [])]
  return [names.length > 0 ? namesOf(names) : 'every health check', ...sayFields(FILTER, others)].join('; ')
}
