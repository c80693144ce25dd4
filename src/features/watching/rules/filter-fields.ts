import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import type { FieldTable } from '../../../bot/typed/fields.ts'
import { listField } from '../../../bot/typed/list-field.ts'
import { searchField } from '../../../bot/typed/search-field.ts'
import { findUuid } from '../../../domain/find-check.ts'
import { foldName } from '../../../domain/typed-text/fold-name.ts'
import { formatList } from '../../../domain/wording.ts'
import type { WatchField, WatchFilter, WatchRule } from './watch.ts'

/** The conditions of a filter, by field. A field without conditions matches everything. */
export type FilterValues = Partial<Record<WatchField | 'not', readonly WatchRule[]>>

const MAX_RULES = 50
const MAX_PATTERN_LENGTH = 200
const MAX_SHOWN_LENGTH = 60
const MAX_SHOWN_RULES = 8

/** Parses a pattern for a field. Throws UserError if the field can't have it. */
function parseRule(field: WatchField, typed: string): WatchRule {
  const pattern = typed.trim()
  if (pattern === '') throw new UserError('A condition needs a value.')
  if (pattern.length > MAX_PATTERN_LENGTH)
    throw new UserError(`A name in a watch can have up to ${MAX_PATTERN_LENGTH} characters.`)
  if (field === 'name') return { field, pattern }
  const uuid = findUuid(pattern)
  if (uuid) return { field, pattern: uuid }
  throw new UserError(`“${pattern}” isn’t the UUID of a health check. To match names, use --name.`)
}

const describeRule = ({ pattern, label }: WatchRule): string =>
  clip(oneLine(label ?? pattern), MAX_SHOWN_LENGTH)
const formatRules = (rules: readonly WatchRule[]): string =>
  formatList(rules.map(describeRule), MAX_SHOWN_RULES, (name) => name)

export const FILTER: FieldTable<FilterValues> = {
  uuid: searchField('uuid', 'Health checks', {
    help: 'A single health check, by its UUID',
    describe: formatRules,
    hint: 'Type part of a name. To watch every health check, leave this and the names empty.',
    placeholder: 'Search by name',
    maxItems: MAX_RULES,
    read: (typed) => parseRule('uuid', typed),
    toChoice: (rule) => ({ label: describeRule(rule), value: rule.pattern }),
  }),
  name: listField('name', 'Names', {
    read: (typed) => parseRule('name', typed),
    write: ({ pattern }) => pattern,
    describe: formatRules,
    placeholder: 'web-*',
    hint: 'One per line; * matches anything, including health checks that don’t exist yet.',
  }),
  not: listField('not', 'Leave out', {
    read: (typed) => parseRule('name', typed),
    write: ({ pattern }) => pattern,
    describe: (rules) => `except ${formatRules(rules)}`,
    placeholder: 'web-test*',
    hint: 'Names, one per line.',
  }),
}

/** Builds a filter. Throws UserError if there are too many conditions. */
export function toFilter({ not: exclude = [], name = [], uuid = [] }: FilterValues): WatchFilter {
  const include = [...name, ...uuid]
  if (include.length + exclude.length > MAX_RULES)
    throw new UserError(`A watch can have up to ${MAX_RULES} conditions. Create two watches instead.`)
  // `*` beside other names covers them, too.
  return { include: include.some(isEverything) ? [] : include, exclude }
}

const isEverything = ({ field, pattern }: WatchRule): boolean =>
  field === 'name' && /^\*+$/.test(foldName(pattern))

export function toFilterValues({ include, exclude }: WatchFilter): FilterValues {
  const rules = Object.fromEntries(Map.groupBy(include, ({ field }) => field))
  return { ...rules, ...(exclude.length > 0 && { not: exclude }) }
}

/** Identifies a filter: its conditions, in any order. */
export const toFilterKey = ({ include, exclude }: WatchFilter): string =>
  JSON.stringify(
    [include, exclude].map((rules) => [
      ...new Set(rules.map(({ field, pattern }) => `${field} ${foldName(pattern)}`).toSorted()),
    ]),
  )

const MAX_NAMED_WATCHES = 5

/** What some watches are about: `web-* except web-test*, every health check`. */
export const nameWatches = (watches: readonly { readonly filter: WatchFilter }[]): string =>
  formatList(watches, MAX_NAMED_WATCHES, ({ filter }) => describeFilter(filter))

/** `web-*, api-* except web-test*` */
export const describeFilter = ({ include, exclude }: WatchFilter): string =>
  [
    include.length > 0 ? formatRules(include) : 'every health check',
    ...(exclude.length > 0 ? [`except ${formatRules(exclude)}`] : []),
  ].join(' ')
