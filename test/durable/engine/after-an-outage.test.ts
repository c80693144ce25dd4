import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, it } from 'vitest'
import { startEngine } from '../../../packages/durable/src/engine/engine.ts'
import type { WorkKind } from '../../../packages/durable/src/engine/work-kind.ts'
import type { EngineStore } from '../../../packages/durable/src/work/work-store.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { startStore } from '../../databases/store.ts'
import { eitherOf } from '../../long.ts'

const WORK = { workspaceId: 'T1', kind: 'kind', key: 'k' }
/** After this many failures, the retry delay would be minutes long. */
const FAILED_ATTEMPTS = 11

async function execute(url: string, statement: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    using database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 20_000 })
    database.exec(statement)
    return
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

it.each(eitherOf(SHARED_DATABASES))(
  'resumes work that failed while $name was down, however often it failed before, and logs the outage once',
  async ({ start }) => {
    await using store = await startStore(start)
    await store.work.schedule(WORK)
    for (let attempt = 0; attempt < FAILED_ATTEMPTS; attempt += 1) {
      const [work] = await store.work.claimDue('another', [WORK.kind], 1)
      await store.work.release(work?.id ?? '', 'another', { state: 'waiting', dueInMs: 0 })
    }
    const lines: string[] = []
    const databaseLost = Promise.withResolvers<void>()
    let runs = 0
    let searches = 0
    const counted: EngineStore = {
      ...store.work,
      makeDueAfterClockChange() {
        searches += 1
        return store.work.makeDueAfterClockChange()
      },
    }
    const kind: WorkKind = {
      kind: WORK.kind,
      lane: 'long',
      async run() {
        runs += 1
        if (runs > 1) return { state: 'done' }
        await databaseLost.promise
        throw new Error('no such table')
      },
    }
    await using _engine = startEngine({
      store: counted,
      kinds: [kind],
      log: createLog('warn', { write: (line) => void lines.push(line) }),
      times: { leaseMs: 2000, pollMs: 50, retryMs: 1000 },
    })
    await expect.poll(() => runs).toBe(1)
    await execute(store.url, 'alter table work rename to work_moved')
    databaseLost.resolve()
    await expect.poll(() => lines.join('')).toContain('Work could not be released')
    const searchesBefore = searches
    await expect.poll(() => searches).toBeGreaterThan(searchesBefore + 3)
    expect(lines.filter((line) => line.includes('Could not look for abandoned work'))).toHaveLength(1)
    await execute(store.url, 'alter table work_moved rename to work')
    await expect.poll(() => runs).toBe(2)
    await expect.poll(async () => (await store.work.listLeases()).length).toBe(0)
  },
)
