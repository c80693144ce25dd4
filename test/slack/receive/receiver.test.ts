import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { AnyMiddlewareArgs } from '@slack/bolt'
import { describe, expect, it } from 'vitest'
import { createReadBody } from '../../../packages/slack/src/receive/body.ts'
import {
  createDeduplicator,
  createDeliveries,
  REQUEST_DEADLINES,
} from '../../../packages/slack/src/receive/deliveries.ts'
import { createBolt, createReceiver, type HandleSlack } from '../../../packages/slack/src/receive/receiver.ts'
import { createLog } from '../../../src/log.ts'
import { commandBody, type SignedRequest, signRequest } from '../signed.ts'

const SECRET = 'receiver-test-secret'
const NOW = new Date('2026-11-20T12:00:00Z')
const MIB = 1024 * 1024

type Listener = (args: AnyMiddlewareArgs) => Promise<void>

const acknowledge: Listener = async (args) => {
  if ('ack' in args) await args.ack?.()
}

async function startReceiver(listen: Listener) {
  let refusedSignatures = 0
  const log = createLog('silent')
  const deliveries = createDeliveries({ log, requestDeadlines: REQUEST_DEADLINES })
  createBolt(deliveries, log).use(listen)
  const receive = createReceiver({
    signingSecret: SECRET,
    deliveries,
    onSignatureRefused() {
      refusedSignatures += 1
    },
    log,
    now: () => NOW,
  })
  const { port, url, ...server } = await listenOn(receive)
  return {
    ...server,
    inFlight: deliveries.inFlight,
    refusedSignatures: () => refusedSignatures,
    send: ({ body, headers }: SignedRequest) => fetch(url, { method: 'POST', body, headers }),
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
  }
}

