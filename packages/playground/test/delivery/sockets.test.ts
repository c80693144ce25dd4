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

it('an app in Socket Mode receives a hello message and envelopes, and can respond in its acknowledgements', async () => {
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
