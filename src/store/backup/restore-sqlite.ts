import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { openDatabase } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { Schema } from '../database/schema.ts'
import { NodeSqliteDialect } from '../database/sqlite-dialect.ts'
import { tablesOf } from '../database/tables.ts'
import { syncFolder } from '../secrets/key-file.ts'
import { type Filling, fill, type LeftOut } from './fill.ts'
import { type Extent, extentOf, hasExtent, NO_EXTENT, newerIn } from './former.ts'
import type { Restoration } from './restore.ts'

/** Makes the database in a file of its own, which takes the place of the former one once it is whole. */
export async function restoreSqlite(
  given: string,
  filling: Filling,
  isReplacing: boolean,
): Promise<LeftOut & Pick<Restoration, 'former' | 'newer'>> {
  const file = resolve(given)
  using alone = existsSync(file) ? alonePossessionOf(file) : undefined
  const before = alone && (await formerExtent(alone.raw))
  if (before !== undefined && !isReplacing) {
    throw new StoreError(
      'bad-value',
      `The database ${file} is not empty, and nothing was changed: name another file in DATABASE_URL, or add --replace, which keeps what is there aside.`,
    )
  }
  const fresh = `${file}.restoring`
  await removeDatabase(fresh)
  let leftOut: LeftOut
  let after: Extent
  try {
    await using database = await openDatabase(`sqlite:${fresh}`)
    leftOut = await database.exclusively((transaction) => fill(database, transaction, filling))
    after = await extentOf(database.rows)
  } catch (error) {
    await removeDatabase(fresh)
    throw error
  }
  // Closed by its last user, a database is one file.
  const former = before && `${file}.before-restore-${stampOf(filling.now)}`
  if (former !== undefined) {
    await rename(file, former)
    // What this machine still knew of the former database's work belongs to that one.
    if (existsSync(`${file}.journal`)) await rename(`${file}.journal`, `${former}.journal`)
  }
  await rename(fresh, file)
  await syncFolder(dirname(file))
  return { ...leftOut, former, newer: before && newerIn(before, after) }
}

/** Nobody else has the file open while this is held: only then can it leave the mode with a log beside it. */
function alonePossessionOf(file: string): Disposable & { raw: DatabaseSync } {
  const raw = new DatabaseSync(file)
  try {
    raw.exec('pragma journal_mode = delete; begin exclusive')
    return { raw, [Symbol.dispose]: () => raw.close() }
  } catch (error) {
    raw.close()
    throw new StoreError(
      'bad-value',
      `The database ${file} is in use: stop every process of Signalman first.`,
      {
        cause: error,
      },
    )
  }
}

/** Undefined for a file without tables. One of an early version, which has not all of them, counts as one with nothing in it. */
async function formerExtent(raw: DatabaseSync): Promise<Extent | undefined> {
  const rows = new Kysely<Schema>({ dialect: new NodeSqliteDialect(raw) })
  const names = (await tablesOf(rows, 'sqlite')).map(({ name }) => name)
  if (names.length === 0) return undefined
  return hasExtent(names) ? await extentOf(rows) : NO_EXTENT
}

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
}

const stampOf = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