async function listenOn(receive: HandleSlack) {
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const valid = signRequest(SECRET, commandBody(), { at: NOW })
const { 'x-slack-signature': signature = '', 'x-slack-request-timestamp': timestamp = '' } = valid.headers
const signAt = (seconds: number) =>
  signRequest(SECRET, commandBody(), { at: new Date(NOW.getTime() + seconds * 1000) })
const withHeaders = (headers: Record<string, string>): SignedRequest => ({
  ...valid,
  headers: { ...valid.headers, ...headers },
})

const withSignature = (text: string) => withHeaders({ 'x-slack-signature': text })
const signTimestamp = (text: string) => signRequest(SECRET, commandBody(), { at: NOW, timestamp: text })

it.each<[name: string, status: number, request: SignedRequest]>([
  ['a signed request', 200, valid],
  ['a request that is 300 s old', 200, signAt(-300)],
  ['a request that is 301 s old', 401, signAt(-301)],
  ['a request from 301 s in the future', 401, signAt(301)],
  ['a request from ten years in the future', 401, signAt(315_360_000)],
  ['a request signed with another secret', 401, signRequest('other', commandBody(), { at: NOW })],
  ['a changed body', 401, { ...valid, body: `${valid.body}&x=1` }],
  ['extra characters after the signature', 401, withSignature(`${signature}=x`)],
  ['an upper-case signature', 401, withSignature(signature.toUpperCase())],
  ['a short signature', 401, withSignature(signature.slice(0, -2))],
  ['a timestamp with a fraction', 401, withHeaders({ 'x-slack-request-timestamp': `${timestamp}.0` })],
  ['a signed timestamp with a fraction', 401, signTimestamp(`${timestamp}.0`)],
  ['a signed timestamp in another notation', 401, signTimestamp(`0x${Number(timestamp).toString(16)}`)],
  ['no signature at all', 401, { body: valid.body, headers: { 'content-type': 'text/plain' } }],
])('the signature check responds to %s with %i, and counts rejected requests', async (_, status, request) => {
  await using app = await startReceiver(acknowledge)
  expect((await app.send(request)).status).toBe(status)
  expect(app.refusedSignatures()).toBe(status === 401 ? 1 : 0)
})

it('logs requests without a signature once a minute, with their number, so that nobody can fill the log', async () => {
  const lines: string[] = []
  let now = NOW
  const receive = createReceiver({
    signingSecret: SECRET,
    deliveries: { handle: async () => '' },
    onSignatureRefused: () => undefined,
    log: createLog('info', { write: (line) => lines.push(line) }),
    now: () => now,
  })
  await using server = await listenOn(receive)
  for (const seconds of [0, 1, 59, 60, 61, 600]) {
    now = new Date(NOW.getTime() + seconds * 1000)
    expect((await fetch(server.url, { method: 'POST', body: '{}' })).status).toBe(401)
  }
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(
    [1, 3, 2].map((requests) => ({ event: 'signature-refused', requests })),
  )
})

describe('unusual request bodies', () => {
  it.each([
    { name: 'null', body: 'null', json: true, status: 400 },
    { name: 'an array', body: '[]', json: true, status: 400 },
    { name: 'broken JSON', body: '{', json: true, status: 400 },
    { name: 'a payload that is null', body: 'payload=null', json: false, status: 400 },
    { name: 'an object of an unknown type', body: '{}', json: true, status: 200 },
    { name: 'an ssl check', body: 'ssl_check=1&token=x', json: false, status: 200 },
  ])('get a response with status $status: $name', async ({ body, json, status }) => {
    await using app = await startReceiver(acknowledge)
    const answer = await app.send(signRequest(SECRET, body, { at: NOW, json }))
    expect(answer.status).toBe(status)
  })

  it('echo the challenge that Slack sends to verify the URL', async () => {
    await using app = await startReceiver(acknowledge)
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c-123' })
    const answer = await app.send(signRequest(SECRET, body, { at: NOW, json: true }))
    expect(await answer.json()).toEqual({ challenge: 'c-123' })
  })

  it.each([
    { name: 'an object', challenge: '{"toString":1}' },
    { name: 'a deep list', challenge: '['.repeat(50_000) + ']'.repeat(50_000) },
    { name: 'a number', challenge: '1' },
    { name: 'nothing', challenge: 'null' },
  ])('are rejected if the challenge is $name', async ({ challenge }) => {
    await using app = await startReceiver(acknowledge)
    const body = `{"type":"url_verification","challenge":${challenge}}`
    expect((await app.send(signRequest(SECRET, body, { at: NOW, json: true }))).status).toBe(400)
  })

  it('are rejected unless they are sent with POST', async () => {
    await using app = await startReceiver(acknowledge)
    const { port } = new URL((await app.send(signRequest(SECRET, commandBody(), { at: NOW }))).url)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(405)
  })
})

describe('a body that isn’t complete', () => {
  const { body, headers } = signRequest(SECRET, commandBody(), { at: NOW })

  it.each([
    { name: 'no signature', changed: { 'x-slack-signature': '' } },
    { name: 'a malformed signature', changed: { 'x-slack-signature': 'v0=abc' } },
    { name: 'an old timestamp', changed: { 'x-slack-request-timestamp': '1700000000' } },
  ])('rejects a request with $name before its body arrives', async ({ changed }) => {
    await using receiver = await startReceiver(acknowledge)
    const { status } = receiver.startRequest({ ...headers, ...changed, 'content-length': 4 * MIB })
    expect(await status).toBe(401)
  })

  it('rejects a body with a Content-Length above 4 MiB before it arrives', async () => {
    await using receiver = await startReceiver(acknowledge)
    const { status } = receiver.startRequest({ ...headers, 'content-length': 4 * MIB + 1 })
    expect(await status).toBe(413)
  })

  it('rejects more than 4 MiB without a Content-Length', async () => {
    await using receiver = await startReceiver(acknowledge)
    const { sending, status } = receiver.startRequest(headers)
    sending.write(Buffer.alloc(4 * MIB + 1))
    expect(await status).toBe(413)
    sending.destroy()
  })

  it('aborts the oldest incomplete requests, and still accepts complete ones', async () => {
    await using receiver = await startReceiver(acknowledge)
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
    for (const { sending } of stalled) sending.destroy()
  })
})

it('frees the memory of a body at once', async () => {
  const part = Buffer.from(new ArrayBuffer(1024))
  // Cast: only the headers and the bytes are read.
  const request = Object.assign(Readable.from([part]), { headers: {} }) as never
  expect(await createReadBody()(request)).toHaveLength(1024)
  expect(part).toHaveLength(0)
})

describe('repeated requests', () => {
  it('run the listener once, and get the same acknowledgment', async () => {
    let runs = 0
    await using app = await startReceiver(async (args) => {
      runs += 1
      if ('ack' in args) await (args.ack as (answer: object) => Promise<void>)({ text: 'hello' })
    })
    const request = signRequest(SECRET, commandBody(), { at: NOW })
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.send(request)))
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual(
      Array.from({ length: 50 }, () => ({ text: 'hello' })),
    )
    expect(await (await app.send(request)).json()).toEqual({ text: 'hello' })
    expect(runs).toBe(1)
  })

  it('are recognized by their event ID, although Slack signs each one anew', async () => {
    let runs = 0
    await using app = await startReceiver(async () => {
      runs += 1
    })
    const event = {
      type: 'event_callback',
      event_id: 'Ev1',
      team_id: 'T1',
      event: { type: 'app_home_opened', user: 'U1' },
    }
    for (const second of [0, 60, 300]) {
      const at = new Date(NOW.getTime() - second * 1000)
      await app.send(
        signRequest(SECRET, JSON.stringify({ ...event, event_time: second }), { at, json: true }),
      )
    }
    expect(runs).toBe(1)
  })

  const createCounter = () => {
    const repeatedDeliveries = createDeduplicator()
    let runs = 0
    const handle = (key: string, answer: () => unknown = () => '') =>
      repeatedDeliveries.runOnce(key, async () => {
        runs += 1
        return answer()
      })
    return { handle, runs: () => runs }
  }

  it('get the answer of the first one, also if they arrive while it runs', async () => {
    const { handle, runs } = createCounter()
    const answer = { errors: {} }
    expect(await Promise.all([handle('a', () => answer), handle('a')])).toEqual([answer, answer])
    expect(runs()).toBe(1)
  })

  it('run again if the first run failed', async () => {
    const { handle, runs } = createCounter()
    const fail = () => {
      throw new Error('not now')
    }
    await expect(handle('a', fail)).rejects.toThrow('not now')
    expect(await handle('a')).toBe('')
    expect(runs()).toBe(2)
  })

  it('are remembered for at least 5,000 and at most 10,000 other requests', async () => {
    const { handle, runs } = createCounter()
    for (let index = 0; index < 10_001; index += 1) await handle(String(index))
    for (let index = 5001; index < 10_001; index += 1) await handle(String(index))
    expect(runs()).toBe(10_001)
    await handle('0')
    expect(runs()).toBe(10_002)
  })
})

describe('the work for a request', () => {
  it('is counted after the acknowledgment until it ends', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await using app = await startReceiver(async (args) => {
      await acknowledge(args)
      await promise
    })
    expect((await app.send(signRequest(SECRET, commandBody(), { at: NOW }))).status).toBe(200)
    expect(app.inFlight.count).toBe(1)
    expect(await app.inFlight.waitUntilIdle(10)).toBe(1)
    resolve()
    expect(await app.inFlight.waitUntilIdle(5000)).toBe(0)
  })

  it('doesn’t prevent an acknowledgment if it fails at once', async () => {
    await using app = await startReceiver(async () => {
      throw new Error('a bug')
    })
    expect((await app.send(signRequest(SECRET, commandBody(), { at: NOW }))).status).toBe(200)
  })
})
