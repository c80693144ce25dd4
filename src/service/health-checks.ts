import { z } from 'zod'
import { type DecodeContext, decodeData, decodeNothing } from './decode.ts'
import { ApiError } from './errors.ts'
import { type Http, path, type UndecodedAnswer } from './http.ts'
import { readObject, readRows } from './lenient.ts'
import { boolean, count, date, id, isRecord, number, text } from './schema.ts'

const ALL = path`/healthcheck/v1/healthchecks`

/**
 * One health check. Only the UUID is certain. `status` is '' if the service returned none; unknown values of it and of
 * `protocol` are kept. `frequency` is in seconds. The answer to a creation lacks the server address and `verifySsl`.
 */
export interface HealthCheck {
  readonly uuid: string
  readonly name: string
  readonly status: string
  readonly customerId?: number | undefined
  readonly protocol?: string | undefined
  readonly target?: string | undefined
  readonly port?: number | undefined
  readonly frequency?: number | undefined
  readonly createdAt?: Date | undefined
  readonly createdBy?: string | undefined
  readonly modifiedAt?: Date | undefined
  readonly modifiedBy?: string | undefined
  readonly httpServerAddress?: string | undefined
  readonly verifySsl?: boolean | undefined
}

const HealthCheckSchema = z.compile(
  z
    .object({
      uuid: id,
      name: text,
      status: text,
      customer_id: number,
      protocol: text,
      target: text,
      port: number,
      frequency: number,
      created_at: date,
      created_by: text,
      modified_at: date,
      modified_by: text,
      http_server_address: text,
      verify_ssl: boolean,
    })
    .transform(
      (row): HealthCheck => ({
        uuid: row.uuid,
        name: row.name ?? '',
        status: row.status ?? '',
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
      }),
    ),
  { strict: true },
)

const PageSchema = z.compile(
  z.object({ total: count, results: z.array(z.unknown()), limit: number, offset: number }),
  { strict: true },
)

/** One page as the service cut it: `limit` may be smaller than asked; `unreadable` rows are missing from `results`. */
export interface HealthCheckPage {
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly results: readonly HealthCheck[]
  readonly unreadable: number
}

const readCheck = (value: unknown, at: string, context: DecodeContext) =>
  readObject(HealthCheckSchema, value, at, context)

export const decodeCheck = decodeData((data, context) => readCheck(data, 'data', context))

/** Decodes one page; its rows are read one by one. */
export const decodePage = decodeData((data, context): HealthCheckPage | undefined => {
  const page = readObject(PageSchema, data, 'data', context)
  if (!page) return undefined
  const { total, results, limit, offset } = page
  const { rows, lost } = readRows(results, 'data.results', context, (row, at) => readCheck(row, at, context))
  return { total, limit: limit ?? results.length, offset: offset ?? 0, results: rows, unreadable: lost }
})

/** If a check isn't wanted, only its UUID and status are read. */
type IsWanted = (uuid: string, status: string) => boolean

/** Decodes the wanted checks of one page. */
const decodeWanted = (isWanted: IsWanted) =>
  decodeData((data, context) => {
    const page = readObject(PageSchema, data, 'data', context)
    if (!page) return undefined
    const { total, results: all } = page
    const { rows } = readRows(all, 'data.results', context, (row, at) =>
      mayBeWanted(row, isWanted) ? readCheck(row, at, context) : undefined,
    )
    // Not whole if there are more than one answer can hold.
    return { total, results: rows, isWhole: all.length >= total }
  })

/** A row without a UUID or status is parsed like any other, so that the problem is noted. */
function mayBeWanted(row: unknown, isWanted: IsWanted): boolean {
  if (!isRecord(row)) return true
  const { uuid, status } = row
  return typeof uuid !== 'string' || uuid === '' || typeof status !== 'string' || isWanted(uuid, status)
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
  /** Includes the customer's subsidiaries unless false. */
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

export type HealthChecks = ReturnType<typeof healthChecks>

/** The calls on health checks. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function healthChecks(http: Http) {
  const one = (uuid: string) => path`/healthcheck/v1/healthchecks/${{ uuid }}`
  const list = async (query: HealthCheckQuery = {}, signal?: AbortSignal): Promise<HealthCheckPage> =>
    http.get(ALL, decodePage, signal, wireQuery(query))

  return {
    /** One page, ordered by name unless asked otherwise. */
    list,

    /** The wanted checks of one page of all checks; `value` is undefined if the answer still has this digest. */
    listIfChanged: (
      limit: number,
      isWanted: IsWanted,
      { digest, signal }: { digest: string | undefined; signal: AbortSignal },
    ) => http.getIfChanged(ALL, decodeWanted(isWanted), signal, { limit }, digest),

    /**
     * Every page of a filter in order, several fetched at once after the first told the total; never more than
     * `concurrency` are in memory. `query.offset` is where it starts; `query.limit` is ignored in favour of `pageSize`.
     * Checks added or removed meanwhile may appear twice or not at all; a listing that keeps growing ends 'unreadable'.
     */
    listAll: (query: HealthCheckQuery = {}, options: ListAllOptions = {}): AsyncIterable<HealthCheckPage> =>
      walkPages(
        (offset, limit, signal) =>
          http.getUndecoded(ALL, decodePage, signal, wireQuery({ ...query, offset, limit })),
        query.offset ?? 0,
        options,
      ),

    get: async (uuid: string, signal?: AbortSignal): Promise<HealthCheck> =>
      http.get(one(uuid), decodeCheck, signal),

    /** The answer shows neither server address nor `verifySsl`, whatever was sent. */
    create: async (body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('POST', ALL, decodeCheck, signal, bodyText(body)),

    /** Send every field: whether the service keeps those left out is not known. */
    update: async (uuid: string, body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('PUT', one(uuid), decodeCheck, signal, bodyText(body)),

    delete: async (uuid: string, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', one(uuid), decodeNothing, signal),
  }
}

/** The service's name of each query parameter. One that is missing here wouldn't be sent. */
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
    // The table's keys are those of the query.
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

/** A listing may grow while it is read; beyond this many times its initial length it counts as endless. */
const MAX_GROWTH = 2
const SPARE_PAGES = 16

/**
 * The pages from `start` on, in order. Whatever ends the iteration (the last page, an error, the reader leaving) aborts the
 * remaining requests.
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
    const rows = countRows(first)
    if (rows === 0 || start + rows >= first.total) return
    // The distance between pages: how many rows the service really returns, which may be fewer than requested or
    // announced.
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
      if (countRows(page) === 0) return
      yield page
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    stop.abort()
  }
}

const countRows = (page: HealthCheckPage): number => page.results.length + page.unreadable

function refuseEndless(next: number, furthest: number): void {
  if (next > furthest) throw new ApiError('unreadable', `the listing grew beyond ${next} while it was walked`)
}
