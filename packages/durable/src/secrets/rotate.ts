import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { HOUR_MS } from '@signalman/runtime'
import { type Kysely, sql, type Transaction } from 'kysely'
import { createDatabaseTime, type DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type SealedColumn, sealedColumns, type Table } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import { listProcessesWithoutKey } from '../database/processes.ts'
import { deleteRows, type Schema, updateRows } from '../database/schema.ts'
import { keyFilePath } from './key-check.ts'
import { changeKeyFile, formerKeysFile, retireKeys } from './key-file.ts'
import { type Keyring, makeKeyText } from './keys.ts'
import { openVerified, type StoreOptions } from './open-verified.ts'
import { journalFolder, outcomesFolder, resealOutcomes } from './outcome-files.ts'
import { isSealedBy, makeKeysFor, needsResealing, type Reseal, resealColumn } from './reseal-column.ts'
import { createSealer } from './seal.ts'
import { listUsedWorkspaceKeys } from './used-keys.ts'
import { createWorkspaceKeys } from './workspace-keys.ts'

export interface RotateOptions extends StoreOptions {
  /**
   * What to do with the key file beside a SQLite database: `new` first adds a new key at the front, unless an earlier rotation
   * hasn't finished. `drop-old` moves unused keys to a second file at the end.
   */
  readonly keyFile?: 'new' | 'drop-old' | undefined
  /**
   * What to do with the workspace keys: `new` replaces each of them (after a kill, call again without it). `drop-old` destroys
   * those that were replaced at least an hour ago. Backups that need them can't be opened after that.
   */
  readonly workspaceKeys?: 'new' | 'drop-old' | undefined
  /** Rows per transaction. */
  readonly batchSize?: number
  /** Called after each batch with the number of rows re-sealed so far. */
  readonly onProgress?: (resealed: number) => void
  /** Called before waiting, with the processes that don't seal with the new key yet. */
  readonly onWaiting?: (processes: readonly string[]) => void
  /** The longest wait. A dead process counts as running for 30 s. */
  readonly maxWaitMs?: number
}

/** The result of a rotation. */
export interface Rotation {
  /** The ID of the key that now seals everything. */
  readonly keyId: string
  readonly resealed: number
  /** The IDs of keys that nothing is sealed with anymore. */
  readonly unusedKeys: readonly string[]
  /** Tables with rows that no key opens, and how many. These rows stay unchanged, and their keys are kept. */
  readonly undecryptable: readonly { readonly table: string; readonly rows: number }[]
  /** The number of workspace keys destroyed. */
  readonly destroyed: number
  /** With `drop-old`, the file that unused keys were moved to. Older backups need it. */
  readonly formerKeys: string | undefined
}

const BATCH_SIZE = 200
const MAX_PASSES = 20
/** How long to wait for another transaction's row lock when nothing else is left to do. */
const PAUSE_MS = 100
/** Longer than a dead process counts as running. */
const MAX_WAIT_MS = 45_000
const CHECK_INTERVAL_MS = 500

/**
 * Re-seals everything in the database, and the outcome files on this machine, with the primary key or with the workspace keys
 * that it seals, while other processes keep running. Then deletes the check values of unused keys. After a kill at any point, the
 * same call finishes the rotation. It first waits until every running process seals with the new key: processes that use a key
 * file pick it up themselves, others must be restarted with it. Throws StoreError like `openVerified`, `bad-keys` if there is no
 * key file, and `wrong-key` if another process keeps sealing with a former key.
 */
