import { chmod, copyFile, link, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Kysely, sql } from 'kysely'
import type { Database } from './database/database.ts'
import type { Table } from './database/declared-table.ts'
import { describeWriteError, syncFolder } from './database/disk.ts'
import { errorCode, StoreError } from './database/errors.ts'
import { type Schema, updateRows } from './database/schema.ts'
import { explainFileError } from './database/sqlite.ts'
import { withFile } from './database/sqlite-dialect.ts'
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
/** Set in a backup of SQLite, until it's opened as a database. */
const IS_BACKUP = ownSetting<true>('store.backup')
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
    await rm(draft, { force: true })
    {
      using raw = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
      raw.prepare('vacuum into ?').run(draft)
    }
    {
      using copy = new DatabaseSync(draft)
      copy.exec('pragma journal_mode = delete')
      const mark = copy.prepare('insert or replace into setting (workspace_id, key, value) values (?, ?, ?)')
      mark.run(WHOLE_STORE, IS_BACKUP.key, 'true')
    }
    return await putInPlace(draft, path)
  } catch (error) {
    throw explain(error, path, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Puts a backup in the place of a SQLite database, which must not exist. Opening it notices that it was a backup. */
export async function restoreBackup(path: string, file: string): Promise<void> {
  const draft = `${file}.restoring`
  try {
    await rm(draft, { force: true })
    await copyFile(path, draft)
    await withFile(draft, 'pragma journal_mode = delete', async (rows) => {
      const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(rows)
      if (check.rows[0]?.integrity_check !== 'ok')
        throw new StoreError('unusable', `The backup ${path} is damaged. Use another one.`)
    })
    await putInPlace(draft, file)
  } catch (error) {
    throw explain(error, file, path)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Recognizes a restored database, however it came to its place: a backup of SQLite has a mark, and a PostgreSQL database that was
 * filled from a dump has another identity now. What was in progress isn't continued, because it may have finished since.
 */
export async function recognizeRestore(
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  transaction: Kysely<Schema>,
  settings: Pick<Settings, 'getInTransaction' | 'setInTransaction'>,
  now: Date,
): Promise<void> {
  if (kind === 'sqlite') {
    if ((await settings.getInTransaction(transaction, WHOLE_STORE, IS_BACKUP)) === undefined) return
    await forgetProgress(transaction, model.tables, now)
    await transaction.deleteFrom('setting').where('key', '=', IS_BACKUP.key).execute()
    return
  }
  const { rows } = await sql<{ id: string }>`
    select c.system_identifier || '/' || d.oid as "id"
    from pg_control_system() c, pg_database d where d.datname = current_database()`.execute(transaction)
  const [{ id } = { id: '' }] = rows
  const before = await settings.getInTransaction(transaction, WHOLE_STORE, IDENTITY)
  if (before === id) return
  if (before !== undefined) await forgetProgress(transaction, model.tables, now)
  await settings.setInTransaction(transaction, WHOLE_STORE, IDENTITY, id)
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
        select w.id || '.1', w.id, 1, 'restored', 'begun', w.made_at from work w
        where w.kind = ${restored.kind} and w.state = 'waiting'
          and not exists (select 1 from work_step s where s.work_id = w.id)
          and exists (select 1 from ${sql.table(name)} o where o.id = w.key and o.state = ${restored.state})`.execute(
        rows,
      )
}

/** Gives a complete file its final name, which must be free. Returns its size. */
async function putInPlace(draft: string, path: string): Promise<number> {
  await chmod(draft, 0o600)
  {
    await using file = await open(draft, 'r+')
    await file.sync()
  }
  await link(draft, path)
  syncFolder(dirname(path))
  return (await stat(path)).size
}

function explain(error: unknown, written: string, read: string): unknown {
  if (error instanceof StoreError) return error
  // Node's errors for files name a system call, and SQLite's don't.
  if (error instanceof Error && 'syscall' in error && errorCode(error) !== 'ENOENT')
    return new StoreError('bad-value', `${written} ${describeWriteError(error)}.`, { cause: error })
  return explainFileError(error, read)
}
