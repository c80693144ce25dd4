import { setTimeout as pause } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { type Database, openDatabase } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { Schema } from '../database/schema.ts'
import { tablesOf } from '../database/tables.ts'
import { type Filling, fill, type LeftOut } from './fill.ts'
import { formerKeys, mergedKeys } from './known-keys.ts'
import { extentOf, hasExtent, NO_EXTENT, newerIn } from './newer-than-backup.ts'
import { refuseNotEmpty } from './refuse-not-empty.ts'
import type { Restoration } from './restore.ts'

type Rows = Kysely<Schema>

/** Makes the tables in one transaction, which first moves the former ones into their own schema. */
export async function restorePostgres(
  url: string,
  filling: Filling,
  isReplacing: boolean,
): Promise<LeftOut & Pick<Restoration, 'former' | 'newer'>> {
  await using database = await openDatabase(url)
  return await database.exclusively(async (transaction) => {
    await refuseInUse(transaction)
    const there = await namesIn(transaction)
    const own = [...filling.header.tables.map(({ name }) => name), 'migration']
    if (!own.some((name) => there.has(name)))
      return { ...(await fill(database, transaction, filling)), former: undefined, newer: undefined }
    refuseNotEmpty({ isReplacing })
    const before = hasExtent([...there]) ? await extentOf(transaction) : NO_EXTENT
    const known = mergedKeys([...filling.workspaceKeys.values()], await formerKeys(transaction, [...there]))
    const former = `before_restore_${filling.now.getTime()}`
    const leftOut = await inItsPlace(transaction, former, () =>
      fill(database, transaction, { ...filling, workspaceKeys: known }),
    )
    return { ...leftOut, former, newer: newerIn(before, await extentOf(transaction)) }
  })
}

/** Makes the tables in a separate schema, moves the former ones to the schema `former`, and moves the new ones in. */
async function inItsPlace<T>(rows: Rows, former: string, make: () => Promise<T>): Promise<T> {
  const { rows: found } = await sql<{ name: string }>`select current_schema()::text as name`.execute(rows)
  const here = found[0]?.name ?? 'public'
  const fresh = `${former}_fresh`
  await sql`create schema ${sql.id(former)}`.execute(rows)
  await sql`create schema ${sql.id(fresh)}`.execute(rows)
  await sql`set local search_path to ${sql.id(fresh)}`.execute(rows)
  const made = await make()
  for (const schema of [here, fresh]) {
    const names = new Set((await objectsIn(rows, fresh)).map(({ name }) => name))
    for (const { kind, name } of await objectsIn(rows, schema)) {
      if (!names.has(name)) continue
      const object = kind === 'table' ? sql.id(schema, name) : sql`${sql.id(schema, name)}()`
      await sql`alter ${sql.raw(kind)} ${object} set schema ${sql.id(schema === here ? former : here)}`.execute(
        rows,
      )
    }
  }
  await sql`set local search_path to ${sql.id(here)}`.execute(rows)
  await sql`drop schema ${sql.id(fresh)}`.execute(rows)
  return made
}

/** Tables, and the functions of their triggers, which take no arguments. */
async function objectsIn(
  rows: Rows,
  schema: string,
): Promise<{ kind: 'table' | 'function'; name: string }[]> {
  const { rows: found } = await sql<{ kind: 'table' | 'function'; name: string }>`
    select 'table' as kind, relname::text as name from pg_class
    where relkind = 'r' and relnamespace = ${schema}::regnamespace
    union all
    select 'function', proname::text from pg_proc
    where pronargs = 0 and prokind = 'f' and pronamespace = ${schema}::regnamespace`.execute(rows)
  return found
}

const namesIn = async (rows: Rows): Promise<Set<string>> =>
  new Set((await tablesOf(rows, KIND)).map(({ name }) => name))

const KIND: Database['kind'] = 'postgres'

const LOOK_MS = 100
const MOST_LOOKS = 20

/** Throws while other connections with the app's name are open. One that was closed a moment ago may still be listed. */
async function refuseInUse(rows: Rows): Promise<void> {
  for (let look = 1; (await othersIn(rows)) > 0; look += 1) {
    if (look === MOST_LOOKS)
      throw new StoreError('bad-value', 'The database is in use: stop every process of Signalman first.')
    await pause(LOOK_MS)
    // Within a transaction the list would not change after the first read.
    await sql`select pg_stat_clear_snapshot()`.execute(rows)
  }
}

async function othersIn(rows: Rows): Promise<number> {
  const { rows: found } = await sql<{ others: number }>`
    select count(*)::integer as others from pg_stat_activity
    where datname = current_database() and application_name = 'signalman' and pid <> pg_backend_pid()`.execute(
    rows,
  )
  return found[0]?.others ?? 0
}
