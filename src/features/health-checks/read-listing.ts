import type { HealthCheck, HealthCheckQuery } from '../../api/health-checks.ts'
import type { Api } from '../../api/service.ts'
import { type Anchor, cut, firstRow, lastPage, overlaps, rowsOf } from './overlap.ts'
import type { CheckFilters } from './parse.ts'
import { STATUSES } from './status.ts'

/** A piece of a listing, counted from 0. */
export interface Listed {
  rows: readonly HealthCheck[]
  start: number
  total: number
  /** Rows of the piece that could not be read. */
  unreadable: number
  /** Checks in none of the statuses that the service filters by: they stand in no place of a listing by status. */
  other: number
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
  pageSize: number,
): Promise<Listed> {
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
  return { rows: rows.slice(first, first + pageSize), start: from + first, total, unreadable, other }
}
