import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { type Audit, createAudit, describeFault } from '../audit/audit.ts'
import { createDatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type Model, sealedColumns, type Table } from '../database/declared-table.ts'
import { migrate } from '../database/migrate.ts'
import { type Rows, type Schema, updateRows, type WorkspaceKeyRow } from '../database/schema.ts'
import { type Cell, listTables, type StoredTable } from '../database/stored-tables.ts'
import { fixedKeys, type Keyring } from '../secrets/keys.ts'
import { createRowProofs, describeForgedRows } from '../secrets/row-proofs.ts'
import { createSealer, type Sealer } from '../secrets/seal.ts'
import { listUsedWorkspaceKeys } from '../secrets/used-keys.ts'
import { resealKey } from '../secrets/workspace-keys.ts'
import { createSettings } from '../settings.ts'
import { RESTORED, STORE_ID, WHOLE_STORE } from './backup-settings.ts'
import type { BackupHeader } from './format.ts'
import type { FormerDatabase } from './former-database.ts'
import { type BackupKeys, createBackupKeys, mergeKeys } from './keys-file.ts'
import { type BackupPart, missingKeyError, readBackup, requireValidSeal } from './read-backup.ts'
import { recordRestore } from './record-restore.ts'
import { WORKSPACE_KEYS } from './row-owners.ts'

/** The backup to restore into an empty database. */
export interface FillOptions {
  readonly model: Model
  readonly path: string
  readonly header: BackupHeader
  readonly ring: Keyring
  /** The workspace keys that open the backup. */
  readonly workspaceKeys: readonly WorkspaceKeyRow[]
  readonly now: Date
}

/** What a restore left out or changed because it may have happened after the backup. */
export interface Omissions {
  /** The number of acts and jobs that were running. They don't resume. */
  readonly unfinishedWork: number
  /** The number of requests that were being sent when the backup was made. Their outcome is now unknown. */
  readonly requestsInFlight: number
  /** Workspaces that were erased after the backup. They aren't restored. */
  readonly erased: readonly string[]
  /**
   * The number of content rows that can't be decrypted, because their workspace was forgotten after the backup: its key was destroyed,
   * but its settings, roles, and audit log were kept.
   */
  readonly forgotten: number
  /** Findings of the audit log verification. The backup itself is intact, so the log was already like this when it was made. */
  readonly faults: readonly string[]
}

/**
 * Restores a backup into an empty database. Runs the backup's migrations, inserts the rows, runs the remaining migrations,
 * removes work that must not run twice, gives the database a new ID, records the restore, and verifies the audit log. Runs in the
 * caller's transaction, which must be rolled back when this throws.
 */
export async function fillDatabase(
  database: Database,
  transaction: Transaction<Schema>,
  { path, header, ring, now, ...fillInput }: FillOptions,
  former: FormerDatabase | undefined,
): Promise<Omissions> {
  const workspaceKeys = mergeKeys(fillInput.workspaceKeys, former?.keys ?? [])
  await migrate(transaction, database.model, now, header.migrations)
  const existingTables = new Map(
    (await listTables(transaction, database.kind)).map((table) => [table.name, table]),
  )
  for (const { name } of header.tables.toReversed())
    if (name !== 'migration' && existingTables.has(name))
      await sql`delete from ${sql.table(name)}`.execute(transaction)
  const root = createSealer(ring)
  const unreadable = trackUnreadable(workspaceKeys)
  const keys = createBackupKeys(root, workspaceKeys)
  for await (const part of readBackup(path, keys)) {
    if ('end' in part) requireValidSeal(ring, part.end, path)
    if ('rows' in part && part.table.name !== 'migration') await insert(transaction, part.table, part.rows)
    if ('unreadCount' in part) unreadable.add(part)
  }
  await migrate(transaction, database.model, now)
  await insertKeys(transaction, workspaceKeys, root, now)
  await refuseUnknownKeys(transaction, database.model.tables, keys, path)
  const forgottenCount = (await deleteForgotten(database, transaction)) + unreadable.forgotten()
  const omissions = {
    ...(await deleteUnfinished(transaction, database.model.tables)),
    erased: unreadable.erased(),
    forgotten: forgottenCount,
  }
  const ownDatabase = withinTransaction(database, transaction)
  const audit = createAudit(ownDatabase, {
    sealer: root,
    keys: fixedKeys(ring),
    time: createDatabaseTime(database.kind),
  })
  const faults = await listFaults(ownDatabase, audit, root, new Set(unreadable.chains()))
  await recordRestore(transaction, audit.chains, unreadable.chains(), { header, now })
  await assignNewId(ownDatabase, { audit, root }, { header, now })
  return { ...omissions, faults }
}

