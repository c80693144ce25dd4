import { createServer } from 'node:http'
import { type CheckRow, checkRows } from '../parts/checks.ts'
import { serveCalls } from '../parts/child.ts'
import { listen } from '../parts/listen.ts'

interface ServiceSettings {
  /** The delay of every response; 0 by default. */
  delayMs?: number
  /** How many checks there are; 500 by default. */
  checks?: number
  /** No check is down until `setDown`. */
  isHealthy?: boolean
  /** Every name has a dash and an accent, so that it can be typed in several spellings. */
  hasAccents?: boolean
}

/** From now on, so many checks of these accounts are down. */
export interface Down {
  tokens: readonly string[]
  count: number
}

/** The fastest possible service: repeated requests are answered from memory. */
serveCalls(async ({ delayMs = 0, checks = 500, ...kind }: ServiceSettings) => {
  const rows = checkRows(checks).map((row) => ({
    ...row,
    ...(kind.isHealthy && { status: 'HEALTHY' }),
    ...(kind.hasAccents && { name: row.name.replace('front', '–frönt') }),
  }))
  /** The answers to each path, by how many checks are down. */
  const cache = new Map<number, { rows: CheckRow[]; answers: Map<string, Buffer> }>()
  /** How many checks of an account are down. */
  const down = new Map<string, number>()
  /** When each account first read of an outage. */
  const firstAnswers = new Map<string, number>()
  let requests = 0

  function answerTo(path: string, token: string): Buffer {
    const count = down.get(token) ?? 0
    if (count > 0 && !firstAnswers.has(token)) firstAnswers.set(token, Date.now())
    const known = cache.get(count) ?? {
      rows: rows.map((row, index) => (index < count ? { ...row, status: 'UNHEALTHY' } : row)),
      answers: new Map<string, Buffer>(),
    }
    cache.set(count, known)
    const page = () => getPage(new URL(path, 'http://localhost').searchParams, known.rows)
    const answer = known.answers.get(path) ?? Buffer.from(JSON.stringify({ message: 'OK', data: page() }))
    known.answers.set(path, answer)
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
    return { total: found.length, results: found.slice(offset, offset + limit) }
  }

  const server = createServer((request, response) => {
    requests += 1
    const token = request.headers.authorization?.slice('Bearer '.length)
    const body = answerTo(request.url ?? '', token ?? '')
    const send = () =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    if (delayMs > 0) setTimeout(send, delayMs)
    else send()
  })
  server.keepAliveTimeout = 60_000
  return {
    ready: await listen(server),
    handlers: {
      setDown(argument) {
        const { tokens, count } = argument as Down
        for (const token of tokens) down.set(token, count)
      },
      firstAnswers: () => firstAnswers,
      countRequests: () => requests,
    },
  }
})
