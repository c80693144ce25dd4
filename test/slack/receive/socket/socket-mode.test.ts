import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createFetchSocketUrl, startSocketMode } from '../../../../packages/slack/src/receive/socket-mode.ts'
import { createLog } from '../../../../src/log.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom } from '../../../random.ts'
import type { World } from '../../../world.ts'
import { fetchReadiness, QUICK, startSocketWorld, waitForTwoSockets, waitUntilReady } from './socket-world.ts'

const DISRUPTIONS = quickOrLong('SOCKET_TROUBLES', { quick: 3, long: 500 })
const COMMAND_INTERVAL_MS = 50

const countHandledCommands = ({ log }: World): number =>
  log.filter((line) => line.includes('A request was handled.') && line.includes('"kind":"command"')).length

it('handles commands, forms, and events over two sockets', async () => {
  await using world = await startSocketWorld()
  await waitUntilReady(world)
  await waitForTwoSockets(world)
  const { member } = world.slack
  expect((await member.command('/hc', 'list')).text).toContain('There are no health checks')
  await member.command('/hc', 'create')
  const refused = await member.submit({ Name: '', Target: 'x', 'Customer ID': '1' })
  expect(refused.outcome.ok).toBe(false)
  expect((await world.slack.deliveries('command')).map(({ verdict }) => verdict)).toEqual(['ok', 'ok'])
  expect((await fetch(`${world.app.url}/slack/events`, { method: 'POST' })).status).toBe(404)
})

it(`acknowledges every command once, and always has an open socket, during ${DISRUPTIONS} refreshes, warnings, and drops`, async () => {
  const random = createRandom()
  await using world = await startSocketWorld()
  await waitForTwoSockets(world)
  const { member } = world.slack
  const pending = new Set<Promise<unknown>>()
  const failed: string[] = []
  let sent = 0
  async function send(): Promise<void> {
    sent += 1
    const { outcome } = await member.command('/hc', 'help', { until: () => true })
    if (!outcome.ok) failed.push(`${outcome.error}: ${outcome.message}`)
  }
  /** Any client loses the requests in flight when a socket drops, so no command is sent during a drop. */
  let dropping = Promise.resolve()
  const timer = setInterval(() => {
    const command = dropping.then(send).finally(() => pending.delete(command))
    pending.add(command)
  }, COMMAND_INTERVAL_MS)
  for (let nth = 0; nth < DISRUPTIONS; nth += 1) {
    const kind = random.oneOf(['warning', 'refresh_requested', 'drop'] as const)
    if (kind === 'drop') {
      const before = [...pending]
      const drop = Promise.withResolvers<void>()
      dropping = drop.promise
      await Promise.all(before)
      await world.slack.sockets({ kind })
      drop.resolve()
    } else await world.slack.sockets({ kind, all: random.below(2) === 0, afterMs: 60_000 })
    await pause(random.below(250))
    await waitForTwoSockets(world)
  }
  clearInterval(timer)
  await Promise.all(pending)
  expect(failed).toEqual([])
  await expect.poll(() => countHandledCommands(world)).toBe(sent)
  expect(world.app.sockets?.counts()).toMatchObject({ gaps: 0 })
})

it('finishes received requests when the app stops', async () => {
  const world = await startSocketWorld({ workTimes: {} })
  await waitForTwoSockets(world)
  await world.service.faults({ path: '/healthcheck', kind: 'delay', ms: 400, times: 4 })
  const answer = world.slack.member.command('/hc', '')
  await expect.poll(() => world.service.requests('GET')).not.toHaveLength(0)
  await world[Symbol.asyncDispose]()
  expect((await answer.catch(String)) as object).toMatchObject({ outcome: { ok: true } })
})

it('says once what to do when Socket Mode is switched off, and works again when it is on, without a restart', async () => {
  await using world = await startSocketWorld({ socketTimes: { ...QUICK, refusedMs: 500 } })
  await waitUntilReady(world)
  await world.slack.faults({
    method: 'apps.connections.open',
    kind: 'error',
    error: 'socket_mode_disabled',
    times: 4,
  })
  await world.slack.sockets({ kind: 'link_disabled', all: true })
  await expect.poll(() => fetchReadiness(world)).toMatchObject({ status: 'not ready', sockets: 'failing' })
  await waitUntilReady(world)
  const lines = world.log.filter((line) => line.includes('Turn it on'))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.length).toBeLessThanOrEqual(2)
})

it('asks seldom while Slack rejects the token, and says so once', async () => {
  await using world = await startSocketWorld({ environment: { SLACK_APP_TOKEN: 'xapp-other' } })
  await expect.poll(() => world.log.join('')).toContain('SLACK_APP_TOKEN doesn’t work')
  await pause(3 * QUICK.retryMs)
  const requests = await world.slack.deliveries('apps.connections.open')
  expect(requests.length).toBeLessThanOrEqual(2)
  expect(world.log.filter((line) => line.includes('doesn’t work'))).toHaveLength(1)
  expect(await fetchReadiness(world)).toMatchObject({ sockets: 'failing' })
})

it('keeps the other socket if Slack rejects the token when one is replaced', async () => {
  await using world = await startSocketWorld()
  await waitForTwoSockets(world)
  await world.slack.faults({
    method: 'apps.connections.open',
    kind: 'error',
    error: 'invalid_auth',
    times: 1,
  })
  await world.slack.sockets({ kind: 'drop' })
  await expect.poll(() => world.log.join('')).toContain('SLACK_APP_TOKEN doesn’t work')
  expect(world.app.sockets?.counts()).toMatchObject({ open: 1, gaps: 0 })
  expect((await world.slack.member.command('/hc', 'help')).outcome.ok).toBe(true)
})

