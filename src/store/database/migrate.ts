import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import { StoreError } from './errors.ts'
import { up as firstRows } from './migrations/001-first-rows.ts'
import { up as tenancy } from './migrations/002-tenancy.ts'
import { up as audit } from './migrations/003-audit.ts'
import { up as jobs } from './migrations/004-jobs.ts'
import { up as certOrders } from './migrations/005-cert-orders.ts'
import { up as longTables } from './migrations/006-long-tables.ts'
import { up as reads } from './migrations/007-reads.ts'
import { up as work } from './migrations/008-work.ts'
import { up as workByTime } from './migrations/009-work-by-time.ts'
import { up as watching } from './migrations/010-watching.ts'
import { up as orderMoves } from './migrations/011-order-moves.ts'
import { up as processes } from './migrations/012-processes.ts'
import { up as auditErasure } from './migrations/013-audit-erasure.ts'
import { up as threatMemory } from './migrations/014-threat-memory.ts'
import { up as orderKeys } from './migrations/015-order-keys.ts'
import { up as grantsWithAnEnd } from './migrations/016-grants-with-an-end.ts'
import { up as threatVersions } from './migrations/017-threat-versions.ts'
import { up as threatCases } from './migrations/018-threat-cases.ts'
import { up as wordOfWorkspaces } from './migrations/019-word-of-workspaces.ts'
import { up as workCauses } from './migrations/020-work-causes.ts'
import { up as workspaceKeys } from './migrations/021-workspace-keys.ts'
import { up as watchAttempts } from './migrations/022-watch-attempts.ts'
import { up as watchStates } from './migrations/023-watch-states.ts'
import { up as takedownWatches } from './migrations/024-takedown-watches.ts'
import { up as droppedKeys } from './migrations/025-dropped-keys.ts'
import { up as postAttempts } from './migrations/026-post-attempts.ts'
import { up as threatCards } from './migrations/027-threat-cards.ts'
import type { Schema } from './schema.ts'
import { updateStateGuards } from './state-guards.ts'

interface Migration {
  readonly name: string
  readonly up: (db: Kysely<unknown>) => Promise<void>
}

/** In the order they run. A migration that has been released is never edited: a change is a new one. */
const MIGRATIONS: readonly Migration[] = [
  { name: '001-first-rows', up: firstRows },
  { name: '002-tenancy', up: tenancy },
  { name: '003-audit', up: audit },
  { name: '004-jobs', up: jobs },
  { name: '005-cert-orders', up: certOrders },
  { name: '006-long-tables', up: longTables },
  { name: '007-reads', up: reads },
  { name: '008-work', up: work },
  { name: '009-work-by-time', up: workByTime },
  { name: '010-watching', up: watching },
  { name: '011-order-moves', up: orderMoves },
  { name: '012-processes', up: processes },
  { name: '013-audit-erasure', up: auditErasure },
  { name: '014-threat-memory', up: threatMemory },
  { name: '015-order-keys', up: orderKeys },
  { name: '016-grants-with-an-end', up: grantsWithAnEnd },
  { name: '017-threat-versions', up: threatVersions },
  { name: '018-threat-cases', up: threatCases },
  { name: '019-word-of-workspaces', up: wordOfWorkspaces },
  { name: '020-work-causes', up: workCauses },
  { name: '021-workspace-keys', up: workspaceKeys },
  { name: '022-watch-attempts', up: watchAttempts },
  { name: '023-watch-states', up: watchStates },
  { name: '024-takedown-watches', up: takedownWatches },
  { name: '025-dropped-keys', up: droppedKeys },
  { name: '026-post-attempts', up: postAttempts },
  { name: '027-threat-cards', up: threatCards },
]

/**
 * A change of a table waits for its readers, and every other statement waits behind the change. The limit is well below the time
 * in which a replica of the version before has to write an act down.
 */
export const LOCK_WITHIN_MS = 1000

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(({ name }) => name)

/**
 * Brings the tables up to date in the caller's transaction, which must already shut other processes out. With `only` (the migrations
 * that a backup had), only so far. Throws StoreError `newer` when a newer program has changed the tables.
 */
export async function migrate(
  transaction: Transaction<Schema>,
  now: Date,
  only?: readonly string[],
): Promise<void> {
  await transaction.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'text', (column) => column.notNull())
    .execute()
  const rows = await transaction.selectFrom('migration').select('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  refuseUnknown(new Set([...applied, ...(only ?? [])]))
  const isPostgres = transaction.getExecutor().adapter instanceof PostgresAdapter
  if (isPostgres) await sql`set local lock_timeout = ${sql.lit(LOCK_WITHIN_MS)}`.execute(transaction)
  for (const { name, up } of MIGRATIONS) {
    if (applied.has(name) || (only && !only.includes(name))) continue
    // A migration must not use today's row types: they change after it is written.
    await up(transaction as unknown as Kysely<unknown>)
    await transaction.insertInto('migration').values({ name, applied_at: now.toISOString() }).execute()
  }
  if (only === undefined) await updateStateGuards(transaction)
  if (isPostgres) await sql`set local lock_timeout = default`.execute(transaction)
}

function refuseUnknown(applied: ReadonlySet<string>): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !known.has(name)).sort()
  if (unknown.length === 0) return
  throw new StoreError(
    'newer',
    `The database was written by a newer Signalman (it has ${unknown.join(', ')}). Run that version, or restore a backup made before the upgrade.`,
  )
}
