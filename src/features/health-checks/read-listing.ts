import type { WatchedChecks, WatchScope } from '../../bot/ports.ts'
import { globMatcher, toPattern } from '../../domain/name-pattern.ts'
import type { DownCheck } from '../../domain/outages/outage.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckPage } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'
import {
  type CheckFilters,
  type Counts,
  type DownHead,
  hasFilter,
  type ListingPage,
  type Summary,
  splitFilters,
} from './rules/listing.ts'

/** The default page size of `/hc list`. */
const PAGE_SIZE = 15

/** How many checks that are down `/hc` and the first page of a list show. */
const MAX_DOWN_SHOWN = 10

/** A window is waiting for it. */
const CUSTOMER_TIMEOUT_MS = 2000

type DownSince = ReadonlyMap<string, DownCheck>

/** Lists checks from the service, or from what was read to look for a part of a name. */
type ListChecks = (query: { status?: string; offset: number; limit: number }) => Promise<HealthCheckPage>

/**
 * Reads a page of the matching checks. The service documents a `*` only at the end of a name, and doesn't find a name in another spelling.
 * So if it finds nothing, all names are compared here, as people see them. Throws ApiError.
 */
export async function readListing(
  { healthChecks }: Pick<Api, 'healthChecks'>,
  filters: CheckFilters,
  offset: number,
  since: DownSince = new Map(),
): Promise<ListingPage> {
  const { name, pageSize: _, ...others } = filters
  const read = (list: ListChecks) => readPage(list, filters, offset, since)
  const readNamed = (named: string | undefined) =>
    read((query) => healthChecks.list({ ...others, name: named, ...query }))
  if (name === undefined) return readNamed(name)
  const pattern = toPattern(name)
  const found = await readNamed(pattern).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return undefined
    throw error
  })
  if (found && found.total > 0) return found
  const names = await healthChecks.listNames(others)
  if (!names) return { ...(await readNamed(pattern === name ? name : `${name}*`)), isUncompared: true }
  const matches = globMatcher(pattern)
  const matching = names.checks.filter((check) => matches(check.name))
  const page = await read(async ({ status, offset: start, limit }) => {
    const all = status === undefined ? matching : matching.filter((check) => check.status === status)
    return { results: all.slice(start, start + limit), total: all.length, unreadable: 0 }
  })
  // Unreadable rows may have any name.
  return { ...page, unreadable: names.unreadable, at: names.at }
}

/**
 * Counts what a list without a match is about: no check at all isn't the same as none of a kind, and none of a kind that is down. Undefined
 * if the list isn't empty or has no filter, and if nobody can tell. Without a list, counts before it's read.
 */
export async function countNone(
  api: Pick<Api, 'healthChecks'>,
  filters: CheckFilters,
  listed?: ListingPage,
): Promise<Counts | undefined> {
  const { down, rows = [], total: found = 0, unreadable = 0 } = listed ?? {}
  const isEmpty = rows.length + found + unreadable + (down?.unreadable ?? 0) === 0
  const { kind, narrowed } = splitFilters(filters)
  if (!isEmpty || !hasFilter({ ...kind, ...narrowed })) return undefined
  const { total } = await api.healthChecks.list({ offset: 0, limit: 1 })
  if (total === 0 || !hasFilter(kind)) return { ofKind: total, total }
  const ofKind = await readListing(api, kind, 0)
  return ofKind.isUncompared || ofKind.unreadable > 0 ? undefined : { ofKind: ofKind.total, total }
}

/** The customer that all health checks belong to. Undefined if there are several, or none. Throws ApiError. */
export async function findOnlyCustomer({ healthChecks }: Pick<Api, 'healthChecks'>) {
  const read = (filters: CheckFilters) =>
    healthChecks.list({ ...filters, offset: 0, limit: 1 }, AbortSignal.timeout(CUSTOMER_TIMEOUT_MS))
  const { results, total } = await read({})
  const customerId = results[0]?.customerId
  if (customerId === undefined) return undefined
  return (await read({ customerId, includeSubsidiaries: false })).total === total ? customerId : undefined
}

/**
 * Reads a page as the service sorts and pages it. Unless the filters have a status or an order, the first page begins with what is down,
 * which isn't repeated on that page.
 */
async function readPage(
  list: ListChecks,
  filters: CheckFilters,
  start: number,
  since: DownSince,
  isLast = false,
): Promise<ListingPage> {
  const { pageSize = PAGE_SIZE, status, sort } = filters
  const isDownFirst = start === 0 && !status && !sort
  const [listed, down] = await Promise.all([
    list({ offset: start, limit: pageSize }),
    isDownFirst ? listDown(list, Math.min(MAX_DOWN_SHOWN, pageSize - 1)) : undefined,
  ])
  const { results, unreadable, total } = listed
  // So many checks were deleted in the meantime that this page no longer exists.
  if (results.length + unreadable === 0 && start >= total && total > 0 && !isLast) {
    const lastStart = Math.floor((total - 1) / pageSize) * pageSize
    return readPage(list, filters, lastStart, since, true)
  }
  const above = new Set(down?.rows.map(({ uuid }) => uuid))
  const rows: HealthCheck[] = []
  let next = start
  for (const check of results) {
    if (!above.has(check.uuid)) {
      if (rows.length + above.size >= pageSize) break
      rows.push(check)
    }
    next += 1
  }
  return {
    down: down && { ...down, rows: sortLatestFirst(down.rows, since) },
    rows,
    pageSize,
    start,
    // The positions of unreadable rows aren't known, but they were among these.
    next: next === start + results.length ? next + unreadable : next,
    total: Math.max(total, down?.total ?? 0),
    unreadable,
    since,
  }
}

/** Lists up to `count` checks that are down, and counts all of them. */
async function listDown(list: ListChecks, count: number): Promise<DownHead> {
  const { results, total, unreadable } = await list({
    status: 'UNHEALTHY',
    offset: 0,
    limit: Math.max(1, count),
  })
  return { rows: results.slice(0, count), total, unreadable }
}

function sortLatestFirst(down: readonly HealthCheck[], since: DownSince): readonly HealthCheck[] {
  const downSinceMs = ({ uuid }: HealthCheck): number => since.get(uuid)?.at?.getTime() ?? 0
  return down.toSorted((left, right) => downSinceMs(right) - downSinceMs(left))
}

/** Counts the checks that are up, those that are down, and all, and lists those that are down. Throws ApiError. */
export async function summarize(
  { healthChecks }: Pick<Api, 'healthChecks'>,
  scope: WatchScope,
  watched?: WatchedChecks,
  signal?: AbortSignal,
): Promise<Summary> {
  const since: DownSince = (await watched?.findDownSince(scope)) ?? new Map()
  const list: ListChecks = (query) => healthChecks.list(query, signal)
  const [down, up, all] = await Promise.all([
    listDown(list, MAX_DOWN_SHOWN),
    list({ status: 'HEALTHY', offset: 0, limit: 1 }),
    list({ offset: 0, limit: 1 }),
  ])
  const rows = sortLatestFirst(down.rows, since)
  return {
    total: Math.max(all.total, down.total),
    healthy: up.total,
    down: { ...down, rows },
    since,
    isMaintained: rows.length > 0 ? await watched?.inMaintenance(scope) : undefined,
  }
}
