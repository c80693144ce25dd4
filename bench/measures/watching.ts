import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Benchmark, RunOptions } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { startWatching } from '../parts/watching.ts'

const MEGABYTE = 1024 * 1024
const MINUTE_MS = 60_000
/** How many of the 10,000 workspaces are polled. Each costs the same, so the cost of 10,000 can be extrapolated. */
const SAMPLE_WORKSPACES = 500
const WORKSPACES = 10_000

const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** Measures the cost of polling and of posting. */
export const watching: Benchmark = {
  name: 'watching',
  question:
    'What does it cost to watch 10,000 workspaces, or 100,000 checks in one, and to report 1,000 outages at the same time?',
  async answer(run) {
    const manyWorkspaces = await measureManyWorkspaces(run)
    const largeWorkspace = await measureLargeWorkspace(run)
    const outages = await measureOutages(run)
    return {
      tables: [
        {
          title: 'Watching',
          columns: ['CPU ms', 'MB'],
          rows: [
            [
              'only receiving 100 checks, as a lower limit',
              manyWorkspaces.receivingMs,
              manyWorkspaces.megabytes,
            ],
            ['a poll of 100 checks', manyWorkspaces.pollMs, manyWorkspaces.megabytes],
            [
              'the same, with a different response each time',
              manyWorkspaces.differentMs,
              manyWorkspaces.megabytes,
            ],
            [
              'a poll of 100,000 checks, 5,000 of them down',
              largeWorkspace.unchangedMs,
              largeWorkspace.megabytes,
            ],
            ['the same, with everything listed', largeWorkspace.firstPollMs, largeWorkspace.megabytes],
            ['1,000 outages at the same time, stored and reported', outages.cpuMs, outages.megabytes],
          ],
        },
      ],
      goals: [
        {
          goal: '10,000 workspaces × 100 checks per minute, share of a core',
          bound: { atMost: 0.1 },
          reached: (manyWorkspaces.pollMs * WORKSPACES) / MINUTE_MS,
        },
        {
          goal: '1,000 outages at the same time, first card after the poll that saw them',
          bound: { atMost: 1000 },
          reached: outages.firstMs,
          unit: 'ms',
        },
      ],
    }
  },
}

async function measureManyWorkspaces({ progress, size }: RunOptions) {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const service = running.use(await startChild('servers/polled-service.ts', { total: 100, down: 2 }))
  // `polled-service.ts` returns its address.
  const serviceUrl = service.ready as string
  const workspaces = size(SAMPLE_WORKSPACES, 5)
  progress(`${workspaces} workspaces of 100 checks`)
  const app = running.use(
    await startWatching({
      databaseUrl: `sqlite:${folder.file('many.db')}`,
      serviceUrl,
      workspaces,
      // The polling rate of 10,000 workspaces polled once a minute.
      intervalMs: (workspaces * MINUTE_MS) / WORKSPACES,
    }),
  )
  // Up to five polls may still confirm a status. Later polls have no changes.
  await app.waitForPolls(7)
  const measurePollMs = async (): Promise<number> => {
    const before = app.polls()
    const since = process.cpuUsage()
    await pause(size(10_000, 2500))
    return cpuMs(since) / Math.max(1, app.polls() - before)
  }
  const pollMs = await measurePollMs()
  await service.call('varyResponses')
  const differentMs = await measurePollMs()
  const receivingMs = await measureReceiving(
    `${serviceUrl}/healthcheck/v1/healthchecks?limit=200`,
    size(2000, 50),
  )
  return { pollMs, differentMs, receivingMs, megabytes: process.memoryUsage().rss / MEGABYTE }
}

/** Measures the CPU time of receiving one response without parsing it. Sends ten requests at a time, because polls come in groups. */
async function measureReceiving(address: string, requests: number): Promise<number> {
  const { origin, pathname, search } = new URL(address)
  await using running = new AsyncDisposableStack()
  const pool = running.adopt(new Pool(origin, { connections: 16, pipelining: 1 }), (pool) => pool.destroy())
  const sendRequest = async (): Promise<unknown> => {
    const { body } = await pool.request({ method: 'GET', path: pathname + search })
    return body.arrayBuffer()
  }
  const sendAll = async (): Promise<void> => {
    for (let sent = 0; sent < requests; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, sendRequest))
      await pause(1)
    }
  }
  await sendAll()
  const since = process.cpuUsage()
  await sendAll()
  return cpuMs(since) / requests
}

async function measureLargeWorkspace({
  progress,
  size,
}: RunOptions): Promise<{ unchangedMs: number; firstPollMs: number; megabytes: number }> {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const total = size(100_000, 2000)
  const service = running.use(await startChild('servers/polled-service.ts', { total, down: total / 20 }))
  progress(`${total.toLocaleString('en')} checks in one workspace`)
  const start = process.cpuUsage()
  const app = running.use(
    await startWatching({
      databaseUrl: `sqlite:${folder.file('large.db')}`,
      serviceUrl: service.ready as string,
      workspaces: 1,
      intervalMs: 1000,
    }),
  )
  await app.waitForPolls(1)
  const firstPollMs = cpuMs(start)
  // Up to five polls may still confirm a status. Later polls have no changes.
  await app.waitForPolls(7)
  const before = app.polls()
  const since = process.cpuUsage()
  await pause(size(8000, 2500))
  const unchangedMs = cpuMs(since) / Math.max(1, app.polls() - before)
  return { unchangedMs, firstPollMs, megabytes: process.memoryUsage().rss / MEGABYTE }
}

async function measureOutages({
  progress,
  size,
}: RunOptions): Promise<{ cpuMs: number; firstMs: number; megabytes: number }> {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const service = running.use(
    await startChild('servers/polled-service.ts', { total: size(10_000, 500), down: 0 }),
  )
  const app = running.use(
    await startWatching({
      databaseUrl: `sqlite:${folder.file('fall.db')}`,
      serviceUrl: service.ready as string,
      workspaces: 1,
      intervalMs: 1000,
    }),
  )
  await app.waitForPolls(2)
  const count = size(1000, 50)
  progress(`${count} outages at the same time`)
  const pollsBefore = app.polls()
  await service.call('takeDown', count)
  const since = process.cpuUsage()
  while (app.posts.length === 0) await pause(5)
  // The time counts from the answer that lists the outages, because until then the app waits for its next poll.
  const seenAt = Number(await service.call('firstAnswerAt'))
  const firstMs = (app.posts[0]?.epochMs ?? Number.POSITIVE_INFINITY) - seenAt
  await app.waitForPolls(pollsBefore + 2)
  if (app.posts.length !== 1) throw new Error(`There are ${app.posts.length} cards instead of one.`)
  return {
    cpuMs: cpuMs(since),
    firstMs,
    megabytes: process.memoryUsage().rss / MEGABYTE,
  }
}
