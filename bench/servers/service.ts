import { createServer } from 'node:http'
import { serveCalls } from '../parts/calls.ts'
import { checkRows } from '../parts/checks.ts'
import { listening } from '../parts/listening.ts'

/** The service, as fast as it can be: every listing is answered from memory with as many of its 500 checks as asked for. */
serveCalls(async () => {
  const rows = checkRows(500)
  const pages = new Map<number, Buffer>()
  const pageOf = (limit: number): Buffer => {
    const data = { total: rows.length, limit, offset: 0, results: rows.slice(0, limit) }
    const page = pages.get(limit) ?? Buffer.from(JSON.stringify({ message: 'OK', data }))
    pages.set(limit, page)
    return page
  }
  const server = createServer((request, response) => {
    const page = pageOf(Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('limit')))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page)
  })
  server.keepAliveTimeout = 60_000
  return { ready: await listening(server), handlers: {} }
})
