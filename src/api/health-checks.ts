import type { Fields } from './fields.ts'
import type { Http, IfChanged } from './http.ts'
import { listedCheck } from './listed-check.ts'
import { type ListAllOptions, walkPages } from './listing.ts'
import { path } from './path.ts'
import { json, nothing } from './read.ts'

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
export function readHealthCheck(row: Fields): HealthCheck | undefined {
  const { record } = row
  const uuid = row.requiredText('uuid', record.uuid)
  if (uuid === undefined) return undefined
  return {
    uuid,
    name: row.text('name', record.name) ?? '',
    status: row.text('status', record.status) ?? '',
    customerId: row.number('customer_id', record.customer_id),
    protocol: row.text('protocol', record.protocol),
    target: row.text('target', record.target),
    port: row.number('port', record.port),
    frequency: row.number('frequency', record.frequency),
    createdAt: row.date('created_at', record.created_at),
    createdBy: row.text('created_by', record.created_by),
    modifiedAt: row.date('modified_at', record.modified_at),
    modifiedBy: row.text('modified_by', record.modified_by),
    httpServerAddress: row.text('http_server_address', record.http_server_address),
    verifySsl: row.boolean('verify_ssl', record.verify_ssl),
  }
}

function pageOf(data: Fields): HealthCheckPage | undefined {
  const total = data.requiredCount('total')
  const rows = data.requiredObjects('results', (row) => listedCheck(row) ?? readHealthCheck(row))
  if (total === undefined || rows === undefined) return undefined
  return {
    total,
    limit: data.number('limit') ?? rows.sent,
    offset: data.number('offset') ?? 0,
    results: rows.items,
    unreadable: rows.sent - rows.items.length,
  }
}

/** The answer that holds one page; its rows are read one by one. */
export const readPage = json((body) => body.requiredObject('data', pageOf))

export const readOneCheck = json((body) => body.requiredObject('data', readHealthCheck))

export type HealthChecks = ReturnType<typeof healthChecks>

/** The calls on health checks. Each throws ApiError, and takes a signal that ends the wait as 'cancelled'. */
export function healthChecks(http: Http) {
  const list = async (query: HealthCheckQuery = {}, signal?: AbortSignal): Promise<HealthCheckPage> =>
    http.get(ROOT, { read: readPage, query: wireQuery(query), signal })

  return {
    /** One page, ordered by name unless asked otherwise. */
    list,

    /** One page of everything, unless the service says the very same as when it gave this mark. */
    listIfChanged: (
      limit: number,
      mark: string | undefined,
      signal: AbortSignal,
    ): Promise<IfChanged<HealthCheckPage>> =>
      http.getIfChanged(ROOT, { read: readPage, query: { limit }, mark, signal }),

    /**
     * Every page of a filter in order, several fetched at once after the first told the total; never more than
     * `concurrency` are in memory. `query.offset` is where it starts; `query.limit` is ignored in favour of `pageSize`.
     * Checks added or removed meanwhile may appear twice or not at all; a listing that keeps growing ends 'unreadable'.
     */
    listAll: (query: HealthCheckQuery = {}, options: ListAllOptions = {}): AsyncIterable<HealthCheckPage> =>
      walkPages(
        (offset, limit, signal) =>
          http.getUndecoded(ROOT, { read: readPage, query: wireQuery({ ...query, offset, limit }), signal }),
        query.offset ?? 0,
        options,
      ),

    get: async (uuid: string, signal?: AbortSignal): Promise<HealthCheck> =>
      http.get(path`/healthcheck/v1/healthchecks/${{ uuid }}`, { read: readOneCheck, signal }),

    /** The answer shows neither server address nor `verifySsl`, whatever was sent. */
    create: async (body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('POST', ROOT, { read: readOneCheck, body: bodyText(body), signal }),

    /** Send every field: whether the service keeps those left out is not known. */
    update: async (uuid: string, body: HealthCheckBody, signal?: AbortSignal): Promise<HealthCheck> =>
      http.send('PUT', path`/healthcheck/v1/healthchecks/${{ uuid }}`, {
        read: readOneCheck,
        body: bodyText(body),
        signal,
      }),

    delete: async (uuid: string, signal?: AbortSignal): Promise<void> =>
      http.send('DELETE', path`/healthcheck/v1/healthchecks/${{ uuid }}`, { read: nothing, signal }),
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
