import type { HealthCheckQuery } from '../../api/health-checks.ts'
import { UserError } from '../../errors.ts'
import type { Arguments, FlagSpecs } from '../../slack/command-line.ts'
import { PROTOCOLS, STATUSES } from './status.ts'

/** What narrows a listing down, as typed behind `/hc list`. */
export interface Filters {
  name?: string
  status?: string
  protocol?: string
  target?: string
  customerId?: number
  includeSubsidiaries?: false
  sort?: 'name' | 'uuid'
}

export const FILTER_FLAGS = {
  status: STATUSES,
  protocol: PROTOCOLS,
  target: 'value',
  customer: 'value',
  'no-subsidiaries': 'switch',
  sort: ['name', 'uuid'],
} as const satisfies FlagSpecs

/** The filters and the place in the listing that were typed. Throws UserError for a number that is none. */
export function parseFilters({ words, flags }: Arguments): { filters: Filters; offset: number } {
  const typed = (name: string): string | undefined => {
    const value = flags[name]
    return typeof value === 'string' ? value : undefined
  }
  const name = words.join(' ')
  const [status, protocol, target, sort] = [
    typed('status'),
    typed('protocol'),
    typed('target'),
    typed('sort'),
  ]
  const customerId = wholeNumber('customer', typed('customer'))
  return {
    filters: {
      ...(name && { name }),
      ...(status && { status }),
      ...(protocol && { protocol }),
      ...(target && { target }),
      ...(customerId !== undefined && { customerId }),
      ...(flags['no-subsidiaries'] && { includeSubsidiaries: false }),
      ...(sort && { sort: sort === 'uuid' ? 'uuid' : 'name' }),
    },
    offset: wholeNumber('offset', typed('offset')) ?? 0,
  }
}

function wholeNumber(flag: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  if (/^\d{1,15}$/.test(typed)) return Number(typed)
  throw new UserError(`\`--${flag}\` takes a whole number; “${typed}” is none.`)
}

export const queryOf = (filters: Filters, offset: number, limit: number): HealthCheckQuery => ({
  ...filters,
  offset,
  limit,
})

/** The command line that asks for this listing; a filter given as `undefined` in `changes` is taken out. */
export function listLine(
  filters: Filters,
  changes: { offset?: number; status?: string | undefined } = {},
): string {
  const status = 'status' in changes ? changes.status : filters.status
  const parts = [
    '/hc list',
    filters.name && quoted(filters.name),
    status && `--status ${status}`,
    filters.protocol && `--protocol ${filters.protocol}`,
    filters.target && `--target ${quoted(filters.target)}`,
    filters.customerId !== undefined && `--customer ${filters.customerId}`,
    filters.includeSubsidiaries === false && '--no-subsidiaries',
    filters.sort && `--sort ${filters.sort}`,
    changes.offset && `--offset ${changes.offset}`,
  ]
  return parts.filter(Boolean).join(' ')
}

const quoted = (word: string): string => `"${word.replaceAll('"', '')}"`

/** The filters in words, for the top of a listing; empty when there are none. */
export function filterWords({
  name,
  status,
  protocol,
  target,
  customerId,
  includeSubsidiaries,
}: Filters): string {
  return [
    name && `name ${name}`,
    status && `status ${status}`,
    protocol && `protocol ${protocol}`,
    target && `target ${target}`,
    customerId !== undefined && `customer ${customerId}`,
    includeSubsidiaries === false && 'without subsidiaries',
  ]
    .filter(Boolean)
    .join(', ')
}
