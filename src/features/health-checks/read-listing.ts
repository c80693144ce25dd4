import type { CommandContext } from '../../bot/routes/command-context.ts'
import { STATUSES } from '../../bot/views/check-facts.ts'
import { ApiError } from '../../service/errors.ts'
import type { HealthCheck, HealthCheckPage, HealthCheckQuery } from '../../service/health-checks.ts'
import type { Api } from '../../service/service.ts'
import type { Anchor, CheckFilters } from './parse.ts'

/** How many checks a page of `/hc list` has, unless `--limit` says otherwise. */
const PAGE_SIZE = 15

/** A page of a listing, counted from 0. */
export interface Listed {
  rows: readonly HealthCheck[]
  /** How many rows a page has where there are enough. */
  pageSize: number
  start: number
  total: number
  /** Rows of the page that could not be read. */
  unreadable: number
  /** Checks in none of the statuses that the service filters by: they stand in no place of a listing by status. */
  other: number
  /** How many of all that match are down; 0 where the listing is not by status. */
  down: number
}

/** How many pages around the place where a page should be are searched for the checks that it was left at. */
const SEARCHED = 2

/**
 * A page of the checks that match: by status, worst first, unless a status or an order was asked for. With an anchor it
 * goes on where that was, although checks were added or removed in front of it. Throws ApiError.
 */
export async function readListing(
  { healthChecks }: Api,
  filters: CheckFilters,
  place: { offset: number; anchor: Anchor | undefined },
  usual = PAGE_SIZE,
): Promise<Listed> {
  const pageSize = filters.pageSize ?? usual
  const segments: HealthCheckQuery[] =
    filters.status || filters.sort ? [filters] : STATUSES.map((status) => ({ ...filters, status }))
  const isFirst = place.offset === 0 && !place.anchor
  const [heads, all] = await Promise.all([
    Promise.all(
      segments.map((query) => healthChecks.list({ ...query, offset: 0, limit: isFirst ? pageSize : 1 })),
    ),
    segments.length > 1 ? healthChecks.list({ ...filters, limit: 1 }) : undefined,
  ])
  const total = heads.reduce((sum, head) => sum + head.total, 0)
  const down = all ? (heads[0]?.total ?? 0) : 0
  const other = all ? Math.max(0, all.total - total) : 0
  const offset = place.offset < total ? place.offset : lastPage(total, pageSize)
  const from = place.anchor ? Math.max(0, offset - SEARCHED * pageSize) : offset
  const to = Math.min(total, offset + (place.anchor ? SEARCHED + 1 : 1) * pageSize)
  const pieces = await Promise.all(
    overlaps(heads, from, to).map(({ segment, offset, limit }) => {
      const [query, head] = [segments[segment] ?? filters, heads[segment]]
      const isHere = head && offset === 0 && rowsOf(head) >= Math.min(limit, head.total)
      return isHere ? cut(head, limit) : healthChecks.list({ ...query, offset, limit })
    }),
  )
  const rows = pieces.flatMap(({ results }) => results)
  const unreadable = pieces.reduce((sum, piece) => sum + piece.unreadable, 0)
  const first = place.anchor ? firstRow(rows, place.anchor, pageSize, offset - from) : 0
  const page = rows.slice(first, first + pageSize)
  return { rows: page, pageSize, start: from + first, total, unreadable, other, down }
}

/** As many as a page of the listing gives. */
const LOOKED_AT = 500
const MOST = 90

/** The customers of the first health checks, smallest first: what is offered where a customer is asked for. Reads only. */
export async function customersSeen({ healthChecks }: Api): Promise<number[]> {
  try {
    const { results } = await healthChecks.list({ limit: LOOKED_AT })
    const ids = results.flatMap(({ customerId }) => (customerId === undefined ? [] : [customerId]))
    return [...new Set(ids)].sort((left, right) => left - right).slice(0, MOST)
  } catch (error) {
    // It is an offer: without it the number is typed.
    if (error instanceof ApiError) return []
    throw error
  }
}

