import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createReceiver } from '../../../packages/slack/src/receive/receiver.ts'
import { createLog } from '../../../src/log.ts'
import { commandBody, signRequest } from '../signed.ts'

const SECRET = 'body-test-secret'
const NOW = new Date('2026-11-20T12:00:00Z')
const MIB = 1024 * 1024

async function startReceiver() {
  const received: unknown[] = []
  const deliveries = {
    async handle({ body }: { body: unknown }) {
      received.push(body)
      return ''
    },
  }
  const log = createLog('silent')
  const receive = createReceiver({
    signingSecret: SECRET,
    deliveries,
    onSignatureRefused: () => undefined,
    log,
    now: () => NOW,
  })
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    received,
    /** Starts a request by sending its headers. The caller sends the body. */
    startRequest(headers: Record<string, string | number>) {
      const sending = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers })
      const status = new Promise<number | 'aborted'>((resolve) => {
        sending.on('response', (response) => resolve(response.resume().statusCode ?? 0))
        sending.on('error', () => resolve('aborted'))
      })
      sending.flushHeaders()
      return { sending, status }
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const { body, headers } = signRequest(SECRET, commandBody(), { at: NOW })

it.each([
  { name: 'no signature', changed: { 'x-slack-signature': '' } },
  { name: 'a malformed signature', changed: { 'x-slack-signature': 'v0=abc' } },
  { name: 'an old timestamp', changed: { 'x-slack-request-timestamp': '1700000000' } },
])('rejects a request with $name before its body arrives', async ({ changed }) => {
  await using receiver = await startReceiver()
  const { status } = receiver.startRequest({ ...headers, ...changed, 'content-length': 4 * MIB })
  expect(await status).toBe(401)
})

it('rejects a body with a Content-Length above 4 MiB before it arrives', async () => {
  await using receiver = await startReceiver()
  const { status } = receiver.startRequest({ ...headers, 'content-length': 4 * MIB + 1 })
  expect(await status).toBe(413)
})

it('rejects more than 4 MiB without a Content-Length', async () => {
  await using receiver = await startReceiver()
  const { sending, status } = receiver.startRequest(headers)
  sending.write(Buffer.alloc(4 * MIB + 1))
  expect(await status).toBe(413)
  sending.destroy()
})

it('aborts the oldest incomplete requests, and still accepts complete ones', async () => {
  await using receiver = await startReceiver()
  const stalled = Array.from({ length: 40 }, () =>
    receiver.startRequest({
      ...headers,
      'x-slack-signature': `v0=${'0'.repeat(64)}`,
      'content-length': 2 * MIB,
    }),
  )
  let abortedCount = 0
  for (const { sending, status } of stalled) {
    sending.write(Buffer.alloc(MIB))
    void status.then(() => {
      abortedCount += 1
    })
  }
  // The receiver buffers at most 8 MiB, so it aborts at least 32 of the 40.
  await expect.poll(() => abortedCount).toBeGreaterThanOrEqual(32)
  const complete = receiver.startRequest({ ...headers, 'content-length': Buffer.byteLength(body) })
  complete.sending.end(body)
  expect(await complete.status).toBe(200)
  expect(receiver.received).toEqual([Object.fromEntries(new URLSearchParams(body))])
  for (const { sending } of stalled) sending.destroy()
})
