import { SocketModeClient } from '@slack/socket-mode'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { createDriver } from '../../src/driver.ts'
import { type PlaygroundOptions, startPlayground } from '../../src/program/start.ts'
import type { Fields } from '../../src/protocol/json.ts'
import { isFields, parseJson } from '../../src/protocol/json.ts'
import { SECRET } from '../app.ts'

const SOCKET_MANIFEST = new URL('../socket-manifest.yml', import.meta.url).pathname
const start = (options: Partial<PlaygroundOptions> = {}) =>
  startPlayground({ signingSecret: SECRET, manifestPath: SOCKET_MANIFEST, ...options })
type Playground = Awaited<ReturnType<typeof start>>

async function openConnection(playground: Playground, token = playground.appToken): Promise<Fields> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${playground.apiUrl}apps.connections.open`, { method: 'POST', headers })
  // Safe cast: Web API responses are objects.
  return (await response.json()) as Fields
}

/**
 * Connects a WebSocket as an app does. Records the received messages, and acknowledges each envelope with the fields from `answer`, unless
 * that returns undefined.
 */
async function connect(
  playground: Playground,
  answer: (envelope: Fields) => Fields | undefined = () => ({}),
) {
  const { url } = await openConnection(playground)
  const socket = new WebSocket(String(url))
  const received: Fields[] = []
  const pendingChecks = new Set<() => void>()
  const runChecks = () => {
    for (const check of [...pendingChecks]) check()
  }
  socket.on('message', (data) => {
    const envelope = parseJson(String(data))
    if (!isFields(envelope)) return
    received.push(envelope)
    const payload = envelope.envelope_id === undefined ? undefined : answer(envelope)
    if (payload) socket.send(JSON.stringify({ envelope_id: envelope.envelope_id, ...payload }))
    runChecks()
  })
  socket.on('close', runChecks)
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = () => {
        if (!condition()) return
        pendingChecks.delete(check)
        resolve()
      }
      pendingChecks.add(check)
      check()
    })
  await until(() => received.length > 0 || socket.readyState === socket.CLOSED)
  return {
    socket,
    received,
    until,
    envelopes: () => received.filter(({ envelope_id }) => envelope_id !== undefined),
  }
}

describe('apps.connections.open', () => {
  it.each([
    ['', 'not_authed'],
    ['xapp-other', 'invalid_auth'],
    ['xoxb-playground', 'not_allowed_token_type'],
  ])('rejects the token "%s": %s', async (token, error) => {
    await using playground = await start()
    expect(await openConnection(playground, token)).toMatchObject({ ok: false, error })
  })

  it('returns a URL that works only once, and only within 30 seconds', async () => {
    let ms = Date.UTC(2026, 10, 20)
    await using playground = await start({ now: () => new Date(ms) })
    const tryConnect = (url: unknown) =>
      new Promise((resolve) => {
        const socket = new WebSocket(String(url))
        socket.on('open', () => resolve('open'))
        socket.on('error', (error) => resolve(error.message))
      })
    const { url } = await openConnection(playground)
    expect(await tryConnect(url)).toBe('open')
    expect(await tryConnect(url)).toContain('403')
    const expired = await openConnection(playground)
    ms += 30_001
    expect(await tryConnect(expired.url)).toContain('403')
  })

  it('is rejected if Socket Mode is off in the manifest', async () => {
    const manifestPath = new URL('../manifest.yml', import.meta.url).pathname
    await using playground = await start({ manifestPath })
    expect(await openConnection(playground)).toMatchObject({ ok: false, error: 'socket_mode_disabled' })
  })
})

describe('an app in Socket Mode', () => {
  it('receives a hello message and envelopes, and can respond in its acknowledgements', async () => {
    await using playground = await start()
    const app = await connect(playground, ({ type }) =>
      type === 'slash_commands' ? { payload: { text: 'Up' } } : {},
    )
    expect(app.received[0]).toMatchObject({
      type: 'hello',
      num_connections: 1,
      connection_info: { app_id: 'A0PLAYGRND' },
    })
    const { member } = createDriver(playground.url)
    expect((await member.command('/hc', 'list')).text).toBe('Up')
    const message = await member.say('look')
    await member.shortcut('look-up', { message, until: () => true })
    await member.say('<@U0PLAYGBOT> hello')
    expect(app.envelopes()).toMatchObject([
      { type: 'slash_commands', accepts_response_payload: true, payload: { command: '/hc', text: 'list' } },
      {
        type: 'interactive',
        accepts_response_payload: false,
        payload: { type: 'message_action', callback_id: 'look-up' },
      },
      { type: 'events_api', retry_attempt: 0, retry_reason: '', payload: { event: { type: 'app_mention' } } },
    ])
  })

  it('makes commands fail with dispatch_failed if it has no socket, and with operation_timeout if it doesn’t acknowledge', async () => {
    await using playground = await start({ limits: { ackTimeoutMs: 50 } })
    const { member } = createDriver(playground.url)
    expect((await member.command('/hc')).outcome).toMatchObject({ error: 'dispatch_failed' })
    await connect(playground, () => undefined)
    expect((await member.command('/hc')).outcome).toMatchObject({ error: 'operation_timeout' })
  })

  it('receives envelopes on its sockets in turn, and can have at most ten sockets', async () => {
    await using playground = await start()
    const sockets = await Promise.all(Array.from({ length: 10 }, () => connect(playground)))
    const { member } = createDriver(playground.url)
    for (let index = 0; index < 10; index += 1) await member.command('/hc', `${index}`, { until: () => true })
    expect(sockets.map(({ envelopes }) => envelopes().length)).toEqual(sockets.map(() => 1))
    const eleventh = await connect(playground)
    expect(eleventh.received).toMatchObject([{ type: 'disconnect', reason: 'too_many_websockets' }])
    await eleventh.until(() => eleventh.socket.readyState === WebSocket.CLOSED)
  })

  it.each(['warning', 'refresh_requested', 'link_disabled'] as const)(
    'gets no more envelopes on a socket after %s',
    async (kind) => {
      await using playground = await start()
      const [first, second] = [await connect(playground), await connect(playground)]
      const slack = createDriver(playground.url)
      expect(await slack.sockets({ kind, afterMs: 20 })).toEqual({ ok: true, affected: 1, open: 2 })
      for (const text of ['a', 'b']) await slack.member.command('/hc', text, { until: () => true })
      expect(second.envelopes()).toHaveLength(2)
      await first.until(() => first.socket.readyState === WebSocket.CLOSED)
      expect(first.received.at(-1)).toMatchObject({ type: 'disconnect', reason: kind })
    },
  )

  it('loses pending requests when the connection breaks', async () => {
    await using playground = await start()
    const app = await connect(playground, () => undefined)
    const slack = createDriver(playground.url)
    const commandSent = slack.member.command('/hc')
    await app.until(() => app.envelopes().length > 0)
    await slack.sockets({ kind: 'drop', all: true })
    expect((await commandSent).outcome).toMatchObject({ error: 'dispatch_failed' })
  })
})

describe('Slack’s own Socket Mode client', () => {
  it('connects, acknowledges, and reconnects after a refresh', async () => {
    await using playground = await start()
    const client = new SocketModeClient({
      appToken: playground.appToken,
      clientPingTimeout: 10_000,
      clientOptions: { slackApiUrl: playground.apiUrl },
    })
    client.on('slash_commands', ({ ack, body }) => ack({ text: `Up: ${body.text}` }))
    const waitForConnection = () => new Promise<void>((resolve) => client.once('connected', () => resolve()))
    await client.start()
    try {
      const slack = createDriver(playground.url)
      expect((await slack.member.command('/hc', 'one')).text).toBe('Up: one')
      const reconnected = waitForConnection()
      await slack.sockets({ kind: 'refresh_requested' })
      await reconnected
      expect((await slack.member.command('/hc', 'two')).text).toBe('Up: two')
    } finally {
      await client.disconnect()
    }
  })
})
