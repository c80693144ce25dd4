import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '../../src/app/store.ts'
import type { Benchmark, RunOptions } from '../parts/benchmark.ts'
import { type Child, startChild } from '../parts/child.ts'
import { percentile } from '../parts/numbers.ts'
import { startPostgresDatabase } from '../parts/postgres.ts'
import { addWatches, KEYS } from '../parts/watching.ts'
import type { RequestTimes } from '../servers/polled-service.ts'

/** How long the service takes to respond, and Slack to accept a message. */
const ANSWER_MS = 150
const CHECKS = 100
/** To cause outages, a check goes down in every tenth workspace. */
const WORKSPACES_PER_OUTAGE = 10
/** A poll is on time if it is at most this late. */
const ON_TIME_MS = 5000
/** How long to wait until every outage is reported. */
const REPORT_TIMEOUT_MS = 120_000

/**
 * Polls many workspaces on PostgreSQL with several processes. `BENCH_WORKSPACES` and `BENCH_PROCESSES` set how many, and
 * `BENCH_INTERVAL_S` sets the polling interval in seconds.
 */
export const manyWorkspaces: Benchmark = {
  name: 'many-workspaces',
  question:
    'Do several processes on PostgreSQL poll many workspaces on time, how much do polls without changes write, and how soon are outages reported?',
  async answer(run) {
    const workspaces = Number(process.env.BENCH_WORKSPACES ?? run.size(10_000, 60))
    const processes = Number(process.env.BENCH_PROCESSES ?? run.size(4, 2))
    const { gaps, wal, cpuShare, delays, cards, intervalMs } = await watchMany(run, workspaces, processes)
    const onTime = gaps.filter((gap) => gap > 0 && gap <= intervalMs + ON_TIME_MS).length / workspaces
    return {
      tables: [
        {
          title: `${workspaces.toLocaleString('en')} workspaces × ${CHECKS} checks every ${intervalMs / 1000} s, ${processes} processes, answers after ${ANSWER_MS} ms`,
          columns: ['median', '99th percentile', 'maximum'],
          rows: [
            ['time between two polls of a workspace, s', ...percentilesInSeconds(gaps)],
            ['from the poll that saw an outage to the first card, s', ...percentilesInSeconds(delays)],
            ['WAL a minute, MB', wal.megabytesAMinute, undefined, undefined],
            ['WAL a poll, bytes', wal.bytesAPoll, undefined, undefined],
            ['CPU of all processes, share of a core', cpuShare, undefined, undefined],
            [
              'workspaces with an outage, and with a card',
              Math.ceil(workspaces / WORKSPACES_PER_OUTAGE),
              cards,
              undefined,
            ],
          ],
        },
      ],
      goals: [
        { goal: 'Workspaces polled on time', bound: { atLeast: 1 }, reached: onTime },
        {
          goal: 'First card after the poll that saw an outage, 99th percentile',
          bound: { atMost: 3000 },
          reached: percentile(delays, 0.99),
          unit: 'ms',
        },
      ],
    }
  },
}

const percentilesInSeconds = (values: readonly number[]) =>
  [0.5, 0.99, 1].map((share) => percentile(values, share) / 1000) as [number, number, number]

