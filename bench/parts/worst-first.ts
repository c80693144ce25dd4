const ROOT = '/healthcheck/v1/healthchecks'
const STATUSES = ['UNHEALTHY', 'INSTALLING', 'HEALTHY']

/** A page as the service gives it. */
interface Page<Row> {
  total: number
  results: Row[]
}

/**
 * What a first page with the worst first needs, asked for at once: the service sorts by no status, and how many checks are
 * in which is not known before. The last one is for the total.
 */
export const firstPagePaths = (pageSize: number): string[] => [
  ...STATUSES.map((status) => `${ROOT}?status=${status}&offset=0&limit=${pageSize}`),
  `${ROOT}?limit=1`,
]

/** The answers to these, in their order, as one page. */
export function firstPage<Row>(answers: readonly Page<Row>[], pageSize: number): Page<Row> {
  const rows = answers.slice(0, STATUSES.length).flatMap(({ results }) => results)
  return { total: answers.at(-1)?.total ?? 0, results: rows.slice(0, pageSize) }
}
