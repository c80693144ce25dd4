import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import {
  createAskForAddress,
  type SocketMode,
  startSocketMode,
} from '../../../../packages/slack/src/receive/socket/socket-mode.ts'
import { createLog } from '../../../../src/log.ts'
import { runs } from '../../../long.ts'
import { seeded, seedOf } from '../../../random.ts'
import type { World } from '../../../world.ts'
import { QUICK, readiness, startSocketWorld, untilReady, untilTwo } from './socketed.ts'

const TROUBLES = runs('SOCKET_TROUBLES', { quick: 6, long: 500 })
const EVERY_MS = 50
const seed = seedOf()

const attended = ({ log }: World): number =>
  log.filter((line) => line.includes('A request was handled.') && line.includes('"kind":"command"')).length

it('answers commands, forms, and events over two sockets', async () => {
  await using world = await startSocketWorld()
  await untilReady(world)
  await untilTwo(world)
  const { member } = world.slack
  expect((await member.command('/hc', 'list')).text).toContain('There are no health checks yet')
  await member.command('/hc', 'create')
  const refused = await member.submit({ Name: '', Target: 'x', 'Customer ID': '1' })
  expect(refused.outcome.ok).toBe(false)
  expect((await world.slack.deliveries('command')).map(({ verdict }) => verdict)).toEqual(['ok', 'ok'])
  expect((await fetch(`${world.app.url}/slack/events`, { method: 'POST' })).status).toBe(404)
})

it(`acknowledges every command once, and always has a socket, through ${TROUBLES} refreshes, warnings, and lost connections (SEED=${seed})`, async () => {
  const random = seeded(seed)
  await using world = await startSocketWorld()
  await untilTwo(world)
  const { member } = world.slack
  const underWay = new Set<Promise<unknown>>()
  const failed: string[] = []
  let sent = 0
  async function send(): Promise<void> {
    sent += 1
    const { outcome } = await member.command('/hc', 'help', { until: () => true })
    if (!outcome.ok) failed.push(`${outcome.error}: ${outcome.message}`)
  }
  /** With any client, requests in flight on a socket are lost when it's cut, so people wait here. */
  let cutting = Promise.resolve()
  const steady = setInterval(() => {
    const one = cutting.then(send).finally(() => underWay.delete(one))
    underWay.add(one)
  }, EVERY_MS)
  for (let nth = 0; nth < TROUBLES; nth += 1) {
    const kind = random.oneOf(['warning', 'refresh_requested', 'drop'] as const)
    if (kind === 'drop') {
      const before = [...underWay]
      const cut = Promise.withResolvers<void>()
      cutting = cut.promise
      await Promise.all(before)
      await world.slack.sockets({ kind })
      cut.resolve()
    } else await world.slack.sockets({ kind, all: random.below(2) === 0, afterMs: 60_000 })
    await pause(random.below(250))
    await untilTwo(world)
  }
  clearInterval(steady)
  await Promise.all(underWay)
  expect(failed).toEqual([])
  await expect.poll(() => attended(world)).toBe(sent)
  expect(world.app.sockets?.counts()).toMatchObject({ gaps: 0, gapMs: 0 })
}, 300_000)

it('loses no received request when the app stops', async () => {
  const world = await startSocketWorld({ workTimes: {} })
  await untilTwo(world)
  await world.service.faults({ path: '/healthcheck', kind: 'delay', ms: 400, times: 4 })
  const answer = world.slack.member.command('/hc', '')
  await expect.poll(() => world.service.requests('GET')).not.toHaveLength(0)
  await world[Symbol.asyncDispose]()
  expect((await answer.catch(String)) as object).toMatchObject({ outcome: { ok: true } })
})

it.each([
  {
    what: 'Socket Mode is switched off',
    kind: 'link_disabled' as const,
    fix: 'Turn it on, and restart the app',
  },
])('stops permanently when $what, and logs it', async ({ kind, fix }) => {
  await using world = await startSocketWorld()
  await untilReady(world)
  await world.slack.sockets({ kind, all: true })
  await expect.poll(() => readiness(world)).toMatchObject({ status: 'not ready', sockets: 'failing' })
  await expect.poll(() => world.log.join('')).toContain(fix)
  await pause(3 * QUICK.retryMs)
  expect(world.playground.socketCount()).toBe(0)
})

