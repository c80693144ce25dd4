import { setTimeout as pause } from 'node:timers/promises'
import { startPostgresDatabase } from '../../test/databases/postgres.ts'
import type { Goal, RunOptions } from '../parts/benchmark.ts'
import type { Child } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { percentile } from '../parts/numbers.ts'
import { listWorkspaces } from '../parts/slack.ts'
import { collectDelays, setDown, startWatching } from '../parts/watching.ts'

const CHECKS = 100
/** Every workspace is polled once in this time. */
const INTERVAL_MS = 60_000

const CARD_REASON = 'The two cores also run PostgreSQL and the stand-ins.'

/** Measures polling while nothing changes, and how soon outages are in their channels, with the requests to the service. */
export async function measurePolling(run: RunOptions): Promise<readonly Goal[]> {
  const [few, many, fallen] = [run.size(1000, 10), run.size(10_000, 20), run.size(1000, 5)]
  run.progress(`${few} workspaces on SQLite`)
  const ofFew = await measureFew(run, few)
  run.progress(`${many} workspaces on PostgreSQL, two processes`)
  await using database = await startPostgresDatabase()
  await using app = await startWatching({ databaseUrl: database.url, workspaces: many, checks: CHECKS })
  const ofMany = await measureUsage(run, [app.server, await app.startAnother()])
  run.progress(`an outage in ${fallen} of them, four processes`)
  for (let started = 2; started < run.size(4, 2); started += 1) await app.startAnother()
  // Spread over all of them, since what was added together is also polled together.
  const affected = listWorkspaces(many).filter((_, index) => index % (many / fallen) === 0)
  await setDown(app.outside, affected, 1)
  const delays = await collectDelays(app.outside, affected)
  return [
    {
      goal: 'Polling 1,000 workspaces with 100 checks each a minute, share of a core',
      atMost: 0.05,
      reached: ofFew,
    },
    {
      goal: 'Polling 10,000, by two processes on PostgreSQL together',
      atMost: 0.35,
      reached: ofMany,
    },
    {
      goal: 'First card of 1,000 workspaces of 10,000 that have an outage, 99th percentile',
      atMost: 700,
      reached: percentile(delays, 0.99),
      unit: 'ms',
      reason: CARD_REASON,
    },
  ]
}

async function measureFew(run: RunOptions, workspaces: number): Promise<number> {
  await using folder = await makeFolder()
  const databaseUrl = `sqlite:${folder.file('signalman.db')}`
  await using app = await startWatching({ databaseUrl, workspaces, checks: CHECKS })
  return await measureUsage(run, [app.server])
}

/** The CPU time of all of these processes, as a share of a core. */
async function measureUsage({ size }: RunOptions, servers: readonly Child[]): Promise<number> {
  const readAll = async () => {
    const micros = await Promise.all(servers.map((server) => server.call<number>('readCpuMicros')))
    return micros.reduce((total, one) => total + one, 0)
  }
  const [before, startedAt] = [await readAll(), performance.now()]
  await pause(size(INTERVAL_MS, 2000))
  const ms = performance.now() - startedAt
  return ((await readAll()) - before) / 1000 / ms
}
