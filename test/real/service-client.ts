import { setTimeout as pause } from 'node:timers/promises'
import { fetchOnce, rootCause } from '@signalman/runtime'
import { NotTried } from './findings.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly text: string
  /** Empty if the answer isn’t a JSON object. */
  readonly body: Row
}

export interface ServiceAccess {
  base: string
  token: string
}

interface GetOptions {
  /** Another token. */
  as?: string
  mayWait?: boolean
}

const TIMEOUT_MS = 30_000
const MAX_WAIT_SECONDS = 60

export type Service = ReturnType<typeof createService>

/** Calls the service without the app’s client: one request, and another one if the service asks to wait. */
export function createService({ base, token }: ServiceAccess) {
  async function get(
    path: string,
    query: Row = {},
    { as = token, mayWait = true }: GetOptions = {},
  ): Promise<Answer> {
    const url = new URL(base.replace(/\/$/, '') + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const headers = { authorization: `Bearer ${as}` }
    const options = { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' } as const
    const response = await fetchOnce(url.href, options).catch((error: unknown) => {
      throw new NotTried(`no answer (${rootCause(error)})`)
    })
    // Of what stands in front of it, or of a fault, nothing follows about the service.
    if (response.status >= 500) throw new NotTried(`the answer has status ${response.status}`)
    const text = await response.text()
    if (response.status !== 429) return { status: response.status, text, body: parseObject(text) }
    const retryAfter = response.headers.get('retry-after')
    const seconds = Number(retryAfter ?? Number.NaN)
    if (!mayWait || !(seconds <= MAX_WAIT_SECONDS)) throw new Error(`429 with Retry-After: ${retryAfter}`)
    await pause(seconds * 1000)
    return get(path, query, { as, mayWait: false })
  }

  async function list(query: Row = {}) {
    const { status, body } = await get('/healthcheck/v1/healthchecks', query)
    const { total, limit, results } = toRow(body.data)
    if (!Array.isArray(results)) throw new Error(`the list was answered with status ${status}`)
    return { total: Number(total), limit: Number(limit), rows: results.map(toRow) }
  }

  /** Finds any check of the account. */
  async function findCheck(): Promise<Row> {
    const [check] = (await list({ limit: 1 })).rows
    if (!check) throw new NotTried('the account has no health check')
    return check
  }
  return { get, list, findCheck }
}

function parseObject(text: string): Row {
  try {
    return toRow(JSON.parse(text))
  } catch {
    return {}
  }
}

// Cast, because every property of an object is unknown.
export const toRow = (value: unknown): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {}
