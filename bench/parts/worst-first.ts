const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY']

/** A page in the service's format. */
interface Page<Row> {
  total: number
  results: Row[]
}

/** The request for all checks of the account in one response. */
export const ALL_CHECKS = '/healthcheck/v1/healthchecks?limit=500&offset=0'

/** Sorts the checks by status, the worst first, and returns the first page. The service can't sort by status. */
export function createFirstPage<Row extends { status: string }>(
  { total, results }: Page<Row>,
  pageSize: number,
): Page<Row> {
  const rank = ({ status }: Row): number => STATUSES.indexOf(status)
  return { total, results: results.toSorted((left, right) => rank(left) - rank(right)).slice(0, pageSize) }
}
