import { z } from 'zod'
import { decodeData, decodeDone } from './decode.ts'
import { ApiError } from './errors.ts'
import { type Http, path } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import type { ParseIssueCollector } from './parse-issues.ts'
import { boolean, compileOnUse, count, id, number, type Output, text, textOrEmpty } from './schema.ts'

const CHECKS_PATH = path('/healthcheck/v1/healthchecks')

/** Without `fields`, which renames by computed names: that would take longer than the rest, and a listing has thousands of rows. */
const HealthCheckSchema = compileOnUse(
  z
    .object({
      uuid: id,
      name: textOrEmpty,
      status: textOrEmpty,
      customer_id: number,
      protocol: text,
      target: text,
      port: number,
      frequency: number,
      created_at: text,
      created_by: text,
      modified_at: text,
      modified_by: text,
      http_server_address: text,
      verify_ssl: boolean,
    })
    .transform((row) => ({
      uuid: row.uuid,
      name: row.name,
      status: row.status,
      customerId: row.customer_id ?? undefined,
      protocol: row.protocol ?? undefined,
      target: row.target ?? undefined,
      port: row.port ?? undefined,
      frequency: row.frequency ?? undefined,
      createdAt: row.created_at ?? undefined,
      createdBy: row.created_by ?? undefined,
      modifiedAt: row.modified_at ?? undefined,
      modifiedBy: row.modified_by ?? undefined,
      httpServerAddress: row.http_server_address ?? undefined,
      verifySsl: row.verify_ssl ?? undefined,
    })),
)

type Row = Output<typeof HealthCheckSchema>

/**
 * One health check. Only the UUID is certain. `status` is '' if the service returned none. `status` and `protocol` may have
 * unknown values. `frequency` is in seconds. Times are as the service wrote them, for `parseDate`: parsing all dates of a listing
 * would take a third of its time. The response to a create lacks the server address and `verifySsl`.
 */
export type HealthCheck = Readonly<Pick<Row, 'uuid' | 'name' | 'status'> & Partial<Row>>

const PageSchema = compileOnUse(z.object({ total: count, results: z.array(z.unknown()) }))

/** One page. The service may reduce the requested `limit`. `unreadable` is the number of rows that are missing from `results`. */
export interface HealthCheckPage {
  readonly total: number
  readonly results: readonly HealthCheck[]
  readonly unreadable: number
}

const readCheck = (value: unknown, at: string, issues: ParseIssueCollector) =>
  readObject(HealthCheckSchema, value, at, issues)

export const decodeCheck = decodeData((data, issues) => readCheck(data, 'data', issues))

/** Decodes one page. An unreadable row doesn't affect the others. */
export const decodePage = decodeData((data, issues): HealthCheckPage | undefined => {
  const page = readObject(PageSchema, data, 'data', issues)
  if (!page) return undefined
  const { rows, lost } = readRows(page.results, 'data.results', issues, readCheck)
  return { total: page.total, results: rows, unreadable: lost }
})

/** Filters and paging of the listing. `limit` is at most 500 (the service's default is 100). `name` may end in `*`. */
export interface HealthCheckQuery {
  limit?: number | undefined
  offset?: number | undefined
  sort?: 'name' | 'uuid' | undefined
  name?: string | undefined
  status?: string | undefined
  protocol?: string | undefined
  target?: string | undefined
  customerId?: number | undefined
  /** Includes the customer's subsidiaries unless false. */
  includeSubsidiaries?: false | undefined
}

/** The body of a create or update. The server address is for HTTP and HTTPS, `verifySsl` for HTTPS only. */
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

/** The listings of health checks. */
export function listings(http: Pick<Http, 'get'>) {
  /** Returns one page, sorted by name by default. */
  const list = (query: HealthCheckQuery = {}, signal?: AbortSignal): Promise<HealthCheckPage> =>
    http.get(CHECKS_PATH, decodePage, signal, toWire(query, QUERY_FIELDS))

  return {
    list,

    /**
     * Yields every page of a filter in order. After the first page, which has the total, it fetches up to `concurrency` pages
     * at a time. Ignores the query's own page. If checks are added or removed in the meantime, others may be missing. Throws
     * 'unreadable' if the listing doesn't end.
     */
    listAll: (query: HealthCheckQuery = {}, options: ListAllOptions = {}): AsyncIterable<HealthCheckPage> =>
      walkPages((offset, limit, signal) => list({ ...query, offset, limit }, signal), options),
  }
}

export type HealthChecks = ReturnType<typeof healthChecks>

/** All health checks of an account, or those of a filter, to look for a name. */
export interface NamedChecks {
  readonly checks: readonly NamedCheck[]
  /** Rows that can't be parsed, or that the service counts but returns on no page. They may have any name. */
  readonly unreadable: number
  /** When this was asked for. */
  readonly at: Date
}

/** What people know a health check by, and its status. */
export type NamedCheck = Pick<HealthCheck, 'uuid' | 'name' | 'status' | 'protocol' | 'target' | 'port'>

