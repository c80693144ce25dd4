import { setTimeout as pause } from 'node:timers/promises'
import { fetchOnce, rootCause } from '@signalman/runtime'
import { NotTried } from './findings.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly text: string
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
    const noAnswer = (error: unknown): never => {
      throw new NotTried(`no answer (${rootCause(error)})`, { cause: error })
    }
    const response = await fetchOnce(url.href, options).catch(noAnswer)
    const { status } = response
    // Of what stands in front of it, or of a fault, nothing follows about the service.
    if (status >= 500) throw new NotTried(`the answer has status ${status}`)
    const text = await response.text().catch(noAnswer)
    if (status !== 429) {
      if (status === 401 && as === token) throw new NotTried('the service doesn’t accept the token')
      return { status, text, body: parseObject(text, status) }
    }
    const seconds = readWait(response)
    if (!mayWait) throw new Error('429, once more after its Retry-After')
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

/** The seconds to wait that a 429 names. Too long a wait is as expected, and nothing is known of what was asked. */
function readWait({ headers }: Awaited<ReturnType<typeof fetchOnce>>): number {
  const retryAfter = headers.get('retry-after')
  const seconds = Number(retryAfter ?? Number.NaN)
  const words = `429 with Retry-After: ${retryAfter}`
  if (Number.isNaN(seconds)) throw new Error(words)
  if (seconds > MAX_WAIT_SECONDS) throw new NotTried(words)
  return seconds
}

/** Throws for what the service never sends, such as the page of a proxy. */
function parseObject(text: string, status: number): Row {
  try {
    const value: unknown = JSON.parse(text)
    if (isRow(value)) return value
  } catch {}
  throw new NotTried(`something other than the service answers (status ${status})`)
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const toRow = (value: unknown): Row => (isRow(value) ? value : {})
