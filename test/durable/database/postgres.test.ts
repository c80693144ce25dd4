import { sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { openVerified } from '../../../packages/durable/src/index.ts'
import { openStore } from '../../../src/app/store.ts'
import { KEY_A } from '../../databases/databases.ts'
import { NEXT_MODEL, openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'

it('doesn’t block other statements while a migration waits for a lock', async () => {
  await using database = await startPostgresDatabase()
  const options = { url: database.url, keys: KEY_A }
  await (await openStore(options))[Symbol.asyncDispose]()
  await using clients = new AsyncDisposableStack()
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    clients.defer(() => client.end())
    return client
  }
  const reader = await connect()
  const writer = await connect()
  await reader.query('begin')
  await reader.query('select count(*) from work')
  let isOpen = false
  const opening = openVerified({ ...options, model: NEXT_MODEL }).then((opened) => {
    isOpen = true
    return opened
  })
  const blockedMigration =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table%'"
  await expect.poll(async () => (await writer.query(blockedMigration)).rowCount).toBe(1)
  // This statement waits only until the migration's own wait times out and its transaction is rolled back.
  await writer.query("update work set wanted_again = 0 where id = ''")
  expect(isOpen).toBe(false)
  await reader.query('commit')
  const { database: changed } = await opening
  await using _closing = changed
  expect((await sql`select next_note from work`.execute(changed.rows)).rows).toEqual([])
})

/** Raises an error with this SQLSTATE, as PostgreSQL does when it cancels a statement. */
const raiseError = (code: string) =>
  sql.raw(`do $$ begin raise exception 'canceled' using errcode = '${code}'; end $$`)

it.each(['55P03', '40P01'])('retries a migration that a lock blocked (%s)', async (code) => {
  await using address = await startPostgresDatabase()
  await using database = await openDatabase(address.url)
  let tries = 0
  const result = await database.withExclusiveLock(async (transaction) => {
    tries += 1
    if (tries === 1) await sql`${raiseError(code)}`.execute(transaction)
    return 'committed'
  })
  expect({ result, tries }).toEqual({ result: 'committed', tries: 2 })
})

it('lets everybody else go on, however many wait for one lock', async () => {
  await using address = await startPostgresDatabase()
  await using database = await openDatabase(address.url)
  const started = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const order: number[] = []
  const waiting = Array.from({ length: 30 }, (_, index) =>
    database.withLock('one', async () => {
      order.push(index)
      started.resolve()
      await released.promise
      if (index === 3) throw new Error('The fourth fails.')
    }),
  )
  const settled = Promise.allSettled(waiting)
  await started.promise
  expect(
    await database.withLock('other', async (rows) => (await sql`select 1 as one`.execute(rows)).rows),
  ).toEqual([{ one: 1 }])
  expect((await sql`select 2 as two`.execute(database.rows)).rows).toEqual([{ two: 2 }])
  released.resolve()
  expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(order).toEqual(Array.from({ length: 30 }, (_, index) => index))
})

it('stores any text', async () => {
  await using address = await startPostgresDatabase()
  await using database = await openDatabase(address.url)
  const { rows } = await sql`select ${'a\0b\ud800\u202e'}::text as stored`.execute(database.rows)
  expect(rows).toEqual([{ stored: 'a\ufffdb\ufffd\u202e' }])
})
