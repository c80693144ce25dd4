import { setTimeout as pause } from 'node:timers/promises'
import type { LoadRequest } from '../load/run.ts'
import { type Load, startLoad } from '../load/start.ts'
import { type AppDependencies, startSignalman } from '../parts/app.ts'
import type { Benchmark, RunOptions } from '../parts/benchmark.ts'
import { checkRows } from '../parts/checks.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { countPostgresWrites, startPostgresDatabase } from '../parts/postgres.ts'
import type { Server } from '../parts/server.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'
import { countSqliteWrites } from '../parts/sqlite-writes.ts'
import type { WriteCounter } from '../parts/write-counter.ts'

const UUID = checkRows(1)[0]?.uuid ?? ''

/** Commands that only read. The buttons belong to the preceding listing. */
const READS: readonly LoadRequest[] = [
  { typed: '' },
  { typed: `show ${UUID}` },
  { typed: `alerts ${UUID}` },
  { typed: 'access' },
  { typed: 'access' },
  { typed: 'help' },
  'home opened',
  { typed: 'list' },
  { pressed: 'Next' },
  { pressed: 'Previous' },
]
/** How long to wait for work that starts after an acknowledgement. */
const SETTLE_MS = 500

/** The rows and commits that a number of read-only commands wrote. */
interface WriteCounts {
  reads: number
  rows: number
  commits: number
}

/** Measures how many rows and commits read-only commands write. */
export const readsWrite: Benchmark = {
  name: 'reads-write',
  question: 'What does a command that only reads write?',
  async answer(run) {
    await using running = new AsyncDisposableStack()
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const onSqlite = await measureSqlite(run, { load, service })
    const onPostgres = await measurePostgres(run, { load, service })
    const row = (title: string, { reads, rows, commits }: WriteCounts) =>
      [title, reads, rows, commits] as const
    return {
      tables: [
        {
          title: 'Typed commands, pressed buttons, and an opened App Home',
          columns: ['reads', 'rows', 'commits'],
          rows: [row('SQLite', onSqlite), row('PostgreSQL', onPostgres)],
        },
      ],
      goals: [
        { goal: 'Rows of a read', bound: { atMost: 0 }, reached: maxPerRead('rows', onSqlite, onPostgres) },
        {
          goal: 'Commits of a read',
          bound: { atMost: 0 },
          reached: maxPerRead('commits', onSqlite, onPostgres),
        },
      ],
    }
  },
}

const maxPerRead = (value: 'rows' | 'commits', ...results: readonly WriteCounts[]): number =>
  Math.max(...results.map((counts) => counts[value] / counts.reads))

async function measureSqlite(
  run: RunOptions,
  dependencies: Omit<AppDependencies, 'databaseUrl'>,
): Promise<WriteCounts> {
  run.progress('SQLite')
  await using folder = await makeFolder()
  const file = folder.file('signalman.db')
  await using app = await startSignalman({ ...dependencies, databaseUrl: `sqlite:${file}` })
  return await measureWrites(run, dependencies.load, app, async () => countSqliteWrites(file))
}

async function measurePostgres(
  run: RunOptions,
  dependencies: Omit<AppDependencies, 'databaseUrl'>,
): Promise<WriteCounts> {
  run.progress('PostgreSQL')
  await using database = await startPostgresDatabase()
  const settings = { encryptionKeys: ENCRYPTION_KEYS }
  await using app = await startSignalman({ ...dependencies, databaseUrl: database.url }, settings)
  return await measureWrites(run, dependencies.load, app, () => countPostgresWrites(database.url))
}

/** Measures the writes during reads, minus the writes during the same time without reads. */
async function measureWrites(
  { size }: RunOptions,
  load: Load,
  app: Server,
  startCounter: () => Promise<WriteCounter>,
): Promise<WriteCounts> {
  const times = size(20, 2)
  await readAll(load, app, 1)
  const started = performance.now()
  const busy = await countWritesDuring(startCounter, () => readAll(load, app, times))
  const idle = await countWritesDuring(startCounter, () => pause(performance.now() - started - SETTLE_MS))
  const countCausedByReads = (value: 'rows' | 'commits') => Math.max(0, busy[value] - idle[value])
  return {
    reads: times * READS.length,
    rows: countCausedByReads('rows'),
    commits: countCausedByReads('commits'),
  }
}

async function readAll(load: Load, app: Server, count: number): Promise<void> {
  for (const request of READS) {
    await load.run({
      url: app.url,
      request,
      count,
      connections: 1,
      untilAnswered: request !== 'home opened',
      workspaces: 1,
    })
  }
}

async function countWritesDuring(startCounter: () => Promise<WriteCounter>, work: () => Promise<void>) {
  await using writes = await startCounter()
  const before = await writes.rows()
  await work()
  await pause(SETTLE_MS)
  return { rows: (await writes.rows()) - before, commits: await writes.commits() }
}