export interface Summary {
  total: number
  unhealthy: number
  installing: number
  healthy: number
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

const SHOWN = 10
/** Among so many the newest are looked for. */
const MOST_DOWN = 100

export interface DownNow {
  at: Date
  onIt?: string
}

/** Where it is asked: in an environment of a workspace, and in a channel, or in none. */
export type AskedIn = Pick<CommandContext, 'workspaceId' | 'environment' | 'now'> & {
  channelId?: string | undefined
}

/** What watching has seen of the health checks of an environment. */
export interface WatchingSeen {
  downSince(asked: AskedIn, uuids: readonly string[]): Promise<ReadonlyMap<string, DownNow>>
  upSince(asked: AskedIn): Promise<Date | undefined>
  /** Which are in maintenance now, as far as the channel is concerned: asked once, whatever the number of checks. */
  maintained(asked: AskedIn): Promise<IsMaintained>
}

export type IsMaintained = (check: HealthCheck) => boolean

/** Counts by status, and what is down: four small pages, whatever the number of checks. Throws ApiError. */
export async function summarize(
  { healthChecks }: Api,
  asked: AskedIn,
  seen?: WatchingSeen,
  signal?: AbortSignal,
): Promise<Summary> {
  const [all, unhealthy, installing, healthy] = await Promise.all([
    healthChecks.list({ limit: 1 }, signal),
    healthChecks.list({ status: 'UNHEALTHY', limit: MOST_DOWN }, signal),
    healthChecks.list({ status: 'INSTALLING', limit: 1 }, signal),
    healthChecks.list({ status: 'HEALTHY', limit: 1 }, signal),
  ])
  const found = unhealthy.results
  const since =
    (found.length > 0 &&
      (await seen?.downSince(
        asked,
        found.map(({ uuid }) => uuid),
      ))) ||
    new Map<string, DownNow>()
  const areAllSeen = found.length === unhealthy.total
  const areAllUp = all.total > 0 && healthy.total === all.total
  const beganAt = ({ uuid }: HealthCheck): number => since.get(uuid)?.at.getTime() ?? 0
  const down = found.toSorted((left, right) => beganAt(right) - beganAt(left))
  return {
    total: all.total,
    unhealthy: unhealthy.total,
    installing: installing.total,
    healthy: healthy.total,
    down: down.slice(0, SHOWN),
    newest: areAllSeen ? down[0] : undefined,
    since,
    upSince: areAllUp ? await seen?.upSince(asked) : undefined,
    isMaintained: found.length > 0 ? await seen?.maintained(asked) : undefined,
  }
}

const lastPage = (total: number, pageSize: number): number =>
  Math.floor(Math.max(0, total - 1) / pageSize) * pageSize

const rowsOf = (page: HealthCheckPage): number => page.results.length + page.unreadable

/** A page that is longer than what is needed of it. One with unreadable rows is taken whole: which they were is not known. */
const cut = (page: HealthCheckPage, limit: number): HealthCheckPage =>
  page.unreadable > 0 ? page : { ...page, results: page.results.slice(0, limit) }

interface Overlap {
  segment: number
  offset: number
  limit: number
}

/** Which piece of each segment lies between two places of them all in a row. */
function overlaps(heads: readonly HealthCheckPage[], from: number, to: number): Overlap[] {
  let begins = 0
  return heads.flatMap(({ total }, segment): Overlap[] => {
    const offset = Math.max(from, begins) - begins
    const limit = Math.min(to, begins + total) - begins - offset
    begins += total
    return limit > 0 ? [{ segment, offset, limit }] : []
  })
}

/** Where the page begins among the rows; at `expected` when none of the checks it was left at is among them. */
function firstRow(
  rows: readonly HealthCheck[],
  { side, uuids }: Anchor,
  pageSize: number,
  expected: number,
): number {
  for (const uuid of uuids) {
    const at = rows.findIndex((check) => check.uuid === uuid)
    if (at >= 0) return side === 'after' ? at + 1 : Math.max(0, at - pageSize)
  }
  return expected
}
