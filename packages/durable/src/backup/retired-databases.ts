import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '@signalman/runtime'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { Schema } from '../database/schema.ts'
import { explain } from '../database/sqlite.ts'
import { withFile } from '../database/sqlite-dialect.ts'
import { databasePath, namesAt, RETIRED, removeDatabase } from '../database/sqlite-place.ts'
import { eraseFrom, holdsWorkspace } from './owners.ts'

/** By then, anyone who misses data after a restore has noticed. */
const KEPT_MS = 30 * DAY_MS
/** The PostgreSQL schemas of replaced databases. */
export const RETIRED_SCHEMA = 'before_restore_'
/** The time, and the beginning of the store's id, as `stampOf` writes them. */
const STAMP = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z[-_]([0-9a-f]{8})$/i

/** A database that a restore has replaced. */
interface RetiredDatabase {
  /** A file, or a schema of PostgreSQL. */
  readonly name: string
  /** From then on the next sweep deletes it. Undefined for one that somebody has named otherwise. */
  readonly keptUntil: Date | undefined
}

export type RetiredDatabases = ReturnType<typeof retiredDatabaseStore>

/**
 * Databases that a restore of this one has replaced. `journal` is the folder of the outcome journals, with one folder for each database.
 */
export function retiredDatabaseStore(database: Database, journal: string | undefined) {
  const kept = database.file === undefined ? inSchemas(database) : inFiles(databasePath(database.file))
  const list = async (): Promise<RetiredDatabase[]> =>
    (await kept.names()).map((name) => ({ name, keptUntil: keptUntil(name) }))

  async function remove(name: string): Promise<void> {
    await kept.remove(name)
    const store = STAMP.exec(name)?.[7]
    if (journal === undefined || store === undefined) return
    const own = (await readdir(journal).catch(() => [])).filter((folder) => folder.startsWith(store))
    for (const folder of own) await rm(join(journal, folder), { recursive: true, force: true })
  }

  return {
    list,
    /** Deletes those whose time is over, with their outcome journals. */
    async sweep(now: Date): Promise<void> {
      for (const { name, keptUntil } of await list()) if (keptUntil && keptUntil <= now) await remove(name)
    },
    /** Whether any readable one contains rows of the workspace. */
    async hold(workspaceId: string): Promise<boolean> {
      let hasLease = false
      for (const name of await kept.names())
        await kept.within(name, async (rows) => {
          hasLease ||= await holdsWorkspace(rows, database, workspaceId)
        })
      return hasLease
    },
    /**
     * Deletes a workspace and its keys from all of them; an unreadable one is deleted as a whole. Returns their names, and whether
     * they still exist.
     */
    async erase(workspaceId: string, now: Date): Promise<{ name: string; isKept: boolean }[]> {
      const erased: { name: string; isKept: boolean }[] = []
      for (const name of await kept.names()) {
        const isKept = await kept.within(name, (rows) =>
          eraseFrom(rows, database, workspaceId, now.toISOString()),
        )
        if (!isKept) await remove(name)
        erased.push({ name, isKept })
      }
      return erased
    },
  }
}

/** Undefined for a name that no restore has given. */
export function keptUntil(name: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = STAMP.exec(name) ?? []
  if (year === undefined) return undefined
  return new Date(Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) + KEPT_MS)
}

/** Where replaced databases are kept: files or schemas. */
interface Kept {
  names(): Promise<string[]>
  remove(name: string): Promise<void>
  /** False for one that cannot be read. */
  within(name: string, work: (rows: Kysely<Schema>) => Promise<unknown>): Promise<boolean>
}

function inFiles(file: string): Kept {
  return {
    names: async () => [
      ...new Set(namesAt(file, RETIRED).map((name) => name.replace(/-(wal|shm|journal)$|\.lock$/, ''))),
    ],
    remove: async (name) => removeDatabase(name),
    async within(name, work) {
      // No program opens logs without their file.
      if (!existsSync(name)) return false
      try {
        await withFile(name, 'pragma secure_delete = on; pragma journal_mode = delete', (rows) =>
          rows.transaction().execute(work),
        )
        return true
      } catch (error) {
        const explained = explain(error, name)
        if (explained instanceof StoreError && explained.kind === 'unusable') return false
        throw explained
      }
    },
  }
}

function inSchemas({ kind, rows, exclusively }: Database): Kept {
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
    async within(name, work) {
      await exclusively(async (transaction) => {
        await sql`set local search_path to ${sql.id(name)}`.execute(transaction)
        await work(transaction)
      })
      return true
    },
  }
}
