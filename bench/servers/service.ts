import { createServer } from 'node:http'
import { type CheckRow, checkRows } from '../parts/checks.ts'
import { serveCalls } from '../parts/child.ts'
import { listen } from '../parts/listen.ts'

interface ServiceSettings {
  /** The delay of every response; 0 by default. */
  delayMs?: number
  /** The total number of checks; 500 by default. All pages have the same 500 rows. */
  total?: number
  /** How many different checks there are; 500 by default. */
  checks?: number
  /** How many checks of an account fall after `fall`; 1 by default. */
  falling?: number
  /** No check is down. */
  isHealthy?: boolean
  /** Every name has a dash and an accent, so that it can be typed in several spellings. */
  hasAccents?: boolean
}

/** The fastest possible service: repeated requests are answered from memory. */
serveCalls(async (settings) => {
  // `startChild` passes these settings.
  const { delayMs = 0, total, checks = 500, falling = 1, ...kind } = settings as ServiceSettings
  const rows = checkRows(checks).map((row) => ({
    ...row,
    ...(kind.isHealthy && { status: 'HEALTHY' }),
    ...(kind.hasAccents && { name: row.name.replace('front', '–frönt') }),
  }))
  const downRows = rows.map((row, index) => (index < falling ? { ...row, status: 'UNHEALTHY' } : row))
  const cache = { up: new Map<string, Buffer>(), down: new Map<string, Buffer>() }
  /** The tokens of the accounts with an outage, and when each of them first read that. */
  const fallen = new Set<string>()
  let requests = 0
  const firstAnswers = new Map<string, number>()

  function answerTo(path: string, token: string): Buffer {
    const isDown = fallen.has(token)
    if (isDown && !firstAnswers.has(token)) firstAnswers.set(token, Date.now())
    const answers = isDown ? cache.down : cache.up
    const page = () => getPage(new URL(path, 'http://localhost').searchParams, isDown ? downRows : rows)
    const answer = answers.get(path) ?? Buffer.from(JSON.stringify({ message: 'OK', data: page() }))
    answers.set(path, answer)
    return answer
  }

  function getPage(query: URLSearchParams, all: CheckRow[]): { total: number; results: CheckRow[] } {
    const [status, target, name] = ['status', 'target', 'name'].map((key) => query.get(key))
    const found = all.filter(
      (row) =>
        (!status || row.status === status) &&
        (!target || row.target === target) &&
        (!name || (/^\*|\*$/.test(name) ? row.name.includes(name.replaceAll('*', '')) : row.name === name)),
    )
    const limit = Number(query.get('limit') ?? 100)
    const offset = Number(query.get('offset') ?? 0)
    // If `total` is given, every page has the same rows.
    const first = total === undefined ? offset : 0
    return Object.assign(
      { total: total ?? found.length, limit, offset },
      { results: found.slice(first, first + limit) },
    )
  }

  const server = createServer((request, response) => {
    requests += 1
    // If `total` is given, all pages are the same, so they share one cache entry.
    const path =
      total === undefined ? (request.url ?? '') : (request.url ?? '').replace(/offset=\d+/, 'offset=0')
    const body = answerTo(path, request.headers.authorization?.slice('Bearer '.length) ?? '')
    const send = () =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (delayMs > 0) setTimeout(send, delayMs)
    else send()
  })
  server.keepAliveTimeout = 60_000
  return {
    ready: await listen(server),
    handlers: {
      fall(tokens) {
        // Only `measureStorm` calls this.
        for (const token of tokens as string[]) fallen.add(token)
      },
      firstAnswers: () => firstAnswers,
      countRequests: () => requests,
    },
  }
})
