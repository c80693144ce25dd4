import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { Schema } from '../database/schema.ts'
import { explainFileError } from '../database/sqlite.ts'
import { withFile } from '../database/sqlite-dialect.ts'
import { databasePath, listSiblingFiles, RETIRED_INFIX, removeDatabase } from '../database/sqlite-files.ts'
import { eraseWorkspaceRows, hasWorkspaceRows } from './row-owners.ts'

/** Long enough to notice that data is missing after a restore. */
const RETENTION_MS = 30 * DAY_MS
/** The PostgreSQL schemas of replaced databases. */
export const RETIRED_SCHEMA = 'before_restore_'
/** The time and the start of the store ID, as written by `createRetiredName`. */
const STAMP = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z[-_]([0-9a-f]{8})$/i

/** A database that a restore has replaced. */
interface RetiredDatabase {
  /** A file, or a PostgreSQL schema. */
  readonly name: string
  /** The first sweep after this time deletes it. Undefined if someone renamed it. */
  readonly keptUntil: Date | undefined
}

export type RetiredDatabases = ReturnType<typeof createRetiredDatabases>

/**
 * The databases that were replaced by restores of this one. `journal` is the folder of the outcome journals, with one subfolder
 * per database.
 */
export function createRetiredDatabases(database: Database, journal: string | undefined) {
  const storage =
    database.file === undefined
      ? createSchemaStorage(database)
      : createFileStorage(databasePath(database.file))
  const list = async (): Promise<RetiredDatabase[]> =>
    (await storage.names()).map((name) => ({ name, keptUntil: parseKeptUntil(name) }))

  async function remove(name: string): Promise<void> {
    await storage.remove(name)
    const store = STAMP.exec(name)?.[7]
    if (journal === undefined || store === undefined) return
    const folders = (await readdir(journal).catch(() => [])).filter((folder) => folder.startsWith(store))
    for (const folder of folders) await rm(join(journal, folder), { recursive: true, force: true })
  }

  return {
    list,
    /** Deletes expired databases together with their outcome journals. */
    async sweep(now: Date): Promise<void> {
      for (const { name, keptUntil } of await list()) if (keptUntil && keptUntil <= now) await remove(name)
    },
    /** Whether any readable database contains rows of the workspace. */
    async hasWorkspace(workspaceId: string): Promise<boolean> {
      let found = false
      for (const name of await storage.names())
        await storage.withDatabase(name, async (rows) => {
          found ||= await hasWorkspaceRows(rows, database, workspaceId)
        })
      return found
    },
    /**
     * Deletes a workspace and its keys from every retired database. An unreadable database is deleted entirely. Returns the name of
     * each database, and whether it still exists.
     */
    async erase(workspaceId: string, now: Date): Promise<{ name: string; isKept: boolean }[]> {
      const erased: { name: string; isKept: boolean }[] = []
      for (const name of await storage.names()) {
        const isKept = await storage.withDatabase(name, (rows) =>
          eraseWorkspaceRows(rows, database, workspaceId, now.toISOString()),
        )
        if (!isKept) await remove(name)
        erased.push({ name, isKept })
      }
      return erased
    },
  }
}

/** Returns undefined unless a restore gave it this name. */
export function parseKeptUntil(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = STAMP.exec(name) ?? []
  if (year === undefined) return undefined
  return new Date(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + RETENTION_MS)
}

/** Where replaced databases are kept: files or schemas. */
interface RetiredStorage {
  names(): Promise<string[]>
  remove(name: string): Promise<void>
  /** Returns false if the database can't be read. */
  withDatabase(name: string, work: (rows: Kysely<Schema>) => Promise<unknown>): Promise<boolean>
}

function createFileStorage(file: string): RetiredStorage {
  return {
    names: async () => [
      ...new Set(
        listSiblingFiles(file, RETIRED_INFIX).map((name) => name.replace(/-(wal|shm|journal)$|\.lock$/, '')),
      ),
    ],
    remove: async (name) => removeDatabase(name),
    async withDatabase(name, work) {
      // Leftover WAL files without their database can't be opened.
      if (!existsSync(name)) return false
      try {
        await withFile(name, 'pragma secure_delete = on; pragma journal_mode = delete', (rows) =>
          rows.transaction().execute(work),
        )
        return true
      } catch (error) {
        const explained = explainFileError(error, name)
        if (explained instanceof StoreError && explained.kind === 'unusable') return false
        throw explained
      }
    },
  }
}

function createSchemaStorage({ kind, rows, withExclusiveLock }: Database): RetiredStorage {
  return {
    async names() {
      if (kind === 'sqlite') return []
      const { rows: found } = await sql<{ name: string }>`
        select nspname::text as name from pg_namespace where starts_with(nspname, ${RETIRED_SCHEMA})
        order by nspname`.execute(rows)
      return found.map(({ name }) => name)
    },
    async remove(name) {
      await sql`drop schema ${sql.id(name)} cascade`.execute(rows)
    },
    async withDatabase(name, work) {
      await withExclusiveLock(async (transaction) => {
        await sql`set local search_path to ${sql.id(name)}`.execute(transaction)
        await work(transaction)
      })
      return true
    },
  }
}
