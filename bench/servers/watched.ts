import { createServer } from 'node:http'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { listening } from '../parts/listening.ts'

export interface WatchedSettings {
  total: number
  /** How many of them are down from the start. */
  down: number
}

const ROOT = '/healthcheck/v1/healthchecks'

/** A service whose checks fall when it is told to; what was asked before is answered from memory. */
serveCalls(async (settings) => {
  // `startChild` is called with what is declared above.
  const { total, down } = settings as WatchedSettings
  const rows = checkRows(total).map((row, index) => ({
    ...row,
    status: index < down ? 'UNHEALTHY' : 'HEALTHY',
  }))
  const known = new Map<string, Buffer>()

  function answerTo(path: string): Buffer {
    const answer = known.get(path) ?? Buffer.from(JSON.stringify({ message: 'OK', data: dataFor(path) }))
    known.set(path, answer)
    return answer
  }

  function dataFor(path: string): unknown {
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
    const body = answerTo(request.url ?? '')
    answers += 1
    if (isDiffering) body.write(`{"message":"${String(answers % 100).padStart(2, '0')}"`)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
  server.keepAliveTimeout = 60_000
  return {
    ready: await listening(server),
    handlers: {
      /** From now on no answer is the same as the one before, although no check has changed. */
      async differ() {
        isDiffering = true
      },
      async fall(count: unknown) {
        for (const row of rows.filter(({ status }) => status === 'HEALTHY').slice(0, Number(count)))
          row.status = 'UNHEALTHY'
        known.clear()
      },
    },
  }
})
