import { once } from 'node:events'
import { request as startRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { createHttpServer, createReceiver } from '@signalman/slack'
import { expect, it } from 'vitest'
import { createLog } from '../../../src/log.ts'

const NOW = new Date('2026-11-20T12:00:00Z')

async function startServer(options: Partial<Parameters<typeof createHttpServer>[0]>) {
  const httpServer = createHttpServer({
    ...{ handlers: {}, readyChecks: {}, stopping: { isRefusing: false }, log: createLog('silent') },
    ...options,
  })
  await httpServer.listen(0, '127.0.0.1')
  // A server that listens on TCP has an address with a port.
  const { port } = httpServer.server.address() as AddressInfo
  return { port, ...httpServer }
}

it('logs no error if a client aborts a request with an invalid signature', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const ended = Promise.withResolvers<void>()
  const receive = createReceiver({
    signingSecret: 'secret',
    deliveries: { handle: async () => '' },
    onSignatureRefused: () => undefined,
    log,
    now: () => NOW,
  })
  await using httpServer = await startServer({
    handlers: { '/slack/events': (request, response) => receive(request, response).finally(ended.resolve) },
    log,
  })
  const headers = {
    'x-slack-request-timestamp': String(NOW.getTime() / 1000),
    'x-slack-signature': `v0=${'0'.repeat(64)}`,
    'content-length': 1000,
  }
  const { port } = httpServer
  const sending = startRequest({ port, host: '127.0.0.1', method: 'POST', path: '/slack/events', headers })
  sending.on('error', () => undefined)
  const requestReceived = once(httpServer.server, 'request')
  sending.write('half of the body')
  await requestReceived
  sending.destroy()
  await ended.promise
  await new Promise(setImmediate)
  expect(lines.map((line) => JSON.parse(line).level)).not.toContain('error')
})

it('logs a check when it stops working and when it works again, but not before it has worked', async () => {
  const lines: string[] = []
  let isWorking = false
  const check = async () => {
    if (!isWorking) throw new Error('away')
  }
  await using httpServer = await startServer({
    readyChecks: { sockets: check },
    log: createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) }),
  })
  for (const state of [false, false, true, false, false, true, true]) {
    isWorking = state
    const { status } = await fetch(`http://127.0.0.1:${httpServer.port}/readyz`)
    expect(status).toBe(state ? 200 : 503)
  }
  expect(lines).toEqual(['Not ready: sockets (away).', 'Ready again: sockets.'])
})

it('keeps idle connections open for 75 seconds, longer than load balancers reuse them', async () => {
  await using httpServer = await startServer({})
  const answer = await fetch(`http://127.0.0.1:${httpServer.port}/healthz`)
  await answer.body?.cancel()
  expect(answer.headers.get('keep-alive')).toBe('timeout=75')
})

it('is ready if a check succeeds while the process is paused', async () => {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    parentPort.on('message', (text) => {
      parentPort.postMessage(text)
      Atomics.store(workerData, 0, 1)
      Atomics.notify(workerData, 0)
    })`,
    { eval: true, workerData: answered },
  )
  try {
    const checking = Promise.withResolvers<void>()
    await using httpServer = await startServer({
      readyChecks: {
        async worker() {
          worker.postMessage('are you there?')
          checking.resolve()
          await once(worker, 'message')
        },
      },
    })
    const answering = fetch(`http://127.0.0.1:${httpServer.port}/readyz`)
    await checking.promise
    // Before the answer can be read, blocks this thread until it's there, and for longer than the timeout.
    Atomics.wait(answered, 0, 0, 60_000)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    const answer = await answering
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready', worker: 'ok' }])
  } finally {
    await worker.terminate()
  }
})
