import type { FlagSpecs } from '../../bot/grammar/flags.ts'
import type { Arguments } from '../../bot/grammar/read-words.ts'
import { CHECK_STATUS_WORDS } from '../../bot/grammar/vocabulary.ts'
import {
  choiceField,
  describeFields,
  type Field,
  type FieldTable,
  flagSpecs,
  numberField,
  parsedTextField,
  readFields,
  switchField,
  textField,
  writeFields,
} from '../../bot/typed/fields.ts'
import { PROTOCOLS, STATUSES, statusWord } from '../../bot/views/check-facts.ts'
import { writeFilterName } from '../../domain/quoting.ts'
import { CHECK_FIELDS } from './rules/fields.ts'
import type { CheckFilters, ServiceFilters } from './rules/listing.ts'

export const SERVICE_FILTERS: FieldTable<ServiceFilters> = {
  name: textField('name', 'Name', { hint: 'Use * to match anything.' }),
  status: choiceField<string>('status', 'Status', STATUSES, {
    describe: statusWord,
    synonyms: CHECK_STATUS_WORDS,
  }),
  protocol: choiceField<string>('protocol', 'Protocol', PROTOCOLS, { describe: String }),
  target: textField('target', 'Target', {
    hint: 'The full target, not just a part of it.',
    isWord: true,
  }),
  customerId: numberField('customer', 'Customer ID', { min: 0 }),
  includeSubsidiaries: switchField('no-subsidiaries', 'without subsidiaries', {
    description: 'without subsidiaries',
    value: false,
  }),
}

const MAX_PAGE_SIZE = 40

/** What is only for a list. */
const SORT_FIELDS: FieldTable<Pick<CheckFilters, 'sort' | 'pageSize'>> = {
  sort: choiceField('sort', 'Order', ['name', 'uuid'], {
    describe: (sort) => `sorted by ${sort}`,
  }),
  pageSize: numberField('limit', 'Health checks per page', {
    min: 1,
    max: MAX_PAGE_SIZE,
    invalidMessage: `must be a number from 1 to ${MAX_PAGE_SIZE}, because a message can’t show more.`,
    describe: (count) => `${count} per page`,
  }),
}

const LISTING_FIELDS: FieldTable<CheckFilters> = { ...SERVICE_FILTERS, ...SORT_FIELDS }

/** The first row of the page. Only buttons use this flag. */
const OFFSET: FieldTable<{ offset: number }> = { offset: numberField('offset', 'First row', { min: 0 }) }
export const LIST_FLAGS: FlagSpecs = { ...flagSpecs(LISTING_FIELDS), offset: 'value' }

/** Parses the filters and the first row of the page. Throws a UserError that names the flag and its allowed values. */
export function parseFilters({ flags }: Pick<Arguments, 'flags'>): { filters: CheckFilters; offset: number } {
  return { filters: readFields(LISTING_FIELDS, flags), offset: readFields(OFFSET, flags).offset ?? 0 }
}

/** Formats the filters the way you'd type them after any verb that accepts them. */
export const formatFilters = ({ name, ...others }: ServiceFilters): string[] => [
  ...(name ? [writeFilterName(name)] : []),
  ...writeFields(SERVICE_FILTERS, others),
]

export function formatListCommand(filters: CheckFilters, offset = 0): string {
  const flags = [...writeFields(SORT_FIELDS, filters), ...(offset > 0 ? [`--offset ${offset}`] : [])]
  return ['/hc list', ...formatFilters(filters), ...flags].join(' ')
}

/** Describes the filters, for the heading of a list; empty if there are none. */
export const describeFilters = (filters: CheckFilters): string =>
  describeFields(LISTING_FIELDS, filters).join(', ')

/** How long the service waits between two checks, after `--frequency`. In seconds. */
export const frequencyField: Field<number> = parsedTextField('frequency', 'Time between checks', {
  hint: 'Such as 60s or 5min. Without a unit, seconds.',
  valueName: 'N',
  isRequired: true,
  read: CHECK_FIELDS.frequency.read,
  write: (seconds) => `${seconds}s`,
})
