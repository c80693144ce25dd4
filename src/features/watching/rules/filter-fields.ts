import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { describeFields, type Field, type FieldTable } from '../../../bot/typed/fields.ts'
import { listField } from '../../../bot/typed/list-field.ts'
import { searchField } from '../../../bot/typed/search-field.ts'
import { findUuid } from '../../../domain/find-check.ts'
import { formatList } from '../../../domain/wording.ts'
import type { WatchField, WatchFilter, WatchRule } from './watch.ts'

/** The conditions of a filter, by field. A field without conditions matches everything. */
export type FilterValues = Partial<Record<WatchField | 'not', readonly WatchRule[]>>

const FIELDS: readonly WatchField[] = ['name', 'uuid', 'target', 'protocol', 'customer']
const MAX_RULES = 50
const MAX_PATTERN_LENGTH = 200
const MAX_SHOWN_LENGTH = 60
const MAX_SHOWN_RULES = 8
/** Matches a condition with a field in `--not`, such as `target=*.example.org`. */
const FIELD_PREFIX = /^(name|target|protocol|customer)\s*[=:]\s*(.+)$/is
const PROTOCOLS = ['TCP', 'HTTP', 'HTTPS'] as const

/** Parses a pattern for a field. Throws UserError if the field can't have it. */
function parseRule(field: WatchField, typed: string): WatchRule {
  const pattern = typed.trim()
  if (pattern === '') throw new UserError('A condition needs a value.')
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new UserError(`A name or target in a watch can have up to ${MAX_PATTERN_LENGTH} characters.`)
  if (field === 'customer' && !/^\d{1,15}$/.test(pattern))
    throw new UserError(`“${pattern}” isn’t a customer ID. Type a whole number.`)
  if (field === 'uuid') {
    const uuid = findUuid(pattern)
    if (uuid) return { field, pattern: uuid }
    throw new UserError(`“${pattern}” isn’t the UUID of a health check. To match names, use --name.`)
  }
  if (field === 'protocol') return { field, pattern: readProtocol(pattern) }
  return { field, pattern }
}

function readProtocol(typed: string): string {
  const found = PROTOCOLS.find((protocol) => protocol === typed.toUpperCase())
  if (found) return found
  throw new UserError(`“${typed}” isn’t a protocol. Use ${PROTOCOLS.join(', ')}.`)
}

/** Parses a name, or a condition such as `target=…`, `protocol=…`, or `customer=…`. */
function parseExcludedRule(typed: string): WatchRule {
  const [, field, pattern] = FIELD_PREFIX.exec(typed) ?? []
  if (field === undefined || pattern === undefined) return parseRule('name', typed)
  // The regular expression lets only these fields through.
  return parseRule(field.toLowerCase() as WatchField, pattern)
}

const formatExcludedRule = ({ field, pattern }: WatchRule): string =>
  field === 'name' && !FIELD_PREFIX.test(pattern) ? pattern : `${field}=${pattern}`

const describeRule = ({ pattern, label }: WatchRule): string =>
  clip(oneLine(label ?? pattern), MAX_SHOWN_LENGTH)
const formatRules = (rules: readonly WatchRule[], formatRule = describeRule): string =>
  formatList(rules.map(formatRule), MAX_SHOWN_RULES, (name) => name)

const ruleField = (
  field: WatchField,
  label: string,
  options: {
    describe?: (rules: readonly WatchRule[]) => string
    hint?: string
    choices?: readonly string[]
    synonyms?: Readonly<Record<string, string>>
  } = {},
): Field<readonly WatchRule[]> =>
  listField(field, label, {
    describe: (rules) => `${field} ${formatRules(rules)}`,
    ...options,
    read: (typed) => parseRule(field, typed),
    write: ({ pattern }) => pattern,
  })

/** The conditions of a watch. */
export const FILTER: FieldTable<FilterValues> = {
  name: ruleField('name', 'Names', {
    describe: formatRules,
    hint: 'One per line; * matches anything, including health checks that don’t exist yet.',
  }),
  uuid: searchField('uuid', 'Health checks', {
    help: 'A single health check, by its UUID',
    describe: formatRules,
    hint: 'Type part of a name. To watch every health check, leave this and the names empty.',
    placeholder: 'Search by name',
    max: MAX_RULES,
    read: (typed) => parseRule('uuid', typed),
    toChoice: (rule) => ({ label: describeRule(rule), value: rule.pattern }),
  }),
  target: ruleField('target', 'Only these targets', { hint: 'One per line; * matches anything.' }),
  protocol: ruleField('protocol', 'Only these protocols', { choices: PROTOCOLS }),
  customer: ruleField('customer', 'Only these customers', { hint: 'Customer IDs, one per line.' }),
  not: listField('not', 'Leave out', {
    read: parseExcludedRule,
    write: formatExcludedRule,
    describe: (rules) =>
      `not ${formatRules(rules, (rule) => (rule.field === 'name' ? describeRule(rule) : `${rule.field} ${describeRule(rule)}`))}`,
    placeholder: 'web-test*',
    hint: 'A name, or target=…, protocol=…, customer=…, one per line.',
  }),
}

/** Builds a filter. Throws UserError if there are too many conditions. */
export function toFilter({ not: exclude = [], ...values }: FilterValues): WatchFilter {
  const include = FIELDS.flatMap((field) => values[field] ?? [])
  if (include.length + exclude.length > MAX_RULES)
    throw new UserError(`A watch can have up to ${MAX_RULES} conditions. Create two watches instead.`)
  return { include: include.filter(({ field, pattern }) => field !== 'name' || pattern !== '*'), exclude }
}

/** The reverse of `toFilter`. */
export function toFilterValues({ include, exclude }: WatchFilter): FilterValues {
  const rules = Object.fromEntries(Map.groupBy(include, ({ field }) => field))
  return { ...rules, ...(exclude.length > 0 && { not: exclude }) }
}

/** `web-*, api-*; protocol HTTPS; not web-test*` */
export function describeFilter(filter: WatchFilter): string {
  const { name, uuid, ...others } = toFilterValues(filter)
  const names = [...(name ?? []), ...(uuid ?? [])]
  return [
    names.length > 0 ? formatRules(names) : 'every health check',
    ...describeFields(FILTER, others),
  ].join('; ')
}