/** The database as seen from inside the restore's transaction. */
const withinTransaction = (database: Database, rows: Transaction<Schema>): Database => ({
  ...database,
  rows,
  reading: rows,
  snapshot: (work) => work(rows),
  withLock: (_name, work) => work(rows),
  takeLock: async () => undefined,
})

/** Gives the database a new ID, because outcome files on this machine may belong to the original. The lineage stays the same. */
async function assignNewId(
  database: Database,
  { audit, root }: { audit: Audit; root: Sealer },
  { header, now }: Pick<FillOptions, 'header' | 'now'>,
): Promise<void> {
  const proofs = createRowProofs(database.model.tables, root)
  const settings = createSettings(database, { invalidateAfter: (_, write) => write }, proofs, audit)
  await settings.set(WHOLE_STORE, STORE_ID, randomUUID())
  await settings.set(WHOLE_STORE, RESTORED, {
    backup: header.id,
    madeAt: header.madeAt,
    restoredAt: now.toISOString(),
  })
}

/** Verifies the audit logs and row proofs. Skips workspaces that were erased since the backup, because their log is left out. */
async function listFaults(
  database: Database,
  audit: Audit,
  root: Sealer,
  erasedWorkspaces: ReadonlySet<string>,
): Promise<string[]> {
  const { faults, workspaces } = await audit.verifyAll()
  const found = [...faults]
  for (const [workspaceId, verdict] of workspaces) {
    if (erasedWorkspaces.has(workspaceId)) continue
    for (const fault of verdict.faults) found.push(`${workspaceId}: ${describeFault(fault)}.`)
  }
  for await (const forged of describeForgedRows(database.rows, database.model.tables, root))
    found.push(forged)
  return found
}

/**
 * Each workspace and purpose needs exactly one active key. If the app ran on a new database before the restore, there are two:
 * the backup's key stays active, and the other is retired and still opens its rows. A key from the replaced database whose
 * encryption key is missing here is dropped: it opens nothing, and would stop its workspace from sealing. Destroyed keys stay
 * destroyed. All others are sealed with the first encryption key, so that the database needs no key that the backup didn't list.
 */
async function insertKeys(
  rows: Rows,
  workspaceKeys: ReadonlyMap<string, WorkspaceKeyRow>,
  root: Sealer,
  now: Date,
): Promise<void> {
  const inUse = new Set<string>()
  for (const key of workspaceKeys.values()) {
    const current = resealKey(root, key)
    if (current === undefined) continue
    const slot = JSON.stringify([key.workspace_id, key.purpose])
    const retired_at = key.retired_at ?? (inUse.has(slot) ? now.toISOString() : null)
    if (retired_at === null) inUse.add(slot)
    await rows
      .insertInto(WORKSPACE_KEYS)
      .values({ ...current, retired_at })
      .execute()
  }
}

/** Throws if a key is missing. If it counted as destroyed instead, its rows would be deleted needlessly. */
async function refuseUnknownKeys(
  rows: Rows,
  tables: readonly Table[],
  keys: BackupKeys,
  path: string,
): Promise<void> {
  for (const id of await listUsedWorkspaceKeys(rows, sealedColumns(tables)))
    if (keys.get(id) === undefined) throw missingKeyError(path)
}

/** PostgreSQL accepts 65,535 parameters per statement, SQLite half of that. */
const MAX_PARAMETERS = 30_000

