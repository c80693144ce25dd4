import { ApiError } from './errors.ts'
import { type Http, path, type UndecodedAnswer } from './http.ts'
import { jsonData, nothing } from './read.ts'
import { asRecord } from './scalars.ts'
import {
  boolean,
  count,
  date,
  id,
  lazily,
  mapped,
  number,
  or,
  type ReadBy,
  required,
  rows,
  shape,
  text,
} from './shape.ts'

const ALL = path`/healthcheck/v1/healthchecks`

const HealthCheck = shape({
  uuid: id,
  name: or(text, ''),
  status: or(text, ''),
  customerId: number,
  protocol: text,
  target: text,
  port: number,
  frequency: number,
  createdAt: date,
  createdBy: text,
  modifiedAt: date,
  modifiedBy: text,
  httpServerAddress: text,
  verifySsl: boolean,
})

/**
 * One health check. Only the uuid is certain; `status` is '' when the service gave none, and unknown values of it and
 * of `protocol` are kept as they came. `frequency` is in seconds. The server address and `verifySsl` are absent in the
 * answer to a creation.
 */
export interface HealthCheck extends ReadBy<typeof HealthCheck> {}

/** One page as the service cut it: `limit` may be smaller than asked; `unreadable` rows are missing from `results`. */
export interface HealthCheckPage {
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly results: readonly HealthCheck[]
  readonly unreadable: number
}

/** Filters and paging of the listing; `limit` at most 500 (the service's default is 100), `name` may end in `*`. */
export interface HealthCheckQuery {
  limit?: number | undefined
  offset?: number | undefined
  sort?: 'name' | 'uuid' | undefined
  name?: string | undefined
  status?: string | undefined
  protocol?: string | undefined
  target?: string | undefined
  customerId?: number | undefined
  /** Those of the customer's subsidiaries are in it, unless this is false. */
  includeSubsidiaries?: false | undefined
}

/** What a create or an update sends. The server address is for HTTP and HTTPS, `verifySsl` for HTTPS only. */
export interface HealthCheckBody {
  name: string
  customerId: number
  protocol: string
  target: string
  port: number
  /** Seconds between checks. */
  frequency: number
  httpServerAddress?: string | undefined
  verifySsl?: boolean | undefined
}

const Row = lazily(HealthCheck)

const Page = mapped(
  shape({ total: count, results: required(rows(Row)), limit: number, offset: or(number, 0) }),
  ({ results: { items, lost }, limit = items.length + lost, ...page }): HealthCheckPage => ({
    ...page,
    limit,
    results: items,
    unreadable: lost,
  }),
)

/** The answer that holds one page; its rows are read one by one. */
export const readPage = jsonData(Page)

/** Of a check that is not wanted nothing but this is looked at; what is not as expected is read like any other. */
type IsWanted = (uuid: string, status: string) => boolean

const readWanted = (isWanted: IsWanted) =>
  jsonData(
    mapped(
      shape({ total: count, results: required(rows(Row, wantedRow(isWanted))) }),
      ({ total, results: { items: results, lost, passed } }) => ({
        total,
        results,
        // False where there are more than one answer holds.
        isWhole: results.length + lost + passed >= total,
      }),
    ),
  )

const wantedRow =
  (isWanted: IsWanted) =>
  (row: unknown): boolean => {
    const { uuid, status } = asRecord(row) ?? {}
    return typeof uuid !== 'string' || uuid === '' || typeof status !== 'string' || isWanted(uuid, status)
  }

export const readOneCheck = jsonData(HealthCheck)

export type HealthChecks = ReturnType<typeof healthChecks>

