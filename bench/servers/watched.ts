import { createServer } from 'node:http'
import { serveCalls } from '../parts/calls.ts'
import { type CheckRow, checkRows } from '../parts/checks.ts'
import { listening } from '../parts/listening.ts'

export interface WatchedSettings {
  total: number
  /** How many of them are down from the start. */
  down: number
  /** The delay of every answer; none by default. */
  delayMs?: number
}

const ROOT = '/healthcheck/v1/healthchecks'
const SAME_POLL_MS = 500

/**
 * The times of a workspace's requests: the last one, the time between the last two, and the first one since its check went down.
 */
export interface RequestTimes {
  readonly at: number
  readonly gapMs: number
  readonly downAt?: number
}

/** A service whose checks go down when told to. Repeated requests are answered from memory. */
serveCalls(async (settings) => {
  // `startChild` passes these settings.
  const { total, down, delayMs = 0 } = settings as WatchedSettings
  const rows = checkRows(total).map((row, index) => ({
    ...row,
    status: index < down ? 'UNHEALTHY' : 'HEALTHY',
  }))
  const withOneDown = rows.map((row, index) => ({
    ...row,
    ...(index === total - 1 && { status: 'UNHEALTHY' }),
  }))
  const known = new Map<string, Buffer>()
  /** By the workspace's token. */
  const requestTimes = new Map<string, RequestTimes>()
  let findOutage: ((workspace: number) => boolean) | undefined

  /** Whether its check is down. */
  function note(authorization: string): boolean {
    const name = /T(\d+)-/.exec(authorization)?.[0] ?? ''
    const isFallen = findOutage?.(Number(name.slice(1, -1))) ?? false
    const at = Date.now()
    const last = requestTimes.get(name)
    const downAt = last?.downAt ?? (isFallen ? at + delayMs : undefined)
    // The requests of one poll directly follow each other. A longer gap is the time between two polls.
    const gapMs = last && at - last.at > SAME_POLL_MS ? at - last.at : (last?.gapMs ?? 0)
    requestTimes.set(name, { at, gapMs, ...(downAt !== undefined && { downAt }) })
    return isFallen
  }

  function answerTo(path: string, isFallen: boolean): Buffer {
    const key = isFallen ? `fallen ${path}` : path
    const data = () => dataFor(path, isFallen ? withOneDown : rows)
    const answer = known.get(key) ?? Buffer.from(JSON.stringify({ message: 'OK', data: data() }))
    known.set(key, answer)
    return answer
  }

  function dataFor(path: string, rows: readonly CheckRow[]): unknown {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    if (pathname !== ROOT) return rows.find(({ uuid }) => pathname === `${ROOT}/${uuid}`)
    const status = searchParams.get('status')
    const found = status ? rows.filter((row) => row.status === status) : rows
    const limit = Number(searchParams.get('limit') ?? 100)
    const offset = Number(searchParams.get('offset') ?? 0)
    return { total: found.length, limit, offset, results: found.slice(offset, offset + limit) }
  }

  let answers = 0
  let isDiffering = false
  const server = createServer((request, response) => {
    const body = answerTo(request.url ?? '', note(request.headers.authorization ?? ''))
    answers += 1
    if (isDiffering) body.write(`{"message":"${String(answers % 100).padStart(2, '0')}"`)
    const send = () =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (delayMs > 0) setTimeout(send, delayMs)
    else send()
  })
  server.keepAliveTimeout = 60_000
  return {
    ready: await listening(server),
    handlers: {
      /** From now on, every answer differs from the one before, although no check has changed. */
      async differ() {
        isDiffering = true
      },
      /** From now on, one check in each of this many workspaces is down. */
      async takeDownOneIn(of: unknown) {
        findOutage = (workspace) => workspace % Number(of) === 0
      },
      requestTimes: () => Object.fromEntries(requestTimes),
      /** How many workspaces have sent requests, and how many of them again after that. */
      countPolled: () => ({
        once: requestTimes.size,
        twice: [...requestTimes.values()].filter(({ gapMs }) => gapMs > 0).length,
      }),
      async fall(count: unknown) {
        for (const row of rows.filter(({ status }) => status === 'HEALTHY').slice(0, Number(count)))
          row.status = 'UNHEALTHY'
        known.clear()
      },
    },
  }
})
