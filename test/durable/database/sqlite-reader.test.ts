import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { sqliteErrorCode } from '../../../packages/durable/src/database/sqlite-dialect.ts'
import { makeFolder, SHARED_DATABASES, type TestFolder } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const READ_ONLY = 8
const DATABASE_MODULE = new URL('../../../packages/durable/src/database/open-database.ts', import.meta.url)
  .href
const addressIn = ({ path }: TestFolder): string => `sqlite:${join(path, 'a.db')}`

async function countRows(rows: Database['rows']): Promise<number> {
  const result = await sql<{ count: number }>`select cast(count(*) as integer) as count from t`.execute(rows)
  return result.rows[0]?.count ?? -1
}

describe.each(SHARED_DATABASES)('the reading connection on $name', ({ start }) => {
  it('sees every row written before it reads', async () => {
    await using address = await start()
    await using database = await openDatabase(address.url)
    await sql`create table t (n integer)`.execute(database.rows)
    for (let n = 1; n <= 100; n++) {
      await sql`insert into t values (${n})`.execute(database.rows)
      expect(await countRows(database.reading)).toBe(n)
    }
  })

  it('reports a failed statement and keeps working', async () => {
    await using address = await start()
    await using database = await openDatabase(address.url)
    await sql`create table t (n integer)`.execute(database.rows)
    await expect(sql`select nothing from t`.execute(database.reading)).rejects.toThrow('nothing')
    expect(await countRows(database.reading)).toBe(0)
  })
})

describe('the thread that reads a SQLite file', () => {
  it('is read-only, never waits for a write, and never sees a partial one', async () => {
    using folder = makeFolder()
    await using database = await openDatabase(addressIn(folder))
    await sql`create table t (n integer)`.execute(database.rows)
    await database.rows.transaction().execute(async (transaction) => {
      await sql`insert into t values (1)`.execute(transaction)
      expect(await countRows(database.reading)).toBe(0)
    })
    expect(await countRows(database.reading)).toBe(1)
    const writing = sql`insert into t values (2)`.execute(database.reading)
    expect(sqliteErrorCode(await writing.catch((error: unknown) => error))).toBe(READ_ONLY)
    await expect(database.reading.transaction().execute(async () => 0)).rejects.toThrow('no transactions')
    expect(await countRows(database.rows)).toBe(1)
  })

  it('doesn’t block the event loop', async () => {
    using folder = makeFolder()
    await using database = await openDatabase(addressIn(folder))
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 0)
    const slow = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) select max(i) from n`
    await slow.execute(database.reading)
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(10)
  })

  it('finishes earlier reads when it is closed, and rejects later ones', async () => {
    using folder = makeFolder()
    const database = await openDatabase(addressIn(folder))
    await sql`create table t (n integer)`.execute(database.rows)
    const reads = Array.from({ length: 20 }, () => countRows(database.reading))
    await setImmediate()
    await database[Symbol.asyncDispose]()
    expect(await Promise.all(reads)).toEqual(reads.map(() => 0))
    await expect(countRows(database.reading)).rejects.toThrow()
  })

  it('reports an unexpected stop, and is restarted', async () => {
    using folder = makeFolder()
    await using database = await openDatabase(addressIn(folder))
    const file = join(folder.path, 'a.db')
    await sql`create table t (n integer)`.execute(database.rows)
    const warning = once(process, 'warning')
    // The thread opens the file by its path, where there is now a folder.
    renameSync(file, `${file}.moved`)
    mkdirSync(file)
    const reads = [countRows(database.reading), countRows(database.reading)]
    const fault = { status: 'rejected', reason: { name: 'StoreError', kind: 'unreachable' } }
    expect(await Promise.allSettled(reads)).toMatchObject([fault, fault])
    expect(await warning).toMatchObject([
      { message: expect.stringContaining('The thread that reads the database') },
    ])
    rmdirSync(file)
    renameSync(`${file}.moved`, file)
    expect(await countRows(database.reading)).toBe(0)
  })

  it('doesn’t keep the process alive', async () => {
    using folder = makeFolder()
    const script = `
      import { openDatabase } from ${JSON.stringify(DATABASE_MODULE)}
      const { reading } = await openDatabase(${JSON.stringify(addressIn(folder))})
      console.log((await reading.selectNoFrom((eb) => eb.val(7).as('n')).execute())[0].n)`
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 600_000 })
    expect({ stdout, stderr }).toEqual({ stdout: '7\n', stderr: '' })
  })
})