/** The calls on health checks. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function healthChecks(http: Http) {
  const one = (uuid: string) => path`/healthcheck/v1/healthchecks/${{ uuid }}`
  const list = async (query: HealthCheckQuery = {}, signal?: AbortSignal): Promise<HealthCheckPage> =>
    http.get(ALL, readPage, signal, wireQuery(query))

  return {
    /** One page, ordered by name unless asked otherwise. */
    list,

    /** Those that are wanted of one page of everything, unless the service says the very same as when it gave this mark. */
    listIfChanged: (
      limit: number,
      isWanted: IsWanted,
      { mark, signal }: { mark: string | undefined; signal: AbortSignal },
    ) => http.getIfChanged(ALL, readWanted(isWanted), signal, { limit }, mark),

    /**
     * Every page of a filter in order, several fetched at once after the first told the total; never more than
     * `concurrency` are in memory. `query.offset` is where it starts; `query.limit` is ignored in favour of `pageSize`.
     * Checks added or removed meanwhile may appear twice or not at all; a listing that keeps growing ends 'unreadable'.
     */
    listAll: (query: HealthCheckQuery = {}, options: ListAllOptions = {}): AsyncIterable<HealthCheckPage> =>
      walkPages(
        (offset, limit, signal) =>
          http.getUndecoded(ALL, readPage, signal, wireQuery({ ...query, offset, limit })),
        query.offset ?? 0,
        options,
      ),

    get: async (uuid: string, signal?: AbortSignal): Promise<HealthCheck> =>
      http.get(one(uuid), readOneCheck, signal),

    /** The answer shows neither server address nor `verifySsl`, whatever was sent. */
    create: async (body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('POST', ALL, readOneCheck, signal, bodyText(body)),

    /** Send every field: whether the service keeps those left out is not known. */
    update: async (uuid: string, body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('PUT', one(uuid), readOneCheck, signal, bodyText(body)),

    delete: async (uuid: string, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', one(uuid), nothing, signal),
  }
}

/** What the service calls each part of a query: one that is missing here would be asked for in vain. */
const WIRE_NAMES: Readonly<Record<keyof HealthCheckQuery, string>> = {
  limit: 'limit',
  offset: 'offset',
  sort: 'sort',
  name: 'name',
  status: 'status',
  protocol: 'protocol',
  target: 'target',
  customerId: 'customer_id',
  includeSubsidiaries: 'include_subsidiaries',
}

const wireQuery = (query: HealthCheckQuery) =>
  Object.fromEntries(
    // The table has a query's own names.
    Object.entries(WIRE_NAMES).map(([name, wireName]) => [wireName, query[name as keyof HealthCheckQuery]]),
  )

/** JSON leaves out what is undefined. */
function bodyText(body: HealthCheckBody): string {
  const { customerId, httpServerAddress, verifySsl, name, protocol, target, port, frequency } = body
  return JSON.stringify({
    name,
    customer_id: customerId,
    protocol,
    target,
    port,
    frequency,
    http_server_address: httpServerAddress,
    verify_ssl: verifySsl,
  })
}

interface ListAllOptions {
  signal?: AbortSignal | undefined
  /** Rows asked for per page; 500 unless given, which is the most that the service gives. */
  pageSize?: number | undefined
  /** Most pages in memory at once, the one being read included; 12 unless given. */
  concurrency?: number | undefined
}

/**
 * Fetches a page, which stays bytes until its turn. Parsed earlier, its thousands of objects would
 * survive the minor garbage collections and stay in memory until a major one.
 */
type FetchPage = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<UndecodedAnswer<HealthCheckPage>>

/** A listing may grow while it is walked; beyond this many times its first length it is taken for endless. */
const MAX_GROWTH = 2
const SPARE_PAGES = 16

/**
 * The pages from `start` on, in order. Whatever ends the walk (the last page, an error, the reader leaving) stops the
 * requests still under way.
 */
async function* walkPages(
  fetch: FetchPage,
  start: number,
  { signal, pageSize = 500, concurrency = 12 }: ListAllOptions,
): AsyncGenerator<HealthCheckPage, void, undefined> {
  const stop = new AbortController()
  const leave = (): void => stop.abort()
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    const fetched = await fetch(start, pageSize, stop.signal)
    const first = await fetched()
    yield first
    const rows = rowsOf(first)
    if (rows === 0 || start + rows >= first.total) return
    // How far apart pages lie: as many rows as the service really gives, which may be fewer than asked or than it says.
    const step = Math.min(pageSize, rows)
    const furthest = start + first.total * MAX_GROWTH + step * SPARE_PAGES
    const window: Promise<UndecodedAnswer<HealthCheckPage>>[] = []
    let { total } = first
    let next = start + step
    while (next < total || window.length > 0) {
      for (; next < total && window.length < Math.max(1, concurrency); next += step) {
        refuseEndless(next, furthest)
        const page = fetch(next, step, stop.signal)
        // Awaited when its turn comes; until then a failure of it must not count as unhandled.
        page.catch(() => undefined)
        window.push(page)
      }
      const fetched = await window.shift()
      if (!fetched) return
      const page = await fetched()
      total = page.total
      if (rowsOf(page) === 0) return
      yield page
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    stop.abort()
  }
}

const rowsOf = (page: HealthCheckPage): number => page.results.length + page.unreadable

function refuseEndless(next: number, furthest: number): void {
  if (next > furthest) throw new ApiError('unreadable', `the listing grew beyond ${next} while it was walked`)
}
