import type { DownCheck } from '../../../domain/outages/outage.ts'
import type { HealthCheck, HealthCheckQuery } from '../../../service/health-checks.ts'

/** The filters of a listing that the service supports. */
export type ServiceFilters = Omit<HealthCheckQuery, 'limit' | 'offset' | 'sort'>

/** The filters and options of a listing. */
export interface CheckFilters extends ServiceFilters, Pick<HealthCheckQuery, 'sort'> {
  /** Rows on a page. */
  pageSize?: number | undefined
}

/** A page of a listing. All its numbers come from one response of the service, so they are consistent. */
export interface ListingPage {
  rows: readonly HealthCheck[]
  /** Rows on a full page. */
  pageSize: number
  /** The position of the first row, from 0. */
  start: number
  /** How many match, with unreadable rows if the service says that they match. */
  total: number
  /** The number of rows on all pages: the total, minus unreadable rows if they could be counted. */
  listable: number
  unreadable: number
  /** True if the pages are the service's, whose positions count unreadable rows too. */
  isPagedByService: boolean
  /** How many are down; undefined if the service didn't list all, or if the listing is filtered by status. */
  down?: number | undefined
  /** True if there are too many checks to sort by status, so they are sorted by name. */
  isByName: boolean
  /** When those of the listed checks that are down went down, by UUID. Missing if Signalman doesn't watch them. */
  since?: ReadonlyMap<string, DownCheck> | undefined
}

/** The status of an environment's health checks, for `/hc` and App Home. */
export interface Summary {
  total: number
  unhealthy: number
  /** Counts of the other statuses; undefined if there are too many checks to read them all. */
  others?: { installing: number; healthy: number; unknown: number; unreadable: number } | undefined
  /** Up to ten checks that are down, the latest first. */
  down: readonly HealthCheck[]
  /** The check that went down last; undefined if not all checks that are down were read. */
  newest?: HealthCheck | undefined
  /** When each check went down and who acknowledged it, by UUID. Only for outages that Signalman observed. */
  since: ReadonlyMap<string, DownCheck>
  /** When the last check recovered, if all checks are up and Signalman observed it. */
  allUpSince?: Date | undefined
  isMaintained?: IsMaintained | undefined
}

export type IsMaintained = (check: HealthCheck) => boolean
