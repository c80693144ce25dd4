import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import type { Question, Run } from '../parts/question.ts'
import { startWatching } from '../parts/watching.ts'

const MEGABYTE = 1024 * 1024
const MINUTE_MS = 60_000
/** How many of the 10,000 workspaces are polled. Each costs the same, and 10,000 can be added up from them. */
const SAMPLE = 500
const WORKSPACES = 10_000

const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** The cost of polling and of posting. */
export const watching: Question = {
  name: 'watching',
  asks: 'What does it take to watch 10,000 workspaces, 100,000 checks in one, and 1,000 that fall at once?',
  async answer(run) {
    const many = await pollMany(run)
    const large = await pollLarge(run)
    const fallen = await measureOutages(run)
    return {
      tables: [
        {
          title: 'Watching',
          columns: ['CPU ms', 'MB'],
          rows: [
            ['a raw request for 100 checks, read whole: the floor', many.floorMs, many.megabytes],
            ['a poll of 100 checks', many.pollMs, many.megabytes],
            ['the same, every answer another', many.differentMs, many.megabytes],
            ['a poll of 100,000 checks, 5,000 of them down', large.quietMs, large.megabytes],
            ['the same, everything listed', large.fullMs, large.megabytes],
            ['1,000 that fall at once, written and told', fallen.cpuMs, fallen.megabytes],
          ],
        },
      ],
      goals: [
        {
          goal: '10,000 workspaces × 100 checks a minute: share of a core',
          bound: { atMost: 0.1 },
          reached: (many.pollMs * WORKSPACES) / MINUTE_MS,
        },
        {
          goal: '1,000 that fall at once: first card after the poll that saw them',
          bound: { atMost: 3000 },
          reached: fallen.firstMs,
          unit: 'ms',
        },
      ],
    }
  },
}

async function pollMany({ progress, size }: Run) {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const service = running.use(await startChild('servers/watched.ts', { total: 100, down: 2 }))
  // The message of `watched.ts` when it is ready.
  const serviceUrl = service.ready as string
  const workspaces = size(SAMPLE, 5)
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
  // Five polls that may still confirm something, then those without changes.
  await app.waitForPolls(7)
  const perPoll = async (): Promise<number> => {
    const before = app.polls()
    const since = process.cpuUsage()
    await pause(size(10_000, 2500))
    const spentMs = cpuMs(since)
    return spentMs / Math.max(1, app.polls() - before)
  }
  const pollMs = await perPoll()
  await service.call('differ')
  const differentMs = await perPoll()
  const floorMs = await measureFloor(`${serviceUrl}/healthcheck/v1/healthchecks?limit=200`, size(2000, 50))
  return { pollMs, differentMs, floorMs, megabytes: process.memoryUsage().rss / MEGABYTE }
}

/** The cost of only receiving the same answers, in groups like due polls. */
async function measureFloor(address: string, requests: number): Promise<number> {
  const { origin, pathname, search } = new URL(address)
  await using running = new AsyncDisposableStack()
  const pool = running.adopt(new Pool(origin, { connections: 16, pipelining: 1 }), (own) => own.destroy())
  const ask = async (): Promise<unknown> => {
    const { body } = await pool.request({ method: 'GET', path: pathname + search })
    return body.arrayBuffer()
  }
  const askAll = async (): Promise<void> => {
    for (let asked = 0; asked < requests; asked += 10) {
      await Promise.all(Array.from({ length: 10 }, ask))
      await pause(1)
    }
  }
  await askAll()
  const since = process.cpuUsage()
  await askAll()
  return cpuMs(since) / requests
}

async function pollLarge({
  progress,
  size,
}: Run): Promise<{ quietMs: number; fullMs: number; megabytes: number }> {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const total = size(100_000, 2000)
  const service = running.use(await startChild('servers/watched.ts', { total, down: total / 20 }))
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
  const fullMs = cpuMs(start)
  // Five polls that may still confirm something, then those without changes.
  await app.waitForPolls(7)
  const before = app.polls()
  const since = process.cpuUsage()
  await pause(size(8000, 2500))
  const quietMs = cpuMs(since) / Math.max(1, app.polls() - before)
  return { quietMs, fullMs, megabytes: process.memoryUsage().rss / MEGABYTE }
}

async function measureOutages({
  progress,
  size,
}: Run): Promise<{ cpuMs: number; firstMs: number; heldMs: number; megabytes: number }> {
  await using running = new AsyncDisposableStack()
  const folder = running.use(await makeFolder())
  const service = running.use(await startChild('servers/watched.ts', { total: size(10_000, 500), down: 0 }))
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
  progress(`${count} fall at once`)
  const held = monitorEventLoopDelay({ resolution: 5 })
  held.enable()
  const polled = app.polls()
  await service.call('fall', count)
  const since = process.cpuUsage()
  // The next poll that starts sees them.
  const began = performance.now()
  while (app.posts.length === 0) await pause(5)
  const firstMs = (app.posts[0]?.at ?? Number.POSITIVE_INFINITY) - began
  await app.waitForPolls(polled + 2)
  held.disable()
  const told = await app.store.watching.cards.open('T0', { limit: 10 })
  if (told.length !== 1) throw new Error(`They came to ${told.length} cards.`)
  return {
    cpuMs: cpuMs(since),
    firstMs,
    // The maximum is mostly noise of a busy machine.
    heldMs: held.percentile(99) / 1e6,
    megabytes: process.memoryUsage().rss / MEGABYTE,
  }
}