it('retries with growing delays while Slack refuses to open a socket', async () => {
  await using world = await startSocketWorld({ socketTimes: { ...QUICK, retryMs: 20 } })
  await waitUntilReady(world)
  await world.slack.faults({
    method: 'apps.connections.open',
    kind: 'error',
    error: 'internal_error',
    times: 6,
  })
  await world.slack.sockets({ kind: 'drop', all: true })
  await expect.poll(() => world.app.sockets?.counts()).toMatchObject({ open: 2, gaps: 1 })
  expect((await world.slack.member.command('/hc', 'help')).outcome.ok).toBe(true)
})

it('makes room if all processes together have ten sockets, and always has an open one', async () => {
  await using world = await startSocketWorld()
  await world.app[Symbol.asyncDispose]()
  await using disposables = new AsyncDisposableStack()
  const addProcess = () =>
    disposables.use(
      startSocketMode({
        fetchSocketUrl: createFetchSocketUrl(world.playground.appToken, world.playground.apiUrl),
        handle: async () => '',
        log: createLog('silent'),
        times: QUICK,
      }),
    )
  const processes = Array.from({ length: 5 }, addProcess)
  const countOpen = () => processes.map((process) => process.counts().open)
  await expect.poll(countOpen).toEqual([2, 2, 2, 2, 2])
  await world.slack.sockets({ kind: 'refresh_requested', all: true, afterMs: 60_000 })
  await expect.poll(() => processes.map(({ counts }) => counts().opened)).toEqual([4, 4, 4, 4, 4])
  await expect.poll(countOpen).toEqual([2, 2, 2, 2, 2])
  const [first, ...others] = processes
  const late = addProcess()
  await first?.[Symbol.asyncDispose]()
  await expect.poll(() => late.counts().open).toBe(2)
  expect(others.map((process) => process.counts().gaps)).toEqual([0, 0, 0, 0])
})

const say = (socket: WebSocket | undefined, message: object) => socket?.send(JSON.stringify(message))

/** A Slack of which the test writes every message, and Socket Mode connected to it. */
async function startRawSlack(
  connect: (socket: WebSocket, server: WebSocketServer) => void,
  {
    times = {},
    log = createLog('silent'),
  }: { times?: Partial<typeof QUICK>; log?: ReturnType<typeof createLog> } = {},
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  server.on('connection', (socket) => connect(socket, server))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets = startSocketMode({
    fetchSocketUrl: async () => `ws://127.0.0.1:${port}`,
    handle: async () => '',
    log,
    times: { ...QUICK, ...times },
  })
  return {
    server,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await sockets[Symbol.asyncDispose]()
    },
  }
}

it('says once why no socket opens, however often it tries, and what to do', async () => {
  let reason = 'too_many_websockets'
  let tries = 0
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const connect = (socket: WebSocket) => {
    tries += 1
    socket.on('ping', (data) => socket.pong(data))
    say(socket, reason === '' ? { type: 'hello' } : { type: 'disconnect', reason })
  }
  await using slack = await startRawSlack(connect, { log, times: { retryMs: 5 } })
  const { sockets } = slack
  await expect.poll(() => tries).toBeGreaterThan(20)
  expect(lines).toMatchObject([expect.stringContaining('ten sockets, in all its processes together')])
  await expect(sockets.check()).rejects.toThrow('too_many_websockets')
  reason = ''
  await expect.poll(() => sockets.counts().open).toBe(2)
  await expect(sockets.check()).resolves.toBeUndefined()
  expect(lines).toMatchObject([expect.any(String), expect.stringContaining('Socket Mode is connected')])
})

it('replaces a socket that doesn’t respond to pings, and no other', async () => {
  let isFirst = true
  let pings = 0
  const connect = (socket: WebSocket) => {
    const isMute = isFirst
    isFirst = false
    socket.on('ping', (data) => {
      pings += 1
      if (!isMute) socket.pong(data)
    })
    say(socket, { type: 'hello', num_connections: 1 })
  }
  await using slack = await startRawSlack(connect, { times: { pingMs: 100 } })
  const { sockets } = slack
  await expect.poll(() => sockets.counts()).toMatchObject({ open: 2, opened: 3, gaps: 0 })
  const before = pings
  // Ping both sockets for longer than a silent one may live.
  await expect.poll(() => pings - before).toBeGreaterThan(12)
  expect(sockets.counts()).toMatchObject({ open: 2, opened: 3 })
})

it('acknowledges requests that still arrive over a replaced socket', async () => {
  const acknowledged: string[] = []
  const envelope = { envelope_id: 'late', type: 'slash_commands', payload: { command: '/hc' } }
  const connect = (socket: WebSocket, server: WebSocketServer) => {
    socket.on('message', (data) => acknowledged.push(String(data)))
    // The app pings a replaced socket once more before closing it. Send a request before answering that ping.
    socket.on('ping', (data) => {
      if (server.clients.size > 2) say(socket, envelope)
      socket.pong(data)
    })
    say(socket, { type: 'hello', num_connections: 1 })
  }
  await using slack = await startRawSlack(connect, { times: { pingMs: 60_000 } })
  const { server, sockets } = slack
  await expect.poll(() => sockets.counts()).toMatchObject({ open: 2 })
  const [first] = server.clients
  say(first, { type: 'disconnect', reason: 'refresh_requested' })
  await expect.poll(() => acknowledged).toEqual([JSON.stringify({ envelope_id: 'late' })])
  await expect.poll(() => sockets.counts()).toMatchObject({ open: 2, opened: 3 })
})
