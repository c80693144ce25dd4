import type { WatchedChecks, WatchScope } from '../../bot/ports.ts'
import { STATUSES } from '../../bot/views/check-facts.ts'
import type { DownCheck } from '../../domain/outages/outage.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckPage } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'
import { toNameQuery } from './name-filter.ts'
import type { CheckFilters, ListingPage, Summary } from './rules/listing.ts'

/** The default page size of `/hc list`. */
const PAGE_SIZE = 15

/** The most that the service lists in one response. */
const SERVICE_PAGE_SIZE = 500

type DownSince = ReadonlyMap<string, DownCheck>

/**
 * Reads a page of the matching checks. Without a status or an order in the filters, checks that are down come first, and the latest
 * of them on top. The service can't sort by status, so this sorts them itself, which is only possible if one response has all matches.
 * Otherwise, keeps the service's order, and asks only for the page. Throws ApiError.
 */
export async function readListing(
  { healthChecks }: Api,
  filters: CheckFilters,
  offset: number,
  since: DownSince = new Map(),
): Promise<ListingPage> {
  const { pageSize = PAGE_SIZE, status, sort } = filters
  const { query, matches } = await toNameQuery({ healthChecks }, filters)
  const isSortedHere = matches !== undefined || (!sort && (!status || status === 'UNHEALTHY'))
  if (!isSortedHere) {
    const page = await readPage(healthChecks, query, offset, pageSize)
    return { ...page, pageSize, isPagedByService: true, isByName: false, since }
  }
  const wantsDownFirst = !status && !sort
  const all = matches
    ? await findAll(healthChecks, query, matches)
    : await healthChecks.list({ ...query, offset: 0, limit: SERVICE_PAGE_SIZE })
  if (!hasAllMatches(all)) {
    const page = await readPage(healthChecks, query, offset, pageSize, all)
    return { ...page, pageSize, isPagedByService: true, isByName: wantsDownFirst, since }
  }
  const { unreadable } = all
  const checks = sort ? all.results : sortWorstFirst(all.results, since)
  const start = clampOffset(offset, checks.length, pageSize)
  return {
    rows: checks.slice(start, start + pageSize),
    pageSize,
    start,
    unreadable,
    isPagedByService: false,
    listable: checks.length,
    // Of rows that the app searched, the unreadable ones may have any name.
    total: checks.length + (matches ? 0 : unreadable),
    down: wantsDownFirst ? checks.filter(isDown).length : undefined,
    isByName: false,
    since,
  }
}

/** Every check that matches, as one page. */
async function findAll(
  healthChecks: Api['healthChecks'],
  query: CheckFilters,
  matches: (check: HealthCheck) => boolean,
): Promise<HealthCheckPage> {
  const results: HealthCheck[] = []
  let unreadable = 0
  for await (const page of healthChecks.listAll(query)) {
    results.push(...page.results.filter(matches))
    unreadable += page.unreadable
  }
  // Unreadable rows may have any name.
  return { results, unreadable, total: results.length + unreadable }
}

/** Reads a page of the service's. Its rows and total always come from the same response: `firstPage`, if that has the page. */
async function readPage(
  healthChecks: Api['healthChecks'],
  filters: CheckFilters,
  offset: number,
  pageSize: number,
  firstPage?: HealthCheckPage,
): Promise<Pick<ListingPage, 'rows' | 'start' | 'total' | 'listable' | 'unreadable'>> {
  const start = firstPage ? clampOffset(offset, firstPage.total, pageSize) : offset
  // If some rows couldn't be read, the positions of later rows aren't known.
  if (firstPage && firstPage.unreadable === 0 && start + pageSize <= firstPage.results.length) {
    const rows = firstPage.results.slice(start, start + pageSize)
    return { rows, start, total: firstPage.total, listable: firstPage.total, unreadable: 0 }
  }
  const read = async (from: number) => {
    const {
      results: rows,
      total,
      unreadable,
    } = await healthChecks.list({
      ...filters,
      offset: from,
      limit: pageSize,
    })
    return { rows, start: from, total, listable: total, unreadable }
  }
  const page = await read(start)
  const isGone =
    page.rows.length + page.unreadable === 0 && start > 0 && page.total <= start && page.total > 0
  // So many checks were deleted in the meantime that this page no longer exists.
  return isGone ? read(clampOffset(start, page.total, pageSize)) : page
}