async function watchMany({ progress, size }: RunOptions, workspaces: number, processes: number) {
  const intervalMs = 1000 * Number(process.env.BENCH_INTERVAL_S ?? size(60, 1))
  await using running = new AsyncDisposableStack()
  const configuredUrl = process.env.BENCH_DATABASE_URL
  const url = configuredUrl ?? running.use(await startPostgresDatabase()).url
  const service = running.use(
    await startChild('servers/polled-service.ts', { total: CHECKS, down: 0, delayMs: ANSWER_MS }),
  )
  progress(`${workspaces.toLocaleString('en')} workspaces: adding their watches`)
  {
    await using store = await openStore({ url, keys: KEYS })
    await addWatches(
      store,
      Array.from({ length: workspaces }, (_, index) => `T${index}`),
    )
  }
  const settings = { databaseUrl: url, serviceUrl: service.ready, workspaces, intervalMs, slackMs: ANSWER_MS }
  const pollers: Child[] = []
  for (let index = 0; index < processes; index += 1)
    pollers.push(running.use(await startChild('servers/poller.ts', { ...settings, hasWatches: true })))
  const requestTimes = async () => (await service.call('requestTimes')) as Record<string, RequestTimes>
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  running.defer(() => database.end())
  progress('waiting until each workspace was polled twice and no work is left')
  const checkEveryMs = Math.min(intervalMs, 10_000)
  for (let attempt = 0; attempt < (10 * intervalMs) / checkEveryMs; attempt += 1) {
    const { once, twice } = (await service.call('countPolled')) as { once: number; twice: number }
    const { rows: waiting } = await database.query("select id from work where state = 'waiting'")
    progress(
      `polled once: ${once.toLocaleString('en')}, twice: ${twice.toLocaleString('en')}, work items left: ${waiting.length.toLocaleString('en')}`,
    )
    if (twice >= workspaces && waiting.length === 0) break
    await gatherStatistics(database)
    await pause(checkEveryMs)
  }
  progress('measuring what polls without changes write')
  const measuredMs = size(1, 3) * intervalMs
  const unchanged = await measureWalAndCpu(database, () => pause(measuredMs), pollers)
  const gaps = Object.values(await requestTimes()).map(({ gapMs }) => gapMs)
  const polls = (workspaces * measuredMs) / intervalMs

  progress('taking down a check in a tenth of the workspaces')
  await service.call('takeDownOneIn', WORKSPACES_PER_OUTAGE)
  const outages = Math.ceil(workspaces / WORKSPACES_PER_OUTAGE)
  const deadline = performance.now() + intervalMs + REPORT_TIMEOUT_MS
  let cardTimes = new Map<string, number>()
  while (cardTimes.size < outages && performance.now() < deadline) {
    await pause(1000)
    cardTimes = await findFirstPostTimes(pollers)
  }
  const times = await requestTimes()
  const delays = [...cardTimes].flatMap(([id, postedAt]) => {
    // `polled-service.ts` stores times by the start of the workspace's token.
    const seenAt = times[`${id}-`]?.downAt
    return seenAt === undefined ? [] : [Math.max(0, postedAt - seenAt)]
  })
  for (const poller of pollers) await poller.call('stop')
  return {
    gaps,
    delays,
    intervalMs,
    cards: cardTimes.size,
    cpuShare: unchanged.cpuMs / measuredMs,
    wal: {
      megabytesAMinute: (unchanged.walBytes / 1024 / 1024 / measuredMs) * 60_000,
      bytesAPoll: unchanged.walBytes / polls,
    },
  }
}

/**
 * Updates the table statistics. In production, autovacuum does this once a minute, but it's off in the test server. Without
 * statistics, each query for 64 workspaces scans the whole table, and PostgreSQL reuses query plans made for an empty table.
 */
const gatherStatistics = (database: pg.Client) => database.query('vacuum analyze')

/** Measures how much PostgreSQL writes to its write-ahead log during `wait`, and the CPU time of the pollers. */
async function measureWalAndCpu(
  database: pg.Client,
  wait: () => Promise<unknown>,
  pollers: readonly Child[],
) {
  const position = async (): Promise<number> => {
    const { rows } = await database.query<{ at: string }>(
      "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as at",
    )
    return Number(rows[0]?.at)
  }
  for (const poller of pollers) await poller.call('resetCpuTime')
  const before = await position()
  await wait()
  const walBytes = (await position()) - before
  let cpuMs = 0
  for (const poller of pollers) cpuMs += (await poller.call('cpuMs')) as number
  return { walBytes, cpuMs }
}

/** Returns when each workspace got its first message from any of the processes. */
async function findFirstPostTimes(pollers: readonly Child[]): Promise<Map<string, number>> {
  const first = new Map<string, number>()
  for (const poller of pollers)
    for (const [workspaceId, at] of (await poller.call('posts')) as [string, number][])
      first.set(workspaceId, Math.min(at, first.get(workspaceId) ?? Number.POSITIVE_INFINITY))
  return first
}
