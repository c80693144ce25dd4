import { Question } from '@signalman/runtime'
import { type Arguments, type FlagSpecs, refuseWordsWithFlags } from '../../bot/typed/command-line.ts'
import {
  choiceField,
  describeFields,
  type FieldTable,
  flagSpecs,
  numberField,
  offSwitchField,
  readFields,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import {
  PROTOCOLS,
  parseStatus,
  STATUS_WORDS,
  STATUSES,
  statusLabel,
  statusWord,
} from '../../bot/views/check-facts.ts'
import { quoted } from '../../domain/quoting.ts'
import type { HealthCheckQuery } from '../../service/health-checks.ts'

/** The filters of a listing that the service supports. */
export type ServiceFilters = Omit<HealthCheckQuery, 'limit' | 'offset' | 'sort'>

/** The filters and options of a listing. */
export interface CheckFilters extends ServiceFilters, Pick<HealthCheckQuery, 'sort'> {
  /** Rows on a page. */
  pageSize?: number | undefined
}

export const SERVICE_FILTERS: FieldTable<ServiceFilters> = {
  name: textField('name', 'Name', { hint: 'Use * to match anything.' }),
  status: choiceField<string>('status', 'Status', STATUSES, {
    formatLabel: statusLabel,
    describe: statusWord,
    synonyms: STATUS_WORDS,
  }),
  protocol: choiceField<string>('protocol', 'Protocol', PROTOCOLS, { describe: String }),
  target: textField('target', 'Target', {
    hint: 'The full target, not just a part of it.',
  }),
  customerId: numberField('customer', 'Customer ID', { min: 0 }),
  includeSubsidiaries: offSwitchField('no-subsidiaries', 'Subsidiaries', {
    box: 'Include the customer’s subsidiaries',
    description: 'without subsidiaries',
  }),
}

export const MAX_PAGE_SIZE = 40

export const LISTING_FIELDS: FieldTable<CheckFilters> = {
  ...SERVICE_FILTERS,
  sort: choiceField('sort', 'Order', ['name', 'uuid'], {
    none: 'Down first',
    formatLabel: (sort) => (sort === 'uuid' ? 'By UUID' : 'By name'),
    describe: (sort) => `sorted by ${sort}`,
  }),
  pageSize: numberField('limit', 'Health checks per page', {
    min: 1,
    max: MAX_PAGE_SIZE,
    invalidMessage: `must be a number from 1 to ${MAX_PAGE_SIZE}, because a message can’t show more.`,
    describe: (count) => `${count} per page`,
  }),
}

/** The first row of the page. Only buttons use this flag. */
const OFFSET_FLAG = { offset: 'value' } as const satisfies FlagSpecs
export const LIST_FLAGS: FlagSpecs = { ...flagSpecs(LISTING_FIELDS), ...OFFSET_FLAG }

/** Parses a status that was typed without `--status`. To find a check whose name is a status word, use `--name`. */
export const parseStatusWord = (words: readonly string[], flags: Arguments['flags']) =>
  flags.status === undefined ? parseStatus(words.join(' ')) : undefined

/** Parses the filters and the first row of the page. Throws a UserError that names the flag and its allowed values. */
export function parseFilters(args: Arguments): { filters: CheckFilters; offset: number } {
  refuseWordsWithFlags(['name'], args)
  const { words, flags } = args
  const status = parseStatusWord(words, flags)
  const name = status ? '' : words.join(' ')
  const { offset } = flags
  return {
    filters: { ...(status && { status }), ...(name && { name }), ...readFields(LISTING_FIELDS, flags) },
    offset: typeof offset === 'string' && /^\d{1,15}$/.test(offset) ? Number(offset) : 0,
  }
}

/** Throws Question if the typed word could be a status or the name of a check. */
export function askIfAmbiguous(verb: string, { words, flags }: Arguments): void {
  const status = parseStatusWord(words, flags)
  if (!status || flags.name !== undefined || flags.names !== undefined) return
  const word = words.join(' ')
  const buildLine = (filter: string) => ['/hc', verb, filter, ...formatFlags(flags)].join(' ')
  throw new Question(`Did you mean checks that are ${word}, or the check named “${word}”?`, [
    { label: `Checks that are ${word}`, line: buildLine(`--status ${status}`) },
    { label: `The check named “${word}”`, line: buildLine(`--name ${quoted(word)}`) },
  ])
}

/** Formats the flags as they were typed, for a button's command line. */
export const formatFlags = (flags: Arguments['flags']): string[] =>
  Object.entries(flags).map(([flag, value]) =>
    value === true || value === undefined ? `--${flag}` : `--${flag} ${quoted(value)}`,
  )

/** Formats a name the way you'd type it in a command. Adds `--name` only if the name could be read as a status. */
export const formatName = (name: string): string =>
  parseStatus(name) ? `--name ${quoted(name)}` : quoted(name)

/** Formats the filters the way you'd type them after any verb that accepts them. */
export const formatFilters = ({ name, ...others }: CheckFilters): string[] => [
  ...(name ? [formatName(name)] : []),
  ...writeFields(LISTING_FIELDS, others),
]

/** Formats the command line of this list, or of its filter window. */
export function formatListCommand(
  filters: CheckFilters,
  offset = 0,
  verb: 'list' | 'filter' = 'list',
): string {
  const parts = [`/hc ${verb}`, ...formatFilters(filters), offset > 0 && `--offset ${offset}`]
  return parts.filter(Boolean).join(' ')
}

/** Describes the filters, for the heading of a list; empty if there are none. */
export const describeFilters = (filters: CheckFilters): string =>
  describeFields(LISTING_FIELDS, filters).join(', ')
