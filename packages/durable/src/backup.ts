import { existsSync } from 'node:fs'
import { chmod, copyFile, open, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import { createDatabaseTime } from './database/clock.ts'
import type { Database } from './database/database.ts'
import type { Model, Table } from './database/declared-table.ts'
import { renameWithoutReplacing, syncFolder } from './database/disk.ts'
import { StoreError } from './database/errors.ts'
import { describeDatabaseError, describeFileFault, explainFileError } from './database/faults.ts'
import { listTables } from './database/make-tables.ts'
import { migrate } from './database/migrate.ts'
import { refuseWhileRunning } from './database/processes.ts'
import { type Schema, updateRows, upsertRow } from './database/schema.ts'
import { sqliteErrorCode, withFile } from './database/sqlite-dialect.ts'
import { findKeys, verifyKeys } from './secrets/keys-of-database.ts'
import { ownSetting, type Settings } from './settings.ts'

/** Present in a database that was restored from a backup. */
export interface Restored {
  readonly restoredAt: string
  /**
   * When someone confirmed that they checked the other systems for newer data. Until then, nothing is sent that may already have
   * been sent.
   */
  readonly confirmedAt?: string | undefined
}

/** The workspace ID of settings that apply to the whole database. */
export const WHOLE_STORE = ''
export const RESTORED = ownSetting<Restored>('store.restored')
/** Set in a backup of SQLite, and by `markRestored`, until it's opened as a database. */
const IS_RESTORED = ownSetting<true>('store.backup')
/** Which PostgreSQL database this is. A restored copy has another one. */
const IDENTITY = ownSetting<string>('store.identity')

/** True until someone has confirmed that they checked the other systems for newer data. */
export const isUnconfirmed = (restored: Restored | undefined): restored is Restored =>
  restored !== undefined && restored.confirmedAt === undefined

/** Allows requests again that may have been sent after the backup. False if there is nothing to confirm. */
export async function confirmRestore(settings: Settings, now: Date): Promise<boolean> {
  const restored = await settings.get(WHOLE_STORE, RESTORED)
  if (!isUnconfirmed(restored)) return false
  await settings.set(WHOLE_STORE, RESTORED, { ...restored, confirmedAt: now.toISOString() })
  return true
}

/** Writes a complete copy of a SQLite database as of now into a new file, while processes use it. Returns its size in bytes. */
export async function backUp(file: string, path: string): Promise<number> {
  const draft = `${path}.unfinished`
  try {
    requireFree(path, 'use another name')
    await removeDraft(draft)
    // Made here, so that nobody else can read it meanwhile, and so that an error names this file.
    await writeFile(draft, '', { mode: 0o600 })
    {
      using raw = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
      raw.prepare('vacuum into ?').run(draft)
    }
    await withFile(draft, 'pragma journal_mode = delete', markRows)
    return await putInPlace(draft, path)
  } catch (error) {
    throw explain(error, path, file)
  } finally {
    await removeDraft(draft)
  }
}

/**
 * Puts a backup in the place of a SQLite database, if it can be opened there with these keys. Neither that database nor SQLite's files
 * beside it may exist. Opening it notices that it was restored.
 */
export async function restoreBackup(
  path: string,
  file: string,
  { model, keys }: { model: Model; keys?: string | undefined },
): Promise<void> {
  const draft = `${file}.restoring`
  try {
    requireFree(file, 'stop every process, and move it elsewhere, with its -wal and -shm files')
    requireWhole(path)
    await removeDraft(draft)
    await copyFile(path, draft)
    await withFile(draft, 'pragma journal_mode = delete', async (rows) => {
      const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(rows)
      if (check.rows[0]?.integrity_check !== 'ok')
        throw new StoreError('unusable', `The backup ${path} is damaged. Use another one.`)
      if (!(await listTables(rows)).some(({ name }) => name === 'setting'))
        throw new StoreError('unusable', `${path} isn’t a backup of this program.`)
      // Also in a copy of a database that was made in another way than by `backUp`.
      await markRows(rows)
      await rows.transaction().execute(async (transaction) => {
        await migrate(transaction, model, new Date())
        const found = await findKeys({ kind: 'sqlite', file }, transaction, keys)
        await verifyKeys({ kind: 'sqlite', model }, transaction, found)
      })
    })
    await putInPlace(draft, file)
  } catch (error) {
    throw explain(error, file, path)
  } finally {
    await removeDraft(draft)
  }
}

/**
 * Marks a database that was restored in a way that can't be recognized, such as from a snapshot of its disk. The next opening treats it as
 * a restored backup. Throws StoreError while a process uses it.
 */
export async function markRestored({ kind, rows }: Pick<Database, 'kind' | 'rows'>): Promise<void> {
  await refuseWhileRunning(rows, createDatabaseTime(kind), 'Nothing was marked')
  await markRows(rows)
}

const markRows = (rows: Kysely<Schema>): Promise<void> =>
  upsertRow(rows, 'setting', ['workspace_id', 'key'], {
    workspace_id: WHOLE_STORE,
    key: IS_RESTORED.key,
    value: 'true',
  })

/**
 * Recognizes a restored database, however it came to its place: it has a mark, or it's a PostgreSQL database that was filled from a dump
 * and so has another identity now. What was in progress isn't continued, because it may have finished since.
 */
export async function recognizeRestore(
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  transaction: Kysely<Schema>,
  settings: Pick<Settings, 'get' | 'setInTransaction'>,
  now: Date,
): Promise<void> {
  let isRestored = (await settings.get(WHOLE_STORE, IS_RESTORED, transaction)) !== undefined
  if (kind === 'postgres') {
    const { rows } = await sql<{ id: string }>`
      select c.system_identifier || '/' || d.oid as "id"
      from pg_control_system() c, pg_database d where d.datname = current_database()`.execute(transaction)
    const [{ id } = { id: '' }] = rows
    const before = await settings.get(WHOLE_STORE, IDENTITY, transaction)
    if (before !== id) await settings.setInTransaction(transaction, WHOLE_STORE, IDENTITY, id)
    isRestored ||= before !== undefined && before !== id
  }
  if (!isRestored) return
  await forgetProgress(transaction, model.tables, now)
  await transaction.deleteFrom('setting').where('key', '=', IS_RESTORED.key).execute()
}

/**
 * Deletes unfinished acts and jobs, because they may have completed after the backup. Marks requests that were being sent (the
 * table's `restored` state) as begun long ago, so that their outcome becomes unknown. Nothing else is sent until someone confirms.
 */
async function forgetProgress(rows: Kysely<Schema>, tables: readonly Table[], now: Date): Promise<void> {
  const value = JSON.stringify({ restoredAt: now.toISOString() } satisfies Restored)
  await rows.deleteFrom('setting').where('key', '=', RESTORED.key).execute()
  await rows.insertInto('setting').values({ workspace_id: WHOLE_STORE, key: RESTORED.key, value }).execute()
  await rows.deleteFrom('work').where('person_id', 'is not', null).where('state', '<>', 'done').execute()
  await updateRows(rows, 'work', { state: 'running' }, { state: 'waiting', owner: null })
  for (const { name, restored } of tables)
    if (restored)
      await sql`
        insert into work_step (id, work_id, line, name, state, begun_at)
        select w.id || '.1', w.id, 1, ${restored.step}, 'begun', w.made_at from work w
        where w.kind = ${restored.kind} and w.state = 'waiting'
          and not exists (select 1 from work_step s where s.work_id = w.id)
          and exists (select 1 from ${sql.table(name)} o where o.id = w.key and o.state = ${restored.state})`.execute(
        rows,
      )
}

/** What SQLite keeps beside a database. It would add a left-over one to the next database at that path. */
const besideDatabase = (file: string): string[] => ['-wal', '-shm', '-journal'].map((end) => `${file}${end}`)

/** Throws StoreError if there is a database at this path, or a part of one. */
function requireFree(file: string, fix: string): void {
  if (existsSync(file))
    throw new StoreError('bad-value', `${file} already exists: ${fix}. Nothing was changed.`)
  const rest = besideDatabase(file).find((path) => existsSync(path))
  if (rest !== undefined)
    throw new StoreError(
      'bad-value',
      `${rest} belongs to the database that was at ${file}, and may hold its latest changes: move it to where that database is now. Nothing was changed.`,
    )
}

/** Throws StoreError unless this file is a whole database. */
function requireWhole(file: string): void {
  if (!existsSync(file)) throw new StoreError('bad-value', `There’s no file ${file}. Nothing was changed.`)
  const rest = besideDatabase(file).find((path) => existsSync(path))
  if (rest !== undefined)
    throw new StoreError(
      'unusable',
      `${file} isn’t a backup but a database in use: its latest changes are in ${rest}. Make a backup of it first. Nothing was changed.`,
    )
}

/** Also what a killed process left beside it: SQLite would add that to the next draft. */
async function removeDraft(draft: string): Promise<void> {
  for (const path of [draft, ...besideDatabase(draft)]) await rm(path, { force: true })
}

/** Gives a complete file its final name, which must be free. Returns its size. */
async function putInPlace(draft: string, path: string): Promise<number> {
  await chmod(draft, 0o600)
  {
    await using file = await open(draft, 'r+')
    await file.sync()
  }
  await renameWithoutReplacing(draft, path)
  syncFolder(dirname(path))
  return (await stat(path)).size
}

function explain(error: unknown, written: string, read: string): unknown {
  if (error instanceof StoreError) return error
  // Node's errors for files name a system call, and SQLite's don't. What is read isn't written to, so a full disk is about the other file.
  const fault = sqliteErrorCode(error) === 13 ? describeDatabaseError(error) : describeFileFault(error)
  if (fault === undefined) return explainFileError(error, read)
  return new StoreError('bad-value', `${written} ${fault}.`, { cause: error })
}
