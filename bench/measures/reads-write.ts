import { setTimeout as pause } from 'node:timers/promises'
import type { LoadRequest } from '../load/run.ts'
import { type Load, startLoad } from '../load/start.ts'
import { type Around, startSignalman } from '../parts/app.ts'
import { checkRows } from '../parts/checks.ts'
import { startChild } from '../parts/child.ts'
import { makeFolder } from '../parts/folder.ts'
import { startPostgresDatabase, watchPostgres } from '../parts/postgres.ts'
import type { Question, Run } from '../parts/question.ts'
import type { Server } from '../parts/server.ts'
import { ENCRYPTION_KEYS } from '../parts/slack.ts'
import { watchSqlite } from '../parts/sqlite-commits.ts'
import type { Writes } from '../parts/writes.ts'

const UUID = checkRows(1)[0]?.uuid ?? ''

/** Commands that only read. The buttons belong to the listing before them. */
const READS: readonly LoadRequest[] = [
  { typed: '' },
  { typed: `show ${UUID}` },
  { typed: `alerts ${UUID}` },
  { typed: 'whoami' },
  { typed: 'access' },
  { typed: 'help' },
  'home opened',
  { typed: 'list' },
  { pressed: 'Next' },
  { pressed: 'Previous' },
]
/** Work that starts after an acknowledgement has finished by then. */
const SETTLING_MS = 500

interface Written {
  reads: number
  rows: number
  commits: number
}

/** The rows and commits of commands that only read. */
export const readsWrite: Question = {
  name: 'reads-write',
  asks: 'What does a command write that only reads?',
  async answer(run) {
    await using running = new AsyncDisposableStack()
    const load = running.use(await startLoad())
    const service = running.use(await startChild('servers/service.ts'))
    const onSqlite = await sqlite(run, { load, service })
    const onPostgres = await postgres(run, { load, service })
    const row = (title: string, { reads, rows, commits }: Written) => [title, reads, rows, commits] as const
    return {
      tables: [
        {
          title: 'Reads typed, pressed and opened',
          columns: ['reads', 'rows', 'commits'],
          rows: [row('SQLite', onSqlite), row('PostgreSQL', onPostgres)],
        },
      ],
      goals: [
        { goal: 'Rows of a read', bound: { atMost: 0 }, reached: worst('rows', onSqlite, onPostgres) },
        { goal: 'Commits of a read', bound: { atMost: 0 }, reached: worst('commits', onSqlite, onPostgres) },
      ],
    }
  },
}

const worst = (what: 'rows' | 'commits', ...all: readonly Written[]): number =>
  Math.max(...all.map((written) => written[what] / written.reads))

async function sqlite(run: Run, around: Omit<Around, 'databaseUrl'>): Promise<Written> {
  run.progress('SQLite')
  await using folder = await makeFolder()
  const file = folder.file('signalman.db')
  await using app = await startSignalman({ ...around, databaseUrl: `sqlite:${file}` })
  return await written(run, around.load, app, async () => watchSqlite(file))
}

async function postgres(run: Run, around: Omit<Around, 'databaseUrl'>): Promise<Written> {
  run.progress('PostgreSQL')
  await using database = await startPostgresDatabase()
  const settings = { encryptionKeys: ENCRYPTION_KEYS }
  await using app = await startSignalman({ ...around, databaseUrl: database.url }, settings)
  return await written(run, around.load, app, () => watchPostgres(database.url))
}

/** The writes during reads, minus the writes during the same time without any. */
async function written(
  { size }: Run,
  load: Load,
  app: Server,
  watch: () => Promise<Writes>,
): Promise<Written> {
  const times = size(20, 2)
  await readAll(load, app, 1)
  const started = performance.now()
  const busy = await during(watch, () => readAll(load, app, times))
  const idle = await during(watch, () => pause(performance.now() - started - SETTLING_MS))
  const beyond = (what: 'rows' | 'commits') => Math.max(0, busy[what] - idle[what])
  return { reads: times * READS.length, rows: beyond('rows'), commits: beyond('commits') }
}

async function readAll(load: Load, app: Server, count: number): Promise<void> {
  for (const request of READS) {
    await load.run({
      url: app.url,
      request,
      count,
      connections: 1,
      whole: request !== 'home opened',
      workspaces: 1,
    })
  }
}

async function during(watch: () => Promise<Writes>, work: () => Promise<void>) {
  await using writes = await watch()
  const before = await writes.rows()
  await work()
  await pause(SETTLING_MS)
  return { rows: (await writes.rows()) - before, commits: await writes.commits() }
}
