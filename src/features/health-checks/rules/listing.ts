import type { DownCheck } from '../../../domain/outages/outage.ts'
import type { HealthCheck, HealthCheckQuery } from '../../../service/health-checks.ts'

/** The filters of a listing that the service supports. */
export type ServiceFilters = Omit<HealthCheckQuery, 'limit' | 'offset' | 'sort'>

/** The filters and options of a listing. */
export interface CheckFilters extends ServiceFilters, Pick<HealthCheckQuery, 'sort'> {
  /** Rows on a page. */
  pageSize?: number | undefined
}

/** Splits filters into what a list is about, a name or else a protocol, target, or customer, and what it shows of that. */
export function splitFilters({ sort: _, pageSize: __, ...filters }: CheckFilters): {
  kind: ServiceFilters
  narrowed: ServiceFilters
} {
  const { name, ...unnamed } = filters
  if (name !== undefined) return { kind: { name }, narrowed: unnamed }
  const { status, includeSubsidiaries, ...kind } = unnamed
  return { kind, narrowed: { status, includeSubsidiaries } }
}

export const hasFilter = (filters: CheckFilters): boolean =>
  Object.values(filters).some((filter) => filter !== undefined)

/** How many health checks there are, and how many of the kind that a list without a match is about. */
export interface Counts {
  readonly ofKind: number
  readonly total: number
}

/** A page of a listing, in the service's order. */
export interface ListingPage {
  /** What is down, before the rows of the first page, unless the list has a status or an order. */
  down?: DownHead | undefined
  rows: readonly HealthCheck[]
  /** Rows on a full page, with those that are down. */
  pageSize: number
  /** The position of the first row, from 0. */
  start: number
  /** The position of the first row of the next page. */
  next: number
  /** How many match, with unreadable rows if the service says that they match. */
  total: number
  /** Rows that couldn't be read. */
  unreadable: number
  /** When the rows were read, if that was earlier: to look for a part of a name. */
  at?: Date | undefined
  /** True if there are too many names to compare, so others may match, too. */
  isUncompared?: boolean | undefined
  /** When those of the listed checks that are down went down, by UUID. Missing if Signalman doesn't watch them. */
  since?: ReadonlyMap<string, DownCheck> | undefined
}

/** Up to ten checks that are down, the latest first as far as known, and how many there are. */
export interface DownHead {
  readonly rows: readonly HealthCheck[]
  readonly total: number
  readonly unreadable: number
}

/** The status of an environment's health checks, for `/hc` and App Home. Its counts may be a moment apart. */
export interface Summary {
  total: number
  healthy: number
  down: DownHead
  /** When each check went down and who acknowledged it, by UUID. Only for outages that Signalman observed. */
  since: ReadonlyMap<string, DownCheck>
  isMaintained?: IsMaintained | undefined
}

export type IsMaintained = (check: HealthCheck) => boolean
