import { Question } from '@signalman/runtime'
import { type Arguments, type FlagSpecs, refuseWordsBeside } from '../../bot/typed/command-line.ts'
import {
  choiceField,
  type FieldTable,
  flagSpecs,
  numberField,
  readFields,
  sayFields,
  textField,
  withoutField,
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

/** Narrows down a listing: exactly the service's own filters. */
export type WhichChecks = Omit<HealthCheckQuery, 'limit' | 'offset' | 'sort'>

/** The same, and how the listing is displayed. */
export interface CheckFilters extends WhichChecks, Pick<HealthCheckQuery, 'sort'> {
  /** Rows on a page of it. */
  pageSize?: number | undefined
}

export const WHICH_FIELDS: FieldTable<WhichChecks> = {
  name: textField('name', 'Name', { hint: 'Use * to match anything.' }),
  status: choiceField<string>('status', 'Status', STATUSES, {
    labelOf: statusLabel,
    says: statusWord,
    alsoTyped: STATUS_WORDS,
  }),
  protocol: choiceField<string>('protocol', 'Protocol', PROTOCOLS, { says: String }),
  target: textField('target', 'Target', {
    hint: 'The whole target, exactly as the health check has it.',
  }),
  customerId: numberField('customer', 'Customer ID', { min: 0 }),
  includeSubsidiaries: withoutField('no-subsidiaries', 'Subsidiaries', {
    box: 'Include the customer’s subsidiaries',
    says: 'without subsidiaries',
  }),
}

export const MOST_ON_A_PAGE = 40

export const LISTING: FieldTable<CheckFilters> = {
  ...WHICH_FIELDS,
  sort: choiceField('sort', 'Order', ['name', 'uuid'], {
    none: 'Down first',
    labelOf: (sort) => (sort === 'uuid' ? 'By UUID' : 'By name'),
    says: (sort) => `sorted by ${sort}`,
  }),
  pageSize: numberField('limit', 'Health checks on a page', {
    min: 1,
    max: MOST_ON_A_PAGE,
    wants: `must be a number from 1 to ${MOST_ON_A_PAGE}, because a message can’t show more.`,
    says: (count) => `${count} on a page`,
  }),
}

/** Buttons carry where a page starts; nobody types it. */
const PLACE_FLAGS = { offset: 'value' } as const satisfies FlagSpecs
export const LIST_FLAGS: FlagSpecs = { ...flagSpecs(LISTING), ...PLACE_FLAGS }

/** A status typed alone, instead of `--status`; `--name` looks for a check with that name. */
export const statusIn = (words: readonly string[], flags: Arguments['flags']) =>
  flags.status === undefined ? parseStatus(words.join(' ')) : undefined

/** The typed filters, and the row at which the page starts. Throws UserError that names the flag and its values. */
export function parseFilters(args: Arguments): { filters: CheckFilters; offset: number } {
  refuseWordsBeside(['name'], args)
  const { words, flags } = args
  const status = statusIn(words, flags)
  const name = status ? '' : words.join(' ')
  const { offset } = flags
  return {
    filters: { ...(status && { status }), ...(name && { name }), ...readFields(LISTING, flags) },
    offset: typeof offset === 'string' && /^\d{1,15}$/.test(offset) ? Number(offset) : 0,
  }
}

/**
 * A status word may mean the checks with that status, or a check with that name, so it asks before changing any. Throws
 * Question.
 */
export function askWhichMeant(verb: string, { words, flags }: Arguments): void {
  const status = statusIn(words, flags)
  if (!status || flags.name !== undefined || flags.names !== undefined) return
  const word = words.join(' ')
  const lineWith = (which: string) => ['/hc', verb, which, ...typedFlags(flags)].join(' ')
  throw new Question(`Did you mean checks that are ${word}, or the check named “${word}”?`, [
    { label: `Checks that are ${word}`, line: lineWith(`--status ${status}`) },
    { label: `The check named “${word}”`, line: lineWith(`--name ${quoted(word)}`) },
  ])
}

/** The flags as they were typed, for the line of a button. */
export const typedFlags = (flags: Arguments['flags']): string[] =>
  Object.entries(flags).map(([flag, value]) =>
    value === true || value === undefined ? `--${flag}` : `--${flag} ${quoted(value)}`,
  )

/** A name as it is typed, without its flag unless it would be ambiguous. */
export const typedName = (name: string): string =>
  parseStatus(name) ? `--name ${quoted(name)}` : quoted(name)

/** The filters as they are typed after any verb that accepts them. */
export const filterParts = ({ name, ...others }: CheckFilters): string[] => [
  ...(name ? [typedName(name)] : []),
  ...writeFields(LISTING, others),
]

/** The command line of this listing, or of its filter window. */
export function listLine(filters: CheckFilters, offset = 0, verb: 'list' | 'filter' = 'list'): string {
  const parts = [`/hc ${verb}`, ...filterParts(filters), offset > 0 && `--offset ${offset}`]
  return parts.filter(Boolean).join(' ')
}

/** The filters in words, for the heading of a listing; empty if there are none. */
export const filterWords = (filters: CheckFilters): string => sayFields(LISTING, filters).join(', ')
