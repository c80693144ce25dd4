import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { isComplete, openConnection } from '../../../bench/load/connection.ts'
import { runPlan } from '../../../bench/load/run.ts'
import type { Sink } from '../../../bench/load/sink.ts'
import { listen } from '../../../bench/parts/listen.ts'

describe('an HTTP response', () => {
  it.each([
    { text: 'HTTP/1.1 200 OK\r\nContent-Len', expected: false },
    { text: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no', expected: false },
    { text: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', expected: true },
    { text: 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', expected: true },
    { text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', expected: false },
    { text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n', expected: false },
    { text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', expected: true },
    { text: 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', expected: true },
  ])('is recognized as complete ($expected): $text', ({ text, expected }) =>
    expect(isComplete(text)).toBe(expected),
  )
})

async function startServer(answer: RequestListener) {
  const server = createServer(answer)
  const url = await listen(server)
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const noSink: Sink = {
  url: '',
  createResponseUrl: (id) => `http://hooks.example/${id}`,
  waitForReply: () => Promise.resolve(),
  latest: () => '',
}

describe('a connection', () => {
  it('sends one request after another', async () => {
    await using server = await startServer((_, response) => response.writeHead(204).end())
    using connection = await openConnection(server.url)
    const request = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect([await connection.send(request), await connection.send(request)]).toEqual([204, 204])
  })

  it('reports that the server closed the connection', async () => {
    await using server = await startServer((request) => request.destroy())
    using connection = await openConnection(server.url)
    await expect(connection.send(Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'))).rejects.toThrow()
  })
})

describe('a load plan', () => {
  it('sends the planned number of commands, all different', async () => {
    const bodies: string[] = []
    await using server = await startServer(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString())
      response.writeHead(200, { 'content-length': 0 }).end()
    })
    const { latest } = await runPlan(
      { url: server.url, request: { typed: 'list' }, count: 50, connections: 4 },
      1,
      noSink,
    )
    expect([bodies.length, new Set(bodies).size, latest]).toEqual([50, 50, ''])
  })

  it('fails if a command is rejected', async () => {
    await using server = await startServer((_, response) => response.writeHead(401).end())
    const plan = { url: server.url, request: { typed: '' }, count: 3, connections: 1 }
    await expect(runPlan(plan, 1, noSink)).rejects.toThrow('status 401')
  })
})
