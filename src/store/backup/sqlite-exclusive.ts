import { rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { StoreError } from '../database/errors.ts'
import type { Schema, WorkspaceKeyRow } from '../database/schema.ts'
import { NodeSqliteDialect } from '../database/sqlite-dialect.ts'
import { tablesOf } from '../database/tables.ts'
import { formerKeys } from './known-keys.ts'
import { type Extent, extentOf, hasExtent, NO_EXTENT } from './newer-than-backup.ts'

/** Nobody else has the file open while this is held: only then can it leave the mode with a log beside it. */
export function openExclusively(file: string): Disposable & { raw: DatabaseSync } {
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
export async function formerOf(
  raw: DatabaseSync,
): Promise<{ extent: Extent; keys: readonly WorkspaceKeyRow[] } | undefined> {
  const rows = new Kysely<Schema>({ dialect: new NodeSqliteDialect(raw) })
  const names = (await tablesOf(rows, 'sqlite')).map(({ name }) => name)
  if (names.length === 0) return undefined
  return { extent: hasExtent(names) ? await extentOf(rows) : NO_EXTENT, keys: await formerKeys(rows, names) }
}

export async function removeDatabase(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true })
}

export const stampOf = (now: Date): string => now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