/** The requested offset, or the start of the last page if there are fewer. */
const clampOffset = (offset: number, count: number, pageSize: number): number =>
  offset < count ? offset : Math.floor(Math.max(0, count - 1) / pageSize) * pageSize

interface Countable {
  readonly results: readonly unknown[]
  readonly unreadable: number
  readonly total: number
}

/** Whether the page has every check that matches. */
const hasAllMatches = ({ results, unreadable, total }: Countable): boolean =>
  results.length + unreadable >= total

const isDown = ({ status }: Pick<HealthCheck, 'status'>): boolean => status === 'UNHEALTHY'

/**
 * Sorts by status, and checks that are down by when they went down, the latest first. Otherwise keeps the service's order. An unknown status
 * comes last.
 */
function sortWorstFirst(checks: readonly HealthCheck[], since: DownSince): readonly HealthCheck[] {
  const statuses: readonly string[] = STATUSES
  const byStatus = Map.groupBy(checks, ({ status }) => (statuses.includes(status) ? status : undefined))
  const downSinceMs = ({ uuid }: HealthCheck): number => since.get(uuid)?.at?.getTime() ?? 0
  byStatus.get('UNHEALTHY')?.sort((left, right) => downSinceMs(right) - downSinceMs(left))
  return [...statuses, undefined].flatMap((status) => byStatus.get(status) ?? [])
}

const MAX_CUSTOMERS = 90

/** Suggests customer IDs: those of the first health checks, in ascending order. */
export async function suggestCustomers({ healthChecks }: Api): Promise<number[]> {
  try {
    const { results } = await healthChecks.list({ limit: SERVICE_PAGE_SIZE })
    const ids = results.flatMap(({ customerId }) => (customerId === undefined ? [] : [customerId]))
    return [...new Set(ids)].sort((left, right) => left - right).slice(0, MAX_CUSTOMERS)
  } catch (error) {
    // People can type the number without a suggestion.
    if (error instanceof ApiError) return []
    throw error
  }
}

const MAX_DOWN_SHOWN = 10

/**
 * Counts checks by status and lists those that are down. If the first response doesn't have all checks, a second request lists
 * those that are down, and only the total comes from the first. Throws ApiError.
 */
export async function summarize(
  { healthChecks }: Api,
  scope: WatchScope,
  watched?: WatchedChecks,
  signal?: AbortSignal,
): Promise<Summary> {
  const since: DownSince = (await watched?.findDownSince(scope)) ?? new Map()
  const all = await healthChecks.list({ limit: SERVICE_PAGE_SIZE }, signal)
  const counts = hasAllMatches(all) ? countStatuses(all) : await countDown(healthChecks, all.total, signal)
  const { total, unhealthy, downChecks, others } = counts
  const areAllUp = total > 0 && others?.healthy === total
  const down = sortWorstFirst(downChecks, since)
  return {
    total,
    unhealthy,
    others,
    down: down.slice(0, MAX_DOWN_SHOWN),
    newest: downChecks.length === unhealthy ? down[0] : undefined,
    since,
    allUpSince: areAllUp ? await watched?.findAllUpSince(scope) : undefined,
    isMaintained: downChecks.length > 0 ? await watched?.inMaintenance(scope) : undefined,
  }
}

type Counts = Pick<Summary, 'total' | 'unhealthy' | 'others'> & { downChecks: readonly HealthCheck[] }

function countStatuses({ results, unreadable }: HealthCheckPage): Counts {
  const withStatus = (wanted: string) => results.filter(({ status }) => status === wanted)
  const downChecks = withStatus('UNHEALTHY')
  const installing = withStatus('INSTALLING').length
  const healthy = withStatus('HEALTHY').length
  const unknown = results.length - downChecks.length - installing - healthy
  return {
    total: results.length + unreadable,
    unhealthy: downChecks.length,
    downChecks,
    others: { installing, healthy, unknown, unreadable },
  }
}

async function countDown(
  healthChecks: Api['healthChecks'],
  total: number,
  signal?: AbortSignal,
): Promise<Counts> {
  const down = await healthChecks.list({ status: 'UNHEALTHY', limit: SERVICE_PAGE_SIZE }, signal)
  // More may have gone down between the two requests, so the total could be too low.
  return { total: Math.max(total, down.total), unhealthy: down.total, downChecks: down.results }
}
