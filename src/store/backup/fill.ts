import { type Kysely, sql, type Transaction } from 'kysely'
import { yieldWhenDue } from '../../turns.ts'
import { auditChains } from '../audit/chain.ts'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import type { Schema, WorkspaceKeyRow } from '../database/schema.ts'
import { type Cell, type StoredTable, tablesOf } from '../database/tables.ts'
import type { Keyring } from '../secrets/keys.ts'
import { workspaceKeysUsed } from '../secrets/needs-resealing.ts'
import { createSealer, openedOrWhyNot, type TextOpener } from '../secrets/seal.ts'
import { SEALED_COLUMNS } from '../secrets/sealed-columns.ts'
import { openWorkspaceKey } from '../secrets/workspace-key-rows.ts'
import { settingStore } from '../workspaces/settings.ts'
import { RESTORED, WHOLE_STORE } from './backup-settings.ts'
import type { BackupHeader } from './format.ts'
import { type KnownKeys, knownKeys } from './known-keys.ts'
import { WORKSPACE_KEYS } from './owners.ts'
import { type BackupPart, readBackup } from './read-backup.ts'
import { keyMissing } from './read-lines.ts'
import { takeOutForgotten } from './take-out-forgotten.ts'
import { refuseForged } from './verify-backup.ts'

/** The content for an empty database. */
export interface Filling {
  readonly path: string
  readonly header: BackupHeader
  readonly ring: Keyring
  /** The known keys of workspaces: first those that open the backup, then those of the former database. */
  readonly workspaceKeys: ReadonlyMap<string, WorkspaceKeyRow>
  readonly now: Date
}

/** What a restore has left out, or changed, because it may have been done after the backup. */
export interface LeftOut {
  /** Acts and jobs that were under way, and do not continue. */
  readonly underWay: number
  /** Orders that were being placed, whose outcome is unknown now. */
  readonly submitting: number
  /** Workspaces that were erased after the backup, and are not restored. */
  readonly erased: readonly string[]
  /** Rows whose content does not open, because their workspace was forgotten after the backup. */
  readonly forgotten: number
}

/**
 * Restores a backup into an empty database with the migrations of the backup; then brings the tables up to date, removes work that
 * must not be done twice, and sets the setting that stops orders. All in the caller's transaction, which must be rolled back when
 * this throws.
 */
export async function fill(
  database: Database,
  transaction: Transaction<Schema>,
  { path, header, ring, workspaceKeys, now }: Filling,
): Promise<LeftOut> {
  await migrate(transaction, now, header.migrations)
  const known = new Map((await tablesOf(transaction, database.kind)).map((table) => [table.name, table]))
  for (const { name } of header.tables.toReversed())
    if (name !== 'migration' && known.has(name))
      await sql`delete from ${sql.table(name)}`.execute(transaction)
  const root = createSealer(ring)
  const unread = createUnread(workspaceKeys)
  const keys = knownKeys(root, workspaceKeys)
  for await (const part of readBackup(path, keys)) {
    if ('end' in part) refuseForged(ring, part.end, path)
    if ('rows' in part && part.table.name !== 'migration') await insert(transaction, part.table, part.rows)
    if ('unread' in part) unread.add(part)
    await yieldWhenDue()
  }
  await migrate(transaction, now)
  await insertKeys(transaction, { workspaceKeys, now }, root)
  if (unread.chains() > 0) await auditChains(database, root).uncount(transaction, unread.chains())
  await refuseUnknownKeys(transaction, keys, path)
  const forgotten = (await takeOutForgotten(database, transaction, header.madeAt)) + unread.forgotten()
  const leftOut = { ...(await takeOutUnfinished(transaction)), erased: unread.erased(), forgotten }
  const inTurn: Database['inTurn'] = (_name, work) => work(transaction)
  const settings = settingStore({ rows: transaction, inTurn }, { changing: (_, write) => write })
  await settings.set(WHOLE_STORE, RESTORED, {
    backup: header.id,
    madeAt: header.madeAt,
    restoredAt: now.toISOString(),
  })
  return leftOut
}

