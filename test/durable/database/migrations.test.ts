import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Model, openVerified, tryOpening } from '../../../packages/durable/src/index.ts'
import { MODEL } from '../../../src/app/model.ts'
import { openStore } from '../../../src/app/store.ts'
import { EMPTY_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { NEXT_MODEL, openDatabase } from '../../databases/open.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'
import { setEnvironment } from '../../write-store.ts'

/** The first release. */
const FIRST: Model = { ...MODEL, migrations: MODEL.migrations.slice(0, 1) }

async function openOnce(address: TestDatabase, model: Model): Promise<void> {
  const { database } = await openVerified({ ...address, model })
  await database[Symbol.asyncDispose]()
}

describe.each(EMPTY_DATABASES)('the migrations on $name', ({ start }) => {
  it('upgrades a database to the next release without losing data, and this release then refuses to open it', async () => {
    await using address = await start()
    {
      await using store = await openStore(address)
      await setEnvironment(store, 'T1', 'C1', 'ote')
    }
    // The first opening migrates the database, and the second finds it migrated.
    for (let round = 0; round < 2; round++) {
      const { database } = await openVerified({ ...address, model: NEXT_MODEL })
      await using _closing = database
      const { rows } = await sql`select * from channel`.execute(database.rows)
      expect(rows).toEqual([{ workspace_id: 'T1', channel_id: 'C1', environment: 'ote', next_note: 'new' }])
    }
    await expect(openStore(address)).rejects.toMatchObject({ kind: 'newer' })
  })

  it('creates the same tables in an empty database as in an upgraded one', async () => {
    const tables: unknown[] = []
    for (const models of [[NEXT_MODEL], [FIRST, MODEL, NEXT_MODEL]]) {
      await using address = await start()
      for (const model of models) {
        const { database } = await openVerified({ ...address, model })
        await using _closing = database
        if (model === NEXT_MODEL) tables.push(await database.rows.introspection.getTables())
      }
    }
    const [empty, upgraded] = tables
    expect(upgraded).toEqual(empty)
    expect(JSON.stringify(empty)).toContain('next_thing')
  })

  it.each(['work (id integer)', 'migration (version integer)'])(
    'refuses a database in which another program has the table %s, and changes nothing',
    async (table) => {
      await using address = await start()
      await using database = await openDatabase(address.url)
      await sql`create table ${sql.raw(table)}`.execute(database.rows)
      const refusal = {
        kind: 'unusable',
        message: expect.stringMatching(
          /has tables of another program, such as (?:work|migration), with names/,
        ),
      }
      await expect(openStore(address)).rejects.toMatchObject(refusal)
      await expect(tryOpening({ ...address, model: MODEL })).rejects.toMatchObject(refusal)
      expect(await database.rows.introspection.getTables()).toHaveLength(1)
    },
  )

  it.each([
    ['drop table claim', MODEL],
    ['alter table work drop column reference', MODEL],
    ['drop table claim', FIRST],
  ])(
    'refuses a database with other tables under the same migrations, also if others are due, and changes nothing: %s',
    async (change, model) => {
      await using address = await start()
      await openOnce(address, model)
      {
        await using database = await openDatabase(address.url)
        await sql`${sql.raw(change)}`.execute(database.rows)
      }
      const read = async () => {
        await using database = await openDatabase(address.url)
        return JSON.stringify(await database.rows.introspection.getTables())
      }
      const before = await read()
      await expect(openStore(address)).rejects.toMatchObject({
        kind: 'former',
        message: expect.stringMatching(/by a version before the first release.*(?:claim|work\.reference)/),
      })
      expect(await read()).toBe(before)
    },
  )
})

it('ignores tables in another PostgreSQL schema', async () => {
  await using address = await startPostgresDatabase()
  {
    await using database = await openDatabase(address.url)
    await sql`create schema other_schema`.execute(database.rows)
    await sql`create table other_schema.migration (name text)`.execute(database.rows)
  }
  const opening = { url: address.url, model: MODEL }
  // It changes nothing, so the second try sees the same.
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await tryOpening(opening)).toMatchObject({ isEmpty: true })
})
