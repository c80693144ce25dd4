import type { CheckRow } from './checks.ts'

/** How many checks that are down the app shows first. */
const DOWN_SHOWN = 10

/** Fetches the rows of one page of the service with this query. */
type FetchRows = (query: string) => Promise<CheckRow[]>

/** The two small requests of a list in the app's order: what is down, and a page. Returns the rows of page one. */
export async function fetchFirstPage(fetchRows: FetchRows, pageSize: number): Promise<CheckRow[]> {
  const [down, all] = await Promise.all([
    fetchRows(`status=UNHEALTHY&limit=${DOWN_SHOWN}`),
    fetchRows(`limit=${pageSize}`),
  ])
  const uuids = new Set(down.map(({ uuid }) => uuid))
  return [...down, ...all.filter(({ uuid }) => !uuids.has(uuid))].slice(0, pageSize)
}

export const LIST_PATH = '/healthcheck/v1/healthchecks?offset=0&'
