import { z } from 'zod'
import type { Http } from './http.ts'
import { type ListAllOptions, walkPages } from './listing.ts'
import { path } from './path.ts'
import { json, nothing } from './read.ts'
import { asBoolean, asDate, asNumber, asText, loose, readEach } from './scalars.ts'

const ROOT = '/healthcheck/v1/healthchecks'

/**
 * One health check. Only the uuid is certain; `status` is '' when the service gave none, and unknown values of it and
 * of `protocol` are kept as they came. `frequency` is in seconds. The server address and `verifySsl` are absent in the
 * answer to a creation.
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
  includeSubsidiaries?: boolean | undefined
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

/** One row of the wire, renamed and converted. Every part but the uuid may be missing, quoted, or of another type. */
export const HealthCheck = z.compile(
  z
    .object({
      uuid: z.string().min(1),
      name: loose,
      status: loose,
      customer_id: loose,
      protocol: loose,
      target: loose,
      port: loose,
      frequency: loose,
      created_at: loose,
      created_by: loose,
      modified_at: loose,
      modified_by: loose,
      http_server_address: loose,
      verify_ssl: loose,
    })
    .transform(
      (row): HealthCheck => ({
        uuid: row.uuid,
        name: asText(row.name) ?? '',
        status: asText(row.status) ?? '',
        customerId: asNumber(row.customer_id),
        protocol: asText(row.protocol),
        target: asText(row.target),
        port: asNumber(row.port),
        frequency: asNumber(row.frequency),
        createdAt: asDate(row.created_at),
        createdBy: asText(row.created_by),
        modifiedAt: asDate(row.modified_at),
        modifiedBy: asText(row.modified_by),
        httpServerAddress: asText(row.http_server_address),
        verifySsl: asBoolean(row.verify_ssl),
      }),
    ),
)

const count = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0))

/** The envelope of a page; its rows are read one by one. */
export const PageAnswer = z.compile(
  z
    .object({
      data: z.object({ total: count, limit: loose, offset: loose, results: z.array(z.unknown()) }),
    })
    .transform(({ data }): HealthCheckPage => {
      const { read, unreadable } = readEach(HealthCheck, data.results)
      return {
        total: data.total,
        limit: asNumber(data.limit) ?? data.results.length,
        offset: asNumber(data.offset) ?? 0,
        results: read,
        unreadable,
      }
    }),
)

export const HealthCheckAnswer = z.compile(z.object({ data: HealthCheck }).transform(({ data }) => data))

export type HealthChecks = ReturnType<typeof healthChecks>

/** The calls on health checks. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function healthChecks(http: Http) {
  const readOne = json(HealthCheckAnswer)
  const readPage = json(PageAnswer)

  const list = async (query: HealthCheckQuery = {}, signal?: AbortSignal): Promise<HealthCheckPage> =>
    http.get(ROOT, { read: readPage, query: wireQuery(query), signal })

  return {
    /** One page, ordered by name unless asked otherwise. */
    list,

    /**
     * Every page of a filter in order, several fetched at once after the first told the total; never more than
     * `concurrency` are held. `query.offset` is where it starts; `query.limit` is ignored in favour of `pageSize`.
     * Checks added or removed meanwhile may appear twice or not at all; a listing that keeps growing ends 'unreadable'.
     */
    listAll: (query: HealthCheckQuery = {}, options: ListAllOptions = {}): AsyncIterable<HealthCheckPage> =>
      walkPages(
        (offset, limit, signal) => list({ ...query, offset, limit }, signal),
        query.offset ?? 0,
        options,
      ),

    get: async (uuid: string, signal?: AbortSignal): Promise<HealthCheck> =>
      http.get(path`/healthcheck/v1/healthchecks/${uuid}`, { read: readOne, signal }),

    /** The answer shows neither server address nor `verifySsl`, whatever was sent. */
    create: async (body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('POST', ROOT, { read: readOne, body: bodyText(body), signal }),

    /** Send every field: whether the service keeps those left out is not known. */
    update: async (uuid: string, body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('PUT', path`/healthcheck/v1/healthchecks/${uuid}`, {
        read: readOne,
        body: bodyText(body),
        signal,
      }),

    delete: async (uuid: string, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', path`/healthcheck/v1/healthchecks/${uuid}`, { read: nothing, signal }),
  }
}

function wireQuery(query: HealthCheckQuery) {
  const { customerId, includeSubsidiaries, limit, offset, sort, name, status, protocol, target } = query
  return {
    limit,
    offset,
    sort,
    name,
    status,
    protocol,
    target,
    customer_id: customerId,
    include_subsidiaries: includeSubsidiaries,
  }
}

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