async function insert(
  rows: Rows,
  { name, columns }: StoredTable,
  rowsOfCells: readonly (readonly Cell[])[],
): Promise<void> {
  const maxRows = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length))
  for (let from = 0; from < rowsOfCells.length; from += maxRows) {
    const values = rowsOfCells.slice(from, from + maxRows).map((cells) => sql`(${sql.join(cells)})`)
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}`.execute(rows)
  }
}

/** Tracks the rows of the backup that no key opens: which workspaces they belong to, and which audit logs are among them. */
function trackUnreadable(keys: ReadonlyMap<string, WorkspaceKeyRow>) {
  const erased = new Set<string>()
  const content = new Map<string, number>()
  const chains = new Set<string>()
  return {
    add({ table, key, unreadCount }: Extract<BackupPart, { unreadCount: number }>): void {
      const { workspace_id: owner = '', purpose } = keys.get(key) ?? {}
      if (purpose === 'content') content.set(owner, (content.get(owner) ?? 0) + unreadCount)
      else erased.add(owner)
      if (table.name === 'audit_chain') chains.add(owner)
    },
    erased: (): string[] => [...erased].sort(),
    /** The number of content rows of workspaces that weren't erased. */
    forgotten: (): number =>
      [...content].reduce((sum, [owner, count]) => (erased.has(owner) ? sum : sum + count), 0),
    /** Workspaces whose audit log is left out. */
    chains: (): string[] => [...chains].sort(),
  }
}

/**
 * Deletes unfinished acts and jobs, because they may have completed after the backup. Marks requests that were being sent
 * (the table's `restored` state) as begun long ago, so that their outcome becomes unknown.
 */
async function deleteUnfinished(
  rows: Rows,
  tables: readonly Table[],
): Promise<Pick<Omissions, 'unfinishedWork' | 'requestsInFlight'>> {
  const { numDeletedRows } = await rows
    .deleteFrom('work')
    .where('person_id', 'is not', null)
    .where('state', '<>', 'done')
    .executeTakeFirstOrThrow()
  await updateRows(rows, 'work', { state: 'running' }, { state: 'waiting', owner: null })
  let requestsInFlight = 0
  for (const { name, restored } of tables) {
    if (!restored) continue
    const begun = await sql`
      insert into work_step (id, work_id, line, name, state, begun_at)
      select w.id || '.1', w.id, 1, 'restored', 'begun', w.made_at from work w
      where w.kind = ${restored.kind} and w.state = 'waiting'
        and not exists (select 1 from work_step s where s.work_id = w.id)
        and exists (select 1 from ${sql.table(name)} o where o.id = w.key and o.state = ${restored.state})`.execute(
      rows,
    )
    requestsInFlight += Number(begun.numAffectedRows ?? 0n)
  }
  return { unfinishedWork: Number(numDeletedRows), requestsInFlight }
}

/**
 * Deletes everything sealed with a key that was destroyed after the backup, and all work of those workspaces, because forgetting
 * the workspace deleted it too. Returns the number of content rows deleted.
 */
async function deleteForgotten(
  { kind, model: { tables } }: Pick<Database, 'kind' | 'model'>,
  rows: Rows,
): Promise<number> {
  let count = 0
  const workspaces = new Set<string>()
  for (const { table, column, owner } of sealedColumns(tables)) {
    if (owner === undefined) continue
    const isUnopenable = sealedWithMissingKey(column)
    const { rows: gone } = await sql<{ id: string }>`
      select distinct ${sql.raw(owner)} as "id" from ${sql.table(table)} where ${isUnopenable}`.execute(rows)
    for (const { id } of gone) workspaces.add(id)
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${isUnopenable}`.execute(rows)
    count += Number(numAffectedRows ?? 0n)
  }
  for (const table of (await listTables(rows, kind)).toReversed()) {
    const declared = tables.find(({ name }) => name === table.name)
    if (declared?.owner === undefined || declared.forgotten !== 'deleted') continue
    const { owner } = declared
    for (const workspaceId of workspaces)
      await sql`delete from ${sql.table(table.name)} where ${sql.raw(owner)} = ${workspaceId}`.execute(rows)
  }
  return count
}

const sealedWithMissingKey = (
  column: string,
): RawBuilder<boolean> => sql`(substr(${sql.ref(column)}, 1, 3) = 'v2.'
  and substr(${sql.ref(column)}, 4, 22) not in (select id from workspace_key where sealed_key is not null))`