export async function rotateKeys(options: RotateOptions): Promise<Rotation> {
  const { keyFile, batchSize = BATCH_SIZE, onProgress = () => undefined, now = () => new Date() } = options
  if (keyFile !== undefined) refuseWithoutFile(options)
  const { database, keys } = await openVerified(options, keyFile === 'new' ? addKey : undefined)
  await using _closing = database
  const ring = keys.ring()
  const keyId = ring.primary.id
  await waitForProcesses(database.rows, keyId, options, createDatabaseTime(database.kind, options.clock))
  const root = createSealer(ring)
  const workspaceKeys = createWorkspaceKeys(database, root, { now })
  const reseal = { database, root, workspaceKeys, keyId, batchSize }
  if (options.workspaceKeys === 'new') await retireWorkspaceKeys(reseal, now())
  let resealed = 0
  const undecryptable = await repeatPasses(reseal, (more) => {
    resealed += more
    onProgress(resealed)
  })
  const folder = await outcomesFolder(database.rows, options.journal ?? journalFolder(database))
  const outcomes = folder
    ? await resealOutcomes(folder, root, keyId)
    : { resealed: 0, neededKeys: new Set<string>(), undecryptable: 0 }
  resealed += outcomes.resealed
  const unusedKeys = await database.withExclusiveLock((transaction) =>
    deleteUnusedChecks(transaction, database.model.tables, { keyId, ring, needed: outcomes.neededKeys }),
  )
  if (keyFile === 'drop-old') await dropKeys(database, unusedKeys)
  const formerKeysPath = keyFile === 'drop-old' && database.file && formerKeysFile(keyFilePath(database.file))
  const formerKeys = formerKeysPath && existsSync(formerKeysPath) ? formerKeysPath : undefined
  const destroyed = options.workspaceKeys === 'drop-old' ? await destroyUnusedKeys(database, now()) : 0
  const undecryptableFiles =
    outcomes.undecryptable > 0 ? [{ table: 'outcome journal', rows: outcomes.undecryptable }] : []
  return {
    keyId,
    resealed,
    unusedKeys,
    undecryptable: [...undecryptable, ...undecryptableFiles],
    destroyed,
    formerKeys,
  }
}

function refuseWithoutFile({ url, keys }: RotateOptions): void {
  const isFile = /^sqlite:/i.test(url.trim()) && !url.includes(':memory:')
  if (isFile && (keys === undefined || keys.trim() === '')) return
  throw new StoreError(
    'bad-keys',
    'A new key can’t be added, because the keys aren’t in the key file next to the database. To rotate them, add the new key (id:base64key) as the last entry and restart every process. Then make it the first entry, restart every process, and rotate again without adding a key. Remove the old entry at the end.',
  )
}

/** Waits for other processes, because nothing could open what they seal with a removed key. */
async function waitForProcesses(
  rows: Kysely<Schema>,
  keyId: string,
  { onWaiting, maxWaitMs = MAX_WAIT_MS }: RotateOptions,
  time: DatabaseTime,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += CHECK_INTERVAL_MS) {
    const others = await listProcessesWithoutKey(rows, time, keyId)
    if (others.length === 0) return
    if (waitedMs >= maxWaitMs)
      throw new StoreError(
        'wrong-key',
        `Nothing was re-encrypted, because these processes don’t encrypt with the key "${keyId}" yet: ${others.join('; ')}. Restart them with it as the first key, then rotate again.`,
      )
    if (waitedMs === 0) onWaiting?.(others)
    await setTimeout(CHECK_INTERVAL_MS)
  }
}

/**
 * Adds a new key at the front of the key file, unless an earlier rotation is unfinished. Otherwise, each retry after a kill would add
 * another key.
 */
async function addKey(database: Database, transaction: Transaction<Schema>, ring: Keyring): Promise<void> {
  if (database.file === undefined) return
  const checks = await transaction.selectFrom('key_check').select('key_id').execute()
  if (checks.some(({ key_id }) => key_id !== ring.primary.id)) return
  await changeKeyFile(keyFilePath(database.file), (entries) => [makeKeyText(), ...entries])
}

/** Repeats passes until nothing is left. The next pass finds rows that were locked, or sealed with a former key meanwhile. */
async function repeatPasses(
  reseal: Reseal,
  onResealed: (more: number) => void,
): Promise<Rotation['undecryptable']> {
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    let isDone = true
    const undecryptable: { table: string; rows: number }[] = []
    for (const column of sealedColumns(reseal.database.model.tables)) {
      await makeKeysFor(reseal, column)
      const result = await resealColumn(reseal, column, onResealed)
      if (result.undecryptable > 0) undecryptable.push({ table: column.table, rows: result.undecryptable })
      // The pass doesn't count rows that were locked, so count again.
      const remaining = await countRemaining(reseal, column)
      isDone &&= result.resealed + result.changedMeanwhile === 0 && remaining === result.undecryptable
    }
    if (isDone) return undecryptable
    if (pass > 1) await setTimeout(PAUSE_MS)
  }
  throw new StoreError(
    'wrong-key',
    `Another process keeps encrypting with a former key. Restart every process with "${reseal.keyId}" as the first key, then rotate again.`,
  )
}

