import type { HealthCheck, HealthCheckPage } from '../../service/health-checks.ts'

/** Where a page was left: some checks at its edge, nearest to the edge first. Checks come and go; one of them will do. */
export interface Anchor {
  side: 'after' | 'before'
  uuids: readonly string[]
}

export const lastPage = (total: number, pageSize: number): number =>
  Math.floor(Math.max(0, total - 1) / pageSize) * pageSize

export const rowsOf = (page: HealthCheckPage): number => page.results.length + page.unreadable

/** A page that is longer than what is needed of it. One with unreadable rows is taken whole: which they were is not known. */
export const cut = (page: HealthCheckPage, limit: number): HealthCheckPage =>
  page.unreadable > 0 ? page : { ...page, results: page.results.slice(0, limit) }

interface Overlap {
  segment: number
  offset: number
  limit: number
}

/** Which piece of each segment lies between two places of them all in a row. */
export function overlaps(heads: readonly HealthCheckPage[], from: number, to: number): Overlap[] {
  let begins = 0
  return heads.flatMap(({ total }, segment): Overlap[] => {
    const offset = Math.max(from, begins) - begins
    const limit = Math.min(to, begins + total) - begins - offset
    begins += total
    return limit > 0 ? [{ segment, offset, limit }] : []
  })
}

/** Where the page begins among the rows; at `expected` when none of the checks it was left at is among them. */
export function firstRow(
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
