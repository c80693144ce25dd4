import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { runPlan } from '../../../bench/load/run.ts'
import type { Sink } from '../../../bench/load/sink.ts'
import { listen } from '../../../bench/parts/listen.ts'

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
  firstPosts: new Map(),
}

describe('a load plan', () => {
  it('sends the planned number of commands, all different', async () => {
    const bodies: string[] = []
    await using server = await startServer(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString())
      response.writeHead(200, { 'content-length': 0 }).end()
    })
    const { latest } = await runPlan({ url: server.url, typed: 'list', count: 50, connections: 4 }, 1, noSink)
    expect([bodies.length, new Set(bodies).size, latest]).toEqual([50, 50, ''])
  })

  it('fails if a command is rejected', async () => {
    await using server = await startServer((_, response) => response.writeHead(401).end())
    const plan = { url: server.url, typed: '', count: 3, connections: 1 }
    await expect(runPlan(plan, 1, noSink)).rejects.toThrow('status 401')
  })
})