it('stops permanently if Slack doesn’t know the token', async () => {
  await using world = await startSocketWorld({ environment: { SLACK_APP_TOKEN: 'xapp-other' } })
  await expect.poll(() => world.log.join('')).toContain('SLACK_APP_TOKEN doesn’t work')
  await pause(3 * QUICK.retryMs)
  const asked = await world.slack.deliveries('apps.connections.open')
  expect(asked.length).toBeLessThanOrEqual(2)
  expect(await readiness(world)).toMatchObject({ sockets: 'failing' })
})

it('retries at growing intervals while Slack opens no socket', async () => {
  await using world = await startSocketWorld({ socketTimes: { ...QUICK, retryMs: 20 } })
  await untilReady(world)
  await world.slack.faults({
    method: 'apps.connections.open',
    kind: 'error',
    error: 'internal_error',
    times: 6,
  })
  await world.slack.sockets({ kind: 'drop', all: true })
  await untilTwo(world)
  expect(world.app.sockets?.counts()).toMatchObject({ gaps: 1 })
  expect((await world.slack.member.command('/hc', 'help')).outcome.ok).toBe(true)
})

it('divides ten sockets among all processes', async () => {
  await using world = await startSocketWorld()
  await world.app[Symbol.asyncDispose]()
  await using started = new AsyncDisposableStack()
  const all: SocketMode[] = []
  const join = () =>
    all.push(
      started.use(
        startSocketMode({
          askForAddress: createAskForAddress(world.playground.appToken, world.playground.apiUrl),
          processes: async () => all.length,
          take: async () => '',
          log: createLog('silent'),
          times: QUICK,
        }),
      ),
    )
  const open = () => all.map((one) => one.counts().open)
  for (let nth = 0; nth < 4; nth += 1) join()
  await expect.poll(open).toEqual([2, 2, 2, 2])
  for (let nth = 4; nth < 10; nth += 1) join()
  await expect.poll(open).toEqual(Array.from({ length: 10 }, () => 1))
  expect(all.slice(0, 4).map((one) => one.counts().gaps)).toEqual([0, 0, 0, 0])
})

it('replaces only a socket that doesn’t answer pings', async () => {
  let isMute = true
  let pings = 0
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  server.on('connection', (socket) => {
    const isThisMute = isMute
    isMute = false
    socket.on('ping', (data) => {
      pings += 1
      if (!isThisMute) socket.pong(data)
    })
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }))
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using sockets = startSocketMode({
    askForAddress: async () => `ws://127.0.0.1:${port}`,
    processes: async () => 1,
    take: async () => '',
    log: createLog('silent'),
    times: { ...QUICK, pingMs: 100, silentMs: 2000 },
  })
  await expect.poll(() => sockets.counts()).toMatchObject({ open: 2, opened: 3, gaps: 0 })
  const before = pings
  // On two sockets, for longer than one may be silent.
  await expect.poll(() => pings - before).toBeGreaterThan(50)
  expect(sockets.counts()).toMatchObject({ open: 2, opened: 3 })
  for (const socket of server.clients) socket.terminate()
  server.close()
})

it('acknowledges requests that still arrive over a replaced socket', async () => {
  const acknowledged: string[] = []
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', autoPong: false })
  const envelope = { envelope_id: 'late', type: 'slash_commands', payload: { command: '/hc' } }
  server.on('connection', (socket) => {
    socket.on('message', (data) => acknowledged.push(String(data)))
    // Sent before the other socket was known and read after it, ahead of the answer to the first ping.
    socket.on('ping', (data) => {
      if (server.clients.size > 2) socket.send(JSON.stringify(envelope))
      socket.pong(data)
    })
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }))
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using sockets = startSocketMode({
    askForAddress: async () => `ws://127.0.0.1:${port}`,
    processes: async () => 1,
    take: async () => '',
    log: createLog('silent'),
    times: { ...QUICK, pingMs: 60_000 },
  })
  await expect.poll(() => sockets.counts()).toMatchObject({ open: 2 })
  const [first] = server.clients
  first?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }))
  await expect.poll(() => acknowledged).toEqual([JSON.stringify({ envelope_id: 'late' })])
  await expect.poll(() => sockets.counts()).toMatchObject({ open: 2, opened: 3 })
  for (const socket of server.clients) socket.terminate()
  server.close()
})
