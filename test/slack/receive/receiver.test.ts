import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnyMiddlewareArgs } from '@slack/bolt'
import { describe, expect, it } from 'vitest'
import { createDeliveries, REQUEST_DEADLINES } from '../../../packages/slack/src/receive/deliveries.ts'
import { createBolt, createReceiver } from '../../../packages/slack/src/receive/receiver.ts'
import { createLog } from '../../../src/log.ts'
import { commandBody, type SignedRequest, signRequest } from '../signed.ts'

const SECRET = 'receiver-test-secret'
const NOW = new Date('2026-11-20T12:00:00Z')

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
  const server = createServer(receive).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    inFlight: deliveries.inFlight,
    refusedSignatures: () => refusedSignatures,
    send: ({ body, headers }: SignedRequest) => fetch(url, { method: 'POST', body, headers }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

describe('the signature check', () => {
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
  ])('responds to %s with %i, and counts rejected requests', async (_, status, request) => {
    await using app = await startReceiver(acknowledge)
    expect((await app.send(request)).status).toBe(status)
    expect(app.refusedSignatures()).toBe(status === 401 ? 1 : 0)
  })
})

describe('unusual request bodies', () => {
  it.each([
    { name: 'null', body: 'null', json: true, status: 400 },
    { name: 'an array', body: '[]', json: true, status: 400 },
    { name: 'broken JSON', body: '{', json: true, status: 400 },
    { name: 'a payload that is null', body: 'payload=null', json: false, status: 400 },
    { name: 'an object of an unknown type', body: '{}', json: true, status: 200 },
    { name: 'an ssl check', body: 'ssl_check=1&token=x', json: false, status: 200 },
    { name: '4 MiB and a byte', body: 'x'.repeat(4 * 1024 * 1024 + 1), json: false, status: 413 },
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

describe('an event that must not be lost', () => {
  const uninstallEvent = (event_id: string) =>
    signRequest(
      SECRET,
      JSON.stringify({ type: 'event_callback', event_id, team_id: 'T1', event: { type: 'app_uninstalled' } }),
      { at: NOW, json: true },
    )

  it('isn’t acknowledged before its work is done', async () => {
    const work = Promise.withResolvers<void>()
    await using world = await startReceiver(() => work.promise)
    const first = world.send(uninstallEvent('Ev1'))
    await expect.poll(() => world.inFlight.count).toBe(1)
    work.resolve()
    expect((await first).status).toBe(200)
  })

  it('isn’t acknowledged if its work failed, and runs again when Slack retries', async () => {
    let isBroken = true
    await using world = await startReceiver(async () => {
      if (isBroken) throw new Error('the database is down')
    })
    expect((await world.send(uninstallEvent('Ev2'))).status).toBe(503)
    isBroken = false
    expect((await world.send(uninstallEvent('Ev2'))).status).toBe(200)
  })
})
