import type { DownCheck } from '../../../domain/outages/outage.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'

/** A page of a listing. Everything comes from one response of the service, so the numbers are consistent. */
export interface ListingPage {
  rows: readonly HealthCheck[]
  /** Rows on a full page. */
  pageSize: number
  /** From 0. */
  start: number
  total: number
  /** Rows on all pages: the total, without unreadable rows if their number is known. */
  listable: number
  unreadable: number
  /** How many are down; undefined if the service didn't list all, or if the listing is filtered by status. */
  down?: number | undefined
  /** True if there are too many to sort by status. */
  isByName: boolean
}

export interface Summary {
  total: number
  unhealthy: number
  /** How many have each of the other statuses; undefined if there are too many checks to read them all. */
  others?: { installing: number; healthy: number; unknown: number; unreadable: number } | undefined
  /** Up to ten that are down, the latest first. */
  down: readonly HealthCheck[]
  /** The one that went down last, if all of them were read. */
  newest?: HealthCheck | undefined
  /** By UUID: since when each has been down and who acknowledged it, if watching has observed it. */
  since: ReadonlyMap<string, DownCheck>
  /** Since when all have been up, if that was observed. */
  allUpSince?: Date | undefined
  isMaintained?: IsMaintained | undefined
}

export type IsMaintained = (check: HealthCheck) => boolean
