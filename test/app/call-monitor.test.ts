import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { openDurable } from '../../packages/durable/src/index.ts'
import { callMonitor, startCallingMonitor } from '../../src/app/call-monitor.ts'
import { MODEL } from '../../src/app/model.ts'
import { startPolling } from '../../src/features/watching/rows/polls.ts'
import { createWatchStore } from '../../src/features/watching/rows/watching.ts'
import { startWorld } from '../world.ts'

/** A monitor that counts the calls. `answer` is its status, or `hang`. */
async function startMonitor() {
  const calls: string[] = []
  const monitor = { answer: 200 as number | 'hang' }
  const server = createServer(({ method, url, headers }, response) => {
    calls.push(`${method} ${url} ${headers['content-length'] ?? ''}`.trim())
    if (monitor.answer !== 'hang') response.writeHead(monitor.answer, { location: '/login' }).end('OK')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(monitor, {
    calls,
    url: `http://127.0.0.1:${port}/ping/secret-1?status=up`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
}

it('calls the monitor while every watched environment is polled, and not while one hangs', async () => {
  await using monitor = await startMonitor()
  let aheadMs = 0
  await using world = await startWorld({
    environment: { HEARTBEAT_URL: monitor.url },
    checks: [{ name: 'shop' }, { name: 'blog' }],
    workTimes: { monitorMs: 20, pollMs: 20 },
    now: () => new Date(Date.now() + aheadMs),
  })
  const { member } = world.slack
  // Nothing is watched, so the write alone counts.
  await expect.poll(() => monitor.calls.length).toBeGreaterThan(1)
  await member.command('/hc', 'watch all')
  await member.command('/hc', 'watch all --env ote')
  const readUnseen = async () => (await world.app.store.stats()).polls.unseenSeconds
  await expect.poll(readUnseen).toBeLessThan(60)
  await world.service.faults({
    path: '/',
    kind: 'hold',
  })
  aheadMs = 600_000
  await expect.poll(readUnseen).toBeGreaterThan(500)
  const before = monitor.calls.length
  await world.service.faults()
  await expect.poll(readUnseen).toBeLessThan(60)
  await expect.poll(() => monitor.calls.length).toBeGreaterThan(before)
  // A time ahead of now says nothing.
  aheadMs = -7_200_000
  expect(await readUnseen()).toBeGreaterThan(500)
  expect(new Set(monitor.calls)).toEqual(new Set(['GET /ping/secret-1?status=up']))
  expect(world.log.join('\n')).not.toContain('secret-1')
})

it('counts an environment that was never polled as unseen', async () => {
  await using durable = await openDurable({
    ...{ url: 'sqlite::memory:', model: MODEL, onLateOutcome: async () => undefined },
  })
  const { database, time } = durable
  const stats = () => createWatchStore(database, time).readStats()
  expect((await stats()).polls.unseenSeconds).toBe(0)
  await startPolling(database.rows, time, { workspaceId: 'T1', environment: 'ote' })
  expect((await stats()).polls.unseenSeconds).toBe(Number.POSITIVE_INFINITY)
})

/** Calls the monitor of a deployment whose last polls were so long ago, a few times. */
async function countCalls(
  unseenSeconds: number,
  options: { intervalSeconds?: number; canWrite?: boolean } = {},
) {
  await using monitor = await startMonitor()
  const { intervalSeconds = 60, canWrite = true } = options
  const rounds = Promise.withResolvers<void>()
  let tries = 0
  using _calling = startCallingMonitor({
    url: monitor.url,
    // Only this is read of them.
    store: { stats: async () => ({ polls: { unseenSeconds } }) as never },
    async sendHeartbeat() {
      tries += 1
      if (tries === 4) rounds.resolve()
      if (!canWrite) throw new Error('The disk is full.')
    },
    intervalSeconds,
    log: { warn: () => undefined, info: () => undefined } as never,
    everyMs: 1,
  })
  await rounds.promise
  return monitor.calls.length
}

it.each([
  { name: 'nothing is watched', unseen: 0, isCalled: true },
  { name: 'the last poll was just now', unseen: 61, isCalled: true },
  { name: 'one environment hangs', unseen: 121, isCalled: false },
  { name: 'one environment was never polled', unseen: Number.POSITIVE_INFINITY, isCalled: false },
  { name: 'it polls once an hour', unseen: 3700, intervalSeconds: 3600, isCalled: true },
  { name: 'it polls each second, and the service is slow', unseen: 61, intervalSeconds: 1, isCalled: true },
  { name: 'it polls each second, and that hangs', unseen: 200, intervalSeconds: 1, isCalled: false },
  { name: 'the database takes no write', unseen: 0, canWrite: false, isCalled: false },
])('$name: is it called? $isCalled', async ({ unseen, isCalled, ...options }) => {
  expect((await countCalls(unseen, options)) > 0).toBe(isCalled)
})

it('says once that the monitor refuses the call, and once that it accepts it again', async () => {
  await using monitor = await startMonitor()
  monitor.answer = 404
  const log: string[] = []
  const write = (fields: object, text?: string) => void log.push(JSON.stringify([fields, text]))
  using _calling = startCallingMonitor({
    url: monitor.url,
    store: { stats: async () => ({ polls: { unseenSeconds: 0 } }) as never },
    sendHeartbeat: async () => undefined,
    intervalSeconds: 60,
    log: { warn: write, info: write } as never,
    everyMs: 1,
  })
  await expect.poll(() => monitor.calls.length).toBeGreaterThan(3)
  expect(log).toEqual([expect.stringContaining('it answers with 404')])
  monitor.answer = 200
  await expect.poll(() => log.length).toBe(2)
  expect(log.join()).not.toContain('secret-1')
})

it.each([
  [200, undefined],
  [204, undefined],
  // A login page would answer with 200.
  [302, 'it answers with 302'],
  [503, 'it answers with 503'],
] as const)('takes %i for %s', async (answer, problem) => {
  await using monitor = await startMonitor()
  monitor.answer = answer
  expect(await callMonitor(monitor.url)).toBe(problem)
})

it('waits for a monitor that hangs for a limited time, and says what is wrong', async () => {
  await using monitor = await startMonitor()
  monitor.answer = 'hang'
  expect(await callMonitor(monitor.url, 50)).toMatch(/^no answer \(/)
  await monitor[Symbol.asyncDispose]()
  expect(await callMonitor(monitor.url, 50)).toBe('no answer (ECONNREFUSED)')
})