/** The names of an account’s health checks. */
export interface CheckNames {
  /**
   * Lists all checks that match. Everybody who asks for them within 30 s, or a shorter time if someone needs them newer, gets the same answer.
   * Undefined if there are more than 10,000: a person waits. A signal only ends the wait. Throws ApiError.
   */
  list(
    query?: HealthCheckQuery,
    options?: { readonly signal?: AbortSignal; readonly maxAgeMs?: number | undefined },
  ): Promise<NamedChecks | undefined>
  /** Waits for a write, after which names may have changed, also if it failed. */
  forgetAfter<T>(write: Promise<T>): Promise<T>
}

/** The operations on health checks. Each throws ApiError. A signal cancels a read. */
export function healthChecks(http: Http, names: CheckNames) {
  const checkPath = (uuid: string) => path('/healthcheck/v1/healthchecks/{uuid}', { uuid })

  return {
    ...listings(http),

    listNames: names.list,

    get: async (uuid: string, signal?: AbortSignal): Promise<HealthCheck> =>
      http.get(checkPath(uuid), decodeCheck, signal),

    /** The response never contains the server address and `verifySsl`. */
    create: async (body: HealthCheckBody): Promise<HealthCheck> =>
      names.forgetAfter(
        http.send('POST', CHECKS_PATH, decodeCheck, JSON.stringify(toWire(body, BODY_FIELDS))),
      ),

    /** Send every field: it isn't documented whether the service keeps omitted ones. */
    update: async (uuid: string, body: HealthCheckBody): Promise<HealthCheck> =>
      names.forgetAfter(
        http.send('PUT', checkPath(uuid), decodeCheck, JSON.stringify(toWire(body, BODY_FIELDS))),
      ),

    delete: async (uuid: string): Promise<void> =>
      void (await names.forgetAfter(http.send('DELETE', checkPath(uuid), decodeDone))),
  }
}

/** The name of every field in requests. */
type WireNames<T> = Readonly<Record<keyof T, string>>

const QUERY_FIELDS: WireNames<HealthCheckQuery> = {
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

const BODY_FIELDS: WireNames<HealthCheckBody> = {
  name: 'name',
  customerId: 'customer_id',
  protocol: 'protocol',
  target: 'target',
  port: 'port',
  frequency: 'frequency',
  httpServerAddress: 'http_server_address',
  verifySsl: 'verify_ssl',
}

/** Only these fields: filters and forms of a caller may have more. Undefined ones are left out when this is sent. */
const toWire = <T extends object>(values: T, fields: WireNames<T>) =>
  // Cast, because the keys of the names are those of the values.
  Object.fromEntries(Object.entries(fields).map(([name, wireName]) => [wireName, values[name as keyof T]]))

interface ListAllOptions {
  signal?: AbortSignal | undefined
  /** How many pages may be in memory at the same time, including the current one. Default: 12. */
  concurrency?: number | undefined
}

type FetchPage = (offset: number, limit: number, signal: AbortSignal) => Promise<HealthCheckPage>

/** The service's maximum. */
export const PAGE_SIZE = 500
/** A listing may grow while it is read: up to twice its pages, and this many more. None has more than the maximum. */
const MORE_PAGES = 16
const MAX_PAGES = 2000

/**
 * Yields the pages in order, each check once. When the iteration ends (after the last page, on an error, or because the
 * caller stops), the remaining requests are aborted. A listing that has no end, or repeats itself, is unreadable.
 */
async function* walkPages(
  fetch: FetchPage,
  { signal, concurrency = 12 }: ListAllOptions,
): AsyncGenerator<HealthCheckPage, void, undefined> {
  const stop = new AbortController()
  const stopped = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])])
  const seen = new Set<string>()
  const takeNew = (page: HealthCheckPage): HealthCheckPage => {
    const results = page.results.filter(({ uuid }) => seen.size < seen.add(uuid).size)
    if (results.length === 0 && page.results.length > 0)
      throw new ApiError('unreadable', 'the listing repeats a page')
    return { ...page, results }
  }
  try {
    const first = await fetch(0, PAGE_SIZE, stopped)
    yield takeNew(first)
    const rows = countRows(first)
    if (rows === 0) return
    // The distance between pages is the number of rows that the service returned, which may be less than the requested limit
    // or the `limit` in the response.
    const step = Math.min(PAGE_SIZE, rows)
    const maxPages = Math.min(MAX_PAGES, 2 * Math.ceil(first.total / step) + MORE_PAGES)
    const fetching: Promise<HealthCheckPage>[] = []
    let { total } = first
    for (let offset = rows; offset < total || fetching.length > 0; ) {
      for (; offset < total && fetching.length < Math.max(1, concurrency); offset += step) {
        if (offset > maxPages * step)
          throw new ApiError('unreadable', `the listing grew beyond ${offset} while it was read`)
        const page = fetch(offset, step, stopped)
        // It is awaited later. Until then, a rejection must not count as unhandled.
        page.catch(() => undefined)
        fetching.push(page)
      }
      const page = await fetching.shift()
      if (!page || countRows(page) === 0) return
      total = page.total
      yield takeNew(page)
    }
  } finally {
    // With a reason, because Node would make an error with a stack for each listing.
    stop.abort('The listing has ended.')
  }
}

const countRows = (page: HealthCheckPage): number => page.results.length + page.unreadable