/**
 * One key of each workspace and purpose seals. If the app served on a new database before the restore, there are two: the first one
 * goes on sealing, and the other still opens its texts. A key of that database whose encryption key is not here is left out: it
 * opens nothing, and would stop its workspace from sealing. A destroyed key stays destroyed.
 */
async function insertKeys(
  rows: Kysely<Schema>,
  { workspaceKeys, now }: Pick<Filling, 'workspaceKeys' | 'now'>,
  root: TextOpener,
): Promise<void> {
  const inUse = new Set<string>()
  for (const key of workspaceKeys.values()) {
    if ('unopened' in openedOrWhyNot(() => openWorkspaceKey(root, key))) continue
    const place = JSON.stringify([key.workspace_id, key.purpose])
    const retired_at = key.retired_at ?? (inUse.has(place) ? now.toISOString() : null)
    if (retired_at === null) inUse.add(place)
    await rows
      .insertInto(WORKSPACE_KEYS)
      .values({ ...key, retired_at })
      .execute()
  }
}

/** A key that is only missing does not count as destroyed: its rows would be deleted without need. */
async function refuseUnknownKeys(rows: Kysely<Schema>, keys: KnownKeys, path: string): Promise<void> {
  for (const column of SEALED_COLUMNS)
    for (const id of await workspaceKeysUsed({ rows }, column))
      if (keys.get(id) === undefined) throw keyMissing(path)
}

/** PostgreSQL takes 65,535 parameters in a statement, SQLite half of that. */
const MOST_PARAMETERS = 30_000

async function insert(
  rows: Kysely<Schema>,
  { name, columns }: StoredTable,
  given: readonly (readonly Cell[])[],
): Promise<void> {
  const most = Math.max(1, Math.floor(MOST_PARAMETERS / columns.length))
  for (let from = 0; from < given.length; from += most) {
    const values = given.slice(from, from + most).map((cells) => sql`(${sql.join(cells)})`)
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}`.execute(rows)
  }
}

/** The part of the backup that no key opens: whose rows, and how many chains of the audit log. */
function createUnread(keys: ReadonlyMap<string, WorkspaceKeyRow>) {
  const erased = new Set<string>()
  const content = new Map<string, number>()
  let chains = 0
  return {
    add({ table, key, unread }: Extract<BackupPart, { unread: number }>): void {
      const { workspace_id: owner = '', purpose } = keys.get(key) ?? {}
      if (purpose === 'content') content.set(owner, (content.get(owner) ?? 0) + unread)
      else erased.add(owner)
      if (table.name === 'audit_chain') chains += unread
    },
    erased: (): string[] => [...erased].sort(),
    /** Rows with content of workspaces that were not erased. */
    forgotten: (): number =>
      [...content].reduce((sum, [owner, many]) => (erased.has(owner) ? sum : sum + many), 0),
    chains: (): number => chains,
  }
}

/**
 * Deletes acts and jobs that were not over: they may have been done after the backup. Records the POST of an order that was being
 * placed as begun long ago, so that its outcome becomes unknown.
 */
async function takeOutUnfinished(rows: Kysely<Schema>): Promise<Pick<LeftOut, 'underWay' | 'submitting'>> {
  const { numDeletedRows } = await rows
    .deleteFrom('work')
    .where('person_id', 'is not', null)
    .where('state', '<>', 'done')
    .executeTakeFirstOrThrow()
  await rows
    .updateTable('work')
    .set({ state: 'waiting', owner: null, held_until: null })
    .where('state', '=', 'running')
    .execute()
  const begun = await sql`
    insert into work_step (id, work_id, line, name, state, begun_at)
    select w.id || '.1', w.id, 1, 'restored', 'begun', w.made_at from work w
    where w.kind = 'order.submit' and w.state = 'waiting'
      and not exists (select 1 from work_step s where s.work_id = w.id)
      and exists (select 1 from cert_order o where o.id = w.key and o.state = 'submitting')`.execute(rows)
  return { underWay: Number(numDeletedRows), submitting: Number(begun.numAffectedRows ?? 0n) }
}
