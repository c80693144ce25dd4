import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { type Database, openVerified, selectRows } from '../../../packages/durable/src/index.ts'
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

/** Lists the prepared statements of the pool's only connection. This query isn't one of them, because it isn't repeated. */
const listPreparedStatements = async ({ rows }: Pick<Database, 'rows'>) =>
  (await sql<{ uses: number }>`select custom_plans::int as uses from pg_prepared_statements`.execute(rows))
    .rows

describe('a repeated read', () => {
  it('is prepared once and then reused', async () => {
    await using address = await startPostgresDatabase('migrated')
    await using database = await openDatabase(address.url)
    for (let time = 1; time <= 10; time += 1)
      await selectRows(database.rows, 'setting', { workspace_id: `T${time}` }).execute()
    // Statements are prepared only when they are repeated, because most aren't.
    expect(await listPreparedStatements(database)).toEqual([{ uses: 9 }])
  })

  it('still works after its table changed, or after a pooler dropped prepared statements', async () => {
    await using address = await startPostgresDatabase('migrated')
    await using database = await openDatabase(address.url)
    const readAttempts = () => selectRows(database.rows, 'post_attempt', { workspace_id: 'T1' }).execute()
    const row = { workspace_id: 'T1', key: 'k', mark: 'm', version: 1, attempted_at: '2026' }
    await database.rows.insertInto('post_attempt').values(row).execute()
    for (let time = 1; time <= 3; time += 1) expect(await readAttempts()).toEqual([row])
    await sql`alter table post_attempt add column note text default 'new'`.execute(database.rows)
    for (let time = 1; time <= 3; time += 1) expect(await readAttempts()).toEqual([{ ...row, note: 'new' }])
    await sql`deallocate all`.execute(database.rows)
    for (let time = 1; time <= 3; time += 1) expect(await readAttempts()).toEqual([{ ...row, note: 'new' }])
  })

  it('counts toward a limit of prepared statements', async () => {
    await using address = await startPostgresDatabase('migrated')
    await using database = await openDatabase(address.url)
    for (let length = 1; length <= 300; length += 1)
      for (let time = 1; time <= 2; time += 1)
        await sql`select ${sql.join(Array.from({ length }, (_, index) => sql.lit(index)))}`.execute(
          database.rows,
        )
    expect(await listPreparedStatements(database)).toHaveLength(200)
  })
})
