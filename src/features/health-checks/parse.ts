import type { Arguments, FlagSpecs } from '../../bot/typed/command-line.ts'
import { quoted } from '../../domain/quoting.ts'
import { UserError } from '../../errors.ts'
import type { Anchor } from './overlap.ts'
import { PROTOCOLS, STATUSES } from './status.ts'

/** What narrows a listing down, as typed behind `/hc list`. */
export interface CheckFilters {
  name?: string
  status?: string
  protocol?: string
  target?: string
  customerId?: number
  includeSubsidiaries?: false
  sort?: 'name' | 'uuid'
  /** Rows on a page of a listing. */
  pageSize?: number
}

export const FILTER_FLAGS = {
  name: 'value',
  status: STATUSES,
  protocol: PROTOCOLS,
  target: 'value',
  customer: 'value',
  'no-subsidiaries': 'switch',
  sort: ['name', 'uuid'],
} as const satisfies FlagSpecs

/** How much of a listing is shown, and where a page begins: that buttons carry, and nobody types. */
export const PLACE_FLAGS = {
  limit: 'value',
  offset: 'value',
  after: 'value',
  before: 'value',
} as const satisfies FlagSpecs

export const MOST_ON_A_PAGE = 40

export interface ListPlace {
  offset: number
  anchor: Anchor | undefined
}

/** What people type in place of `--status`; `--name` looks for a check of such a name. */
const STATUS_WORDS: ReadonlyMap<string, string> = new Map([
  ['unhealthy', 'UNHEALTHY'],
  ['down', 'UNHEALTHY'],
  ['installing', 'INSTALLING'],
  ['healthy', 'HEALTHY'],
  ['up', 'HEALTHY'],
])

/** The filters and the place in the listing that were typed. Throws UserError for a number that is none. */
export function parseFilters({ words, flags }: Arguments): { filters: CheckFilters } & ListPlace {
  const typed = (name: string): string | undefined => {
    const value = flags[name]
    return typeof value === 'string' ? value : undefined
  }
  const { name, status } = nameAndStatus(words.join(' '), typed('name'), typed('status'))
  const [protocol, target, sort] = [typed('protocol'), typed('target'), typed('sort')]
  const customerId = wholeNumber('customer', typed('customer'))
  const pageSize = wholeNumber('limit', typed('limit'))
  if (pageSize !== undefined && (pageSize < 1 || pageSize > MOST_ON_A_PAGE))
    throw new UserError(`--limit takes a number from 1 to ${MOST_ON_A_PAGE}: more do not fit a message.`)
  return {
    filters: {
      ...(name && { name }),
      ...(status && { status }),
      ...(protocol && { protocol }),
      ...(target && { target }),
      ...(customerId !== undefined && { customerId }),
      ...(flags['no-subsidiaries'] && { includeSubsidiaries: false }),
      ...(sort && { sort: sort === 'uuid' ? 'uuid' : 'name' }),
      ...(pageSize && { pageSize }),
    },
    offset: wholeNumber('offset', typed('offset')) ?? 0,
    anchor: anchorOf('after', typed('after')) ?? anchorOf('before', typed('before')),
  }
}

/** A status that is typed in place of a name is one. */
function nameAndStatus(words: string, name: string | undefined, status: string | undefined) {
  const meant = status === undefined ? STATUS_WORDS.get(words.toLowerCase()) : undefined
  return { name: name ?? (meant ? undefined : words), status: status ?? meant }
}

const anchorOf = (side: Anchor['side'], typed: string | undefined): Anchor | undefined =>
  typed ? { side, uuids: typed.split(',') } : undefined

function wholeNumber(flag: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  throw new UserError(`--${flag} takes a whole number; “${typed}” is none.`)
}

type Parted = { [Field in keyof CheckFilters]?: CheckFilters[Field] | undefined }

/** The filters as they are typed behind any verb that takes them. */
export function filterParts({
  name,
  status,
  protocol,
  target,
  customerId,
  includeSubsidiaries,
}: Parted): (string | false | undefined)[] {
  return [
    name && (STATUS_WORDS.has(name.toLowerCase()) ? `--name ${quoted(name)}` : quoted(name)),
    status && `--status ${quoted(status)}`,
    protocol && `--protocol ${quoted(protocol)}`,
    target && `--target ${quoted(target)}`,
    customerId !== undefined && `--customer ${customerId}`,
    includeSubsidiaries === false && '--no-subsidiaries',
  ]
}

/** The command line that asks for this listing; a filter given as `undefined` in `changes` is taken out. */
export function listLine(
  filters: CheckFilters,
  changes: {
    place?: ListPlace
    status?: string | undefined
    protocol?: string | undefined
    sort?: 'name'
  } = {},
): string {
  const status = 'status' in changes ? changes.status : filters.status
  const protocol = 'protocol' in changes ? changes.protocol : filters.protocol
  const sort = changes.sort ?? filters.sort
  const { offset = 0, anchor = undefined } = changes.place ?? {}
  const parts = [
    '/hc list',
    ...filterParts({ ...filters, status, protocol }),
    sort && `--sort ${sort}`,
    filters.pageSize && `--limit ${filters.pageSize}`,
    offset > 0 && `--offset ${offset}`,
    anchor && `--${anchor.side} ${quoted(anchor.uuids.join(','))}`,
  ]
  return parts.filter(Boolean).join(' ')
}

/** The filters in words, for the top of a listing; empty when there are none. */
export function filterWords({
  name,
  status,
  protocol,
  target,
  customerId,
  includeSubsidiaries,
  sort,
  pageSize,
}: CheckFilters): string {
  return [
    name && `name ${name}`,
    status && `status ${status}`,
    protocol && `protocol ${protocol}`,
    target && `target ${target}`,
    customerId !== undefined && `customer ${customerId}`,
    includeSubsidiaries === false && 'without subsidiaries',
    sort && `sorted by ${sort}`,
    pageSize && `${pageSize} on a page`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** The command line that opens the window with these filters. */
export const filterLine = (filters: CheckFilters): string =>
  listLine(filters).replace(/^\/hc list/, '/hc filter')
