import type { HealthCheck } from '../../../service/health-checks.ts'

/** A page of a listing. All of it is from one answer of the service, so that its parts can't contradict each other. */
export interface Listed {
  rows: readonly HealthCheck[]
  /** How many rows a page has where there are enough. */
  pageSize: number
  /** Counted from 0. */
  start: number
  total: number
  /** As many rows as all pages have: the total without those that could not be read, where that is known. */
  listable: number
  unreadable: number
  /** How many are down; undefined where not all were seen, or only those of one status were asked for. */
  down?: number | undefined
  /** True when there are too many to sort them by status. */
  isByName: boolean
}

export interface Summary {
  total: number
  unhealthy: number
  /** How many have each of the other statuses; undefined where there are too many checks to see all of them. */
  others?: { installing: number; healthy: number; unknown: number; unreadable: number } | undefined
  /** Ten that are down, the newest first. */
  down: readonly HealthCheck[]
  /** The one that fell last, where all that are down were looked at. */
  newest?: HealthCheck | undefined
  /** Since when each of them is down and who is on it, by its UUID, as far as that was seen. */
  since: ReadonlyMap<string, DownNow>
  /** Since when all are up, where that was seen. */
  upSince?: Date | undefined
  isMaintained?: IsMaintained | undefined
}

export interface DownNow {
  at: Date
  onIt?: string
}

export type IsMaintained = (check: HealthCheck) => boolean