async function countRemaining(reseal: Reseal, column: SealedColumn): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select cast(count(*) as integer) as "left" from ${sql.table(column.table)}
    where ${needsResealing(column, reseal)}`.execute(reseal.database.rows)
  return rows[0]?.left ?? 0
}

/** Deletes the check values of unused keys, and returns all keys in the ring that can be removed. */
async function deleteUnusedChecks(
  rows: Kysely<Schema>,
  tables: readonly Table[],
  { keyId, ring, needed }: { keyId: string; ring: Keyring; needed: ReadonlySet<string> },
): Promise<string[]> {
  const checks = await rows.selectFrom('key_check').select('key_id').execute()
  const ids = new Set([...checks.map(({ key_id }) => key_id), ...ring.byId.keys()])
  const unusedKeys: string[] = []
  for (const id of ids) {
    if (id === keyId || needed.has(id) || (await isUsed(rows, tables, id))) continue
    await deleteRows(rows, 'key_check', { key_id: id })
    unusedKeys.push(id)
  }
  return unusedKeys
}

async function isUsed(rows: Kysely<Schema>, tables: readonly Table[], keyId: string): Promise<boolean> {
  for (const { table, column } of sealedColumns(tables)) {
    const found = await sql`
      select 1 from ${sql.table(table)} where ${isSealedBy(column, keyId)} limit 1`.execute(rows)
    if (found.rows.length > 0) return true
  }
  return false
}

/**
 * Removes unused keys from the key file. Runs only once the deletion of their check values is on disk: if a crash brought the
 * values back, they would demand keys that are gone. A key that is in use again by then stays.
 */
async function dropKeys({ file, withExclusiveLock }: Database, unusedKeys: readonly string[]): Promise<void> {
  if (file === undefined || unusedKeys.length === 0) return
  await withExclusiveLock(async (transaction) => {
    const checks = await transaction.selectFrom('key_check').select('key_id').execute()
    const needed = new Set(checks.map(({ key_id }) => key_id))
    await retireKeys(
      keyFilePath(file),
      unusedKeys.filter((id) => !needed.has(id)),
    )
  })
}

/** How long a key must be retired before it's destroyed. By then, no process still uses a text that it sealed. */
const MIN_RETIRED_MS = HOUR_MS

/** Retires all workspace keys, so that the next sealing creates new ones for rows and for backups. */
async function retireWorkspaceKeys({ database }: Reseal, now: Date): Promise<void> {
  const retired_at = now.toISOString()
  await updateRows(database.rows, 'workspace_key', { retired_at: null }, { retired_at })
}

/**
 * Destroys keys that were replaced long enough ago and no longer seal anything here. Returns how many. The rows of destroyed keys
 * stay, so that no restore brings the keys back. They record that the key was replaced, because a restore would otherwise treat
 * its texts as those of a forgotten workspace.
 */
async function destroyUnusedKeys(database: Database, now: Date): Promise<number> {
  const used = await listUsedWorkspaceKeys(database.reading, sealedColumns(database.model.tables))
  const retired = await database.rows
    .selectFrom('workspace_key')
    .select('id')
    .where('retired_at', '<=', new Date(now.getTime() - MIN_RETIRED_MS).toISOString())
    .where('sealed_key', 'is not', null)
    .execute()
  const unused = retired.filter(({ id }) => !used.has(id))
  const destroyed = { sealed_key: null, dropped_at: now.toISOString() }
  for (const { id } of unused) await updateRows(database.rows, 'workspace_key', { id }, destroyed)
  return unused.length
}
