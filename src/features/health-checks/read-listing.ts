import type { CommandContext } from '../../bot/routes/command-context.ts'
import { STATUSES } from '../../bot/views/check-facts.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckPage } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'
import type { CheckFilters } from './parse.ts'
import type { DownCheck, IsMaintained, Listed, Summary } from './rules/listing.ts'

/** How many checks a page of `/hc list` has, unless `--limit` says otherwise. */
const PAGE_SIZE = 15

/** The most that the service lists in one answer. */
const SERVICE_PAGE = 500

/**
 * A page of the matching checks: by status, worst first, unless a status or an order was requested. The service can't sort
 * by status, so that happens here if it lists all of them in one answer. Otherwise, the service's order applies. Throws
 * ApiError.
 */
export async function readListing(
  { healthChecks }: Api,
  filters: CheckFilters,
  offset: number,
  usual = PAGE_SIZE,
): Promise<Listed> {
  const pageSize = filters.pageSize ?? usual
  const byStatus = !filters.status && !filters.sort
  const all = await healthChecks.list({ ...filters, offset: 0, limit: SERVICE_PAGE })
  if (!isWhole(all)) {
    const page = await readPage(healthChecks, filters, all, pageStart(offset, all.total, pageSize), pageSize)
    return { ...page, pageSize, isByName: byStatus }
  }
  const { unreadable } = all
  const checks = byStatus ? worstFirst(all.results) : all.results
  const start = pageStart(offset, checks.length, pageSize)
  return {
    rows: checks.slice(start, start + pageSize),
    ...{ pageSize, start, unreadable, listable: checks.length, total: checks.length + unreadable },
    down: byStatus ? checks.filter(({ status }) => status === 'UNHEALTHY').length : undefined,
    isByName: false,
  }
}

/** A page of more checks than the service lists at once. Its rows and total always come from the same answer. */
async function readPage(
  healthChecks: Api['healthChecks'],
  filters: CheckFilters,
  head: HealthCheckPage,
  start: number,
  pageSize: number,
): Promise<Pick<Listed, 'rows' | 'start' | 'total' | 'listable' | 'unreadable'>> {
  // If rows couldn't be read, the positions of later ones aren't known.
  const isInHead = head.unreadable === 0 && start + pageSize <= head.results.length
  const page = isInHead ? head : await healthChecks.list({ ...filters, offset: start, limit: pageSize })
  const { total, unreadable } = page
  // So many were deleted in the meantime that this page no longer exists.
  if (rowCount(page) === 0 && start > 0 && total <= start && total > 0) {
    const last = pageStart(start, total, pageSize)
    const end = await healthChecks.list({ ...filters, offset: last, limit: pageSize })
    return {
      rows: end.results,
      start: last,
      total: end.total,
      listable: end.total,
      unreadable: end.unreadable,
    }
  }
  const rows = isInHead ? page.results.slice(start, start + pageSize) : page.results
  return { rows, start, total, listable: total, unreadable }
}

/** The requested offset, or the start of the last page if there are fewer. */
const pageStart = (offset: number, count: number, pageSize: number): number =>
  offset < count ? offset : Math.floor(Math.max(0, count - 1) / pageSize) * pageSize

const rowCount = ({ results, unreadable }: HealthCheckPage): number => results.length + unreadable

/** Whether the page holds every check that matches. */
const isWhole = (page: HealthCheckPage): boolean => rowCount(page) >= page.total

/** In the service's order inside each status. An unknown status comes last. */
function worstFirst(checks: readonly HealthCheck[]): HealthCheck[] {
  const statuses: readonly string[] = STATUSES
  const rank = ({ status }: HealthCheck): number =>
    statuses.includes(status) ? statuses.indexOf(status) : statuses.length
  return checks.toSorted((left, right) => rank(left) - rank(right))
}

const MOST_CUSTOMERS = 90

/** The customers of the first health checks, in ascending order, as suggestions. Reads only. */
export async function suggestCustomers({ healthChecks }: Api): Promise<number[]> {
  try {
    const { results } = await healthChecks.list({ limit: SERVICE_PAGE })
    const ids = results.flatMap(({ customerId }) => (customerId === undefined ? [] : [customerId]))
    return [...new Set(ids)].sort((left, right) => left - right).slice(0, MOST_CUSTOMERS)
  } catch (error) {
    // Only a suggestion: without it, the number is typed.
    if (error instanceof ApiError) return []
    throw error
  }
}

const SHOWN = 10

/** Where it was asked: an environment of a workspace, and a channel if there is one. */
export type WatchScope = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** What watching has observed of an environment's health checks. */
export interface WatchingSeen {
  downSince(asked: WatchScope, uuids: readonly string[]): Promise<ReadonlyMap<string, DownCheck>>
  upSince(asked: WatchScope): Promise<Date | undefined>
  /** Which checks are in maintenance now for this channel. One query, whatever the number of checks. */
  maintained(asked: WatchScope): Promise<IsMaintained>
}

/**
 * Counts by status, and what is down, from one answer of the service. If that doesn't list all checks, a second answer says
 * what is down, and the total comes from the first. Throws ApiError.
 */
export async function summarize(
  { healthChecks }: Api,
  asked: WatchScope,
  seen?: WatchingSeen,
  signal?: AbortSignal,
): Promise<Summary> {
  const all = await healthChecks.list({ limit: SERVICE_PAGE }, signal)
  const counts = isWhole(all) ? countStatuses(all) : await countDown(healthChecks, all.total, signal)
  const { total, unhealthy, found, others } = counts
  const since =
    (found.length > 0 &&
      (await seen?.downSince(
        asked,
        found.map(({ uuid }) => uuid),
      ))) ||
    new Map<string, DownCheck>()
  const areAllUp = total > 0 && others?.healthy === total
  const beganAt = ({ uuid }: HealthCheck): number => since.get(uuid)?.at.getTime() ?? 0
  const down = found.toSorted((left, right) => beganAt(right) - beganAt(left))
  return {
    total,
    unhealthy,
    others,
    down: down.slice(0, SHOWN),
    newest: found.length === unhealthy ? down[0] : undefined,
    since,
    upSince: areAllUp ? await seen?.upSince(asked) : undefined,
    isMaintained: found.length > 0 ? await seen?.maintained(asked) : undefined,
  }
}

type Counts = Pick<Summary, 'total' | 'unhealthy' | 'others'> & { found: readonly HealthCheck[] }

function countStatuses({ results, unreadable }: HealthCheckPage): Counts {
  const having = (wanted: string) => results.filter(({ status }) => status === wanted)
  const found = having('UNHEALTHY')
  const installing = having('INSTALLING').length
  const healthy = having('HEALTHY').length
  const unknown = results.length - found.length - installing - healthy
  return {
    total: results.length + unreadable,
    unhealthy: found.length,
    found,
    others: { installing, healthy, unknown, unreadable },
  }
}

async function countDown(
  healthChecks: Api['healthChecks'],
  total: number,
  signal?: AbortSignal,
): Promise<Counts> {
  const down = await healthChecks.list({ status: 'UNHEALTHY', limit: SERVICE_PAGE }, signal)
  // From two moments: whatever went down in between, there are at least as many as are down.
  return { total: Math.max(total, down.total), unhealthy: down.total, found: down.results }
}
