import { createServer } from 'node:http'
import { serveCalls } from '../parts/calls.ts'
import { type CheckRow, checkRows } from '../parts/checks.ts'
import { listen } from '../parts/listen.ts'

export interface PolledServiceSettings {
  /** The number of checks. */
  total: number
  /** How many of the checks are down from the start. */
  down: number
  /** The delay of every response; 0 by default. */
  delayMs?: number
}

const ROOT = '/healthcheck/v1/healthchecks'
/** The requests of one poll directly follow each other. A longer gap is the time between two polls. */
const SAME_POLL_MS = 500

export interface RequestTimes {
  /** When the workspace sent its last request. */
  readonly at: number
  /** The time between the workspace's last two polls; 0 until its second poll. */
  readonly gapMs: number
  /** When the workspace received the first response with its check down. */
  readonly downAt?: number
}

/** A service whose checks go down on command. Repeated requests are answered from memory. */
serveCalls(async (settings) => {
  // `startChild` passes these settings.
  const { total, down, delayMs = 0 } = settings as PolledServiceSettings
  const rows = checkRows(total).map((row, index) => ({
    ...row,
    status: index < down ? 'UNHEALTHY' : 'HEALTHY',
  }))
  const withOneDown = rows.map((row, index) => ({
    ...row,
    ...(index === total - 1 && { status: 'UNHEALTHY' }),
  }))
  const cache = new Map<string, Buffer>()
  /** The request times of each workspace, by the start of its token (`T1-`). */
  const requestTimes = new Map<string, RequestTimes>()
  let isWorkspaceDown: ((workspace: number) => boolean) | undefined

  /** Stores the time of a request. Returns whether the workspace's check is down. */
  function recordRequest(authorization: string): boolean {
    const name = /T(\d+)-/.exec(authorization)?.[0] ?? ''
    const isDown = isWorkspaceDown?.(Number(name.slice(1, -1))) ?? false
    const at = Date.now()
    const last = requestTimes.get(name)
    const downAt = last?.downAt ?? (isDown ? at + delayMs : undefined)
    const gapMs = last && at - last.at > SAME_POLL_MS ? at - last.at : (last?.gapMs ?? 0)
    requestTimes.set(name, { at, gapMs, ...(downAt !== undefined && { downAt }) })
    return isDown
  }

  function answerTo(path: string, isDown: boolean): Buffer {
    const key = isDown ? `down ${path}` : path
    const data = () => dataFor(path, isDown ? withOneDown : rows)
    const answer = cache.get(key) ?? Buffer.from(JSON.stringify({ message: 'OK', data: data() }))
    cache.set(key, answer)
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
  let isVarying = false
  /** When it first answered after `takeDown`. */
  let firstAnswerAt: number | undefined
  const server = createServer((request, response) => {
    const body = answerTo(request.url ?? '', recordRequest(request.headers.authorization ?? ''))
    answers += 1
    firstAnswerAt ??= Date.now()
    // Replaces `OK` in the stored response with another text of the same length.
    if (isVarying) body.write(`{"message":"${String(answers % 100).padStart(2, '0')}"`)
    const send = () =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (delayMs > 0) setTimeout(send, delayMs)
    else send()
  })
  server.keepAliveTimeout = 60_000
  return {
    ready: await listen(server),
    handlers: {
      /** From now on, every response differs from the previous one, although no check has changed. */
      async varyResponses() {
        isVarying = true
      },
      /** From now on, a check is down in every n-th workspace. */
      async takeDownOneIn(workspaces: unknown) {
        isWorkspaceDown = (workspace) => workspace % Number(workspaces) === 0
      },
      requestTimes: () => Object.fromEntries(requestTimes),
      /** How many workspaces were polled at least once, and how many at least twice. */
      countPolled: () => ({
        once: requestTimes.size,
        twice: [...requestTimes.values()].filter(({ gapMs }) => gapMs > 0).length,
      }),
      /** From now on, this many more checks are down. */
      async takeDown(count: unknown) {
        for (const row of rows.filter(({ status }) => status === 'HEALTHY').slice(0, Number(count)))
          row.status = 'UNHEALTHY'
        cache.clear()
        firstAnswerAt = undefined
      },
      firstAnswerAt: () => firstAnswerAt,
    },
  }
})
