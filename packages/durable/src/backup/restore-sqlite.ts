import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { openDatabase } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import type { Schema } from '../database/schema.ts'
import { explain } from '../database/sqlite.ts'
import { errcodeOf, NodeSqliteDialect } from '../database/sqlite-dialect.ts'
import {
  fillingAt,
  placeInUse,
  placeOf,
  putInPlace,
  removeDatabase,
  takePlace,
} from '../database/sqlite-place.ts'
import { tablesOf } from '../database/stored-tables.ts'
import { type Filling, fill } from './fill.ts'
import { type Former, newerIn, readFormer, refuseNotEmpty, stampOf, unreadFormer } from './former.ts'
import type { InPlace } from './restore.ts'

const SQLITE_BUSY = 5

/**
 * Makes the database in a new file, which takes the place of the former one once it is whole. Nobody starts meanwhile, also where
 * there is no file yet.
 */
export async function restoreSqlite(given: string, filling: Filling, isReplacing: boolean): Promise<InPlace> {
  const file = placeOf(given)
  using _alone = takePlace(file)
  const former = existsSync(file) ? await formerAt(file, filling.model.tables) : undefined
  if (former) refuseNotEmpty(former, { isReplacing, file })
  const fresh = fillingAt(file)
  try {
    const made = await makeAt(fresh, filling, former)
    refuseUnsound(fresh)
    // Without tables it holds nothing that anybody may want back.
    if (!former) rmSync(file, { force: true })
    return { ...made, former: putInPlace(file, stampOf(filling.now, former)), damage: former?.damage }
  } catch (error) {
    removeDatabase(fresh)
    throw explain(error, fresh)
  }
}

async function makeAt(fresh: string, filling: Filling, former: Former | undefined) {
  await using database = await openDatabase(`sqlite:${fresh}`, filling.model)
  const leftOut = await database.exclusively((transaction) => fill(database, transaction, filling, former))
  return { ...leftOut, newer: former && (await newerIn(former, database.rows, filling.model.tables)) }
}

/**
 * What is in the file, which holds its logs too after this; undefined without tables. Whoever has it open without the place's lock,
 * as sqlite3 does, is found out by the database's own. Throws StoreError.
 */
async function formerAt(file: string, tables: readonly Table[]): Promise<Former | undefined> {
  let raw: DatabaseSync | undefined
  try {
    raw = new DatabaseSync(file)
    raw.exec('pragma journal_mode = delete; begin exclusive')
    const rows = new Kysely<Schema>({ dialect: new NodeSqliteDialect(raw) })
    const names = (await tablesOf(rows, 'sqlite')).map(({ name }) => name)
    return await readFormer(rows, tables, names)
  } catch (error) {
    if (errcodeOf(error) === SQLITE_BUSY) throw placeInUse(file, error)
    const explained = explain(error, file)
    if (explained instanceof StoreError && explained.kind === 'unreachable') throw explained
    return unreadFormer(error instanceof Error ? error.message : String(error))
  } finally {
    raw?.close()
  }
}

/** Throws StoreError `unusable` for what a sound disk would have kept otherwise. */
function refuseUnsound(fresh: string): void {
  using raw = new DatabaseSync(fresh)
  const [first] = raw.prepare('pragma integrity_check').all()
  const loose = raw.prepare('pragma foreign_key_check').all()
  if (first?.integrity_check === 'ok' && loose.length === 0) return
  throw new StoreError(
    'unusable',
    `What was made of the backup is damaged (${first?.integrity_check ?? 'no answer'}), and nothing was changed: look at the disk, and try again.`,
  )
}
