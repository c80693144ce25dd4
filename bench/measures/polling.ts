import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../test/databases/open.ts'
import { startPostgresDatabase } from '../../test/databases/postgres.ts'
import { startLoad } from '../load/start.ts'
import { startSignalman } from '../parts/app.ts'
import type { Benchmark, RunOptions } from '../parts/benchmark.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'

/** Every workspace is polled once in this time, by default. */
const INTERVAL_MS = 60_000

interface Result {
  /** Until all workspaces were polled after a start. */
  readonly firstPollsMs: number
  /** The CPU time of the app while nothing changes, as a share of a core. */
  readonly share: number
  readonly rowsPerPoll: number | undefined
  /** The longest turn of the event loop, in CPU time. */
  readonly longestMs: number
}

/** Measures polling of workspaces with 100 checks each, all up, with the requests to the service. */
export const polling: Benchmark = {
  name: 'polling',
  question: 'What does it cost to poll 1,000 and 10,000 workspaces every minute?',
  async answer(run) {
    const [few, many] = [run.size(1000, 10), run.size(10_000, 20)]
    await using folder = await makeFolder()
    await using database = await startPostgresDatabase()
    await using other = await startPostgresDatabase()
    const row = (title: string, { share, firstPollsMs, rowsPerPoll, longestMs }: Result) =>
      [title, share, firstPollsMs / 1000, rowsPerPoll, longestMs] as const
    const onSqlite = [
      await measurePolling(run, `sqlite:${folder.file('few.db')}`, few),
      await measurePolling(run, `sqlite:${folder.file('many.db')}`, many),
    ] as const
    const onPostgres = [
      await measurePolling(run, database.url, few),
      await measurePolling(run, other.url, many),
    ] as const
    const all = [...onSqlite, ...onPostgres]
    return {
      tables: [
        {
          title: 'Workspaces with 100 checks, polled every minute',
          columns: [
            'share of a core',
            'first polls after a start, s',
            'rows per poll',
            'longest turn of the event loop, ms',
          ],
          rows: [
            row(`SQLite, ${few}`, onSqlite[0]),
            row(`SQLite, ${many}`, onSqlite[1]),
            row(`PostgreSQL, ${few}`, onPostgres[0]),
            row(`PostgreSQL, ${many}`, onPostgres[1]),
          ],
        },
      ],
      goals: [
        {
          goal: 'Share of a core for 1,000 workspaces',
          bound: { atMost: 0.05 },
          reached: Math.max(onSqlite[0].share, onPostgres[0].share),
        },
        {
          goal: 'Share of a core for 10,000 workspaces',
          bound: { atMost: 0.35 },
          reached: Math.max(onSqlite[1].share, onPostgres[1].share),
        },
        {
          goal: 'Rows that a poll writes, of 10,000 workspaces on PostgreSQL',
          bound: { atMost: 3.2 },
          reached: onPostgres[1].rowsPerPoll ?? 0,
        },
        {
          goal: 'Longest turn of the event loop while workspaces are polled',
          bound: { atMost: 30 },
          reached: Math.max(...all.map(({ longestMs }) => longestMs)),
          unit: 'ms',
        },
      ],
    }
  },
}

async function measurePolling(
  { size, progress }: RunOptions,
  databaseUrl: string,
  workspaces: number,
): Promise<Result> {
  progress(`${workspaces} workspaces, ${databaseUrl.split(':', 1)[0]}`)
  await using load = await startLoad()
  await using service = await startChild('servers/service.ts', { checks: 100, isHealthy: true })
  const settings = { connected: 0, serviceToken: 'token-of-all', encryptionKeys: ENCRYPTION_KEYS }
  await using first = await startSignalman(load, service, databaseUrl, { ...settings, watching: workspaces })
  const { rows, ...database } = await openDatabase(databaseUrl)
  await using _ = database
  const countPolled = async (since: Date): Promise<number> => {
    const polled = rows.selectFrom('watch_poll').where('last_ok_at', '>', since.toISOString())
    const { count } = await polled.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
    return Number(count)
  }
  const untilPolled = async (since: Date): Promise<number> => {
    const startedAt = performance.now()
    while ((await countPolled(since)) < workspaces) await pause(100)
    return performance.now() - startedAt
  }
  await untilPolled(new Date(0))
  await first[Symbol.asyncDispose]()
  // What is polled soon wouldn't be due.
  const due = { due_at: new Date().toISOString() }
  await rows.updateTable('work').set(due).where('kind', '=', 'watch.poll').execute()
  const startedAt = new Date()
  await using second = await startSignalman(load, service, databaseUrl, settings)
  const firstPollsMs = await untilPolled(startedAt)
  const countWrites = async () => {
    if (databaseUrl.startsWith('sqlite')) return undefined
    // PostgreSQL reports them at most a second later.
    await pause(2000)
    const query = sql<{ count: string }>`
      select sum(n_tup_ins + n_tup_upd + n_tup_del) as count from pg_stat_user_tables`
    return Number((await query.execute(rows)).rows[0]?.count)
  }
  const countPolls = async () => {
    const sum = rows.selectFrom('watch_poll').select(({ fn }) => fn.sum('polls').as('polls'))
    return Number((await sum.executeTakeFirstOrThrow()).polls)
  }
  // Measuring turns keeps the process busy, so the CPU time is measured afterwards.
  await second.watchTurns()
  await pause(size(INTERVAL_MS / 2, 1000))
  const longestMs = await second.readLongestTurnMs()
  const [writesBefore, pollsBefore] = [await countWrites(), await countPolls()]
  await second.startUsage()
  const measuredAt = performance.now()
  await pause(size(INTERVAL_MS, 2000))
  const cpuMicros = await second.readCpuMicros()
  const share = cpuMicros / 1000 / (performance.now() - measuredAt)
  const [writes, polls] = [await countWrites(), (await countPolls()) - pollsBefore]
  const rowsPerPoll =
    writes === undefined || writesBefore === undefined || polls === 0
      ? undefined
      : (writes - writesBefore) / polls
  return { firstPollsMs, share, rowsPerPoll, longestMs }
}
