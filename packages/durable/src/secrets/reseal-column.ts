import { setImmediate } from 'node:timers/promises'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { SealedColumn } from '../database/declared-table.ts'
import type { Schema } from '../database/schema.ts'
import { sealIdentity } from './row-proofs.ts'
import { SealError, type Sealer, type TextOpener, type TextSealer } from './seal.ts'
import { sealedKeyId, sealPrefix } from './used-keys.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** The result of one pass over a column. */
interface Resealed {
  readonly resealed: number
  /** Rows that another process changed meanwhile. The next pass checks them again. */
  readonly changedMeanwhile: number
  /** Rows that no key in the ring opens. */
  readonly undecryptable: number
}

export interface Reseal {
  readonly database: Database
  /** Seals with the encryption keys themselves, not with a workspace's own key. */
  readonly root: Sealer
  readonly workspaceKeys: WorkspaceKeys
  /** Re-seal with this encryption key, or with the workspace keys that it seals. */
  readonly keyId: string
  /** Rows per transaction. */
  readonly batchSize: number
}

/**
 * Goes through a column once, in batches ordered by key, and re-seals texts sealed with other keys. A kill loses at most one
 * batch. A row that changes meanwhile keeps its new content. Reports the number of re-sealed rows after each batch.
 */
export async function resealColumn(
  reseal: Reseal,
  column: SealedColumn,
  onResealed: (more: number) => void,
): Promise<Resealed> {
  const counts = { resealed: 0, changedMeanwhile: 0, undecryptable: 0 }
  let last: StaleRow | undefined
  do {
    const [after, resealedBefore] = [last, counts.resealed]
    last = await reseal.database.rows
      .transaction()
      .execute((transaction) => resealBatch(transaction, reseal, column, { after, counts }))
    if (counts.resealed > resealedBefore) onResealed(counts.resealed - resealedBefore)
    await setImmediate()
  } while (last !== undefined)
  return counts
}

/** The row's cells, and in `owner` the workspace whose key seals it. */
type StaleRow = Readonly<Record<string, string>>

/** Returns the last row of a full batch, or undefined when there are no more rows. */
async function resealBatch(
  transaction: Transaction<Schema>,
  reseal: Reseal,
  column: SealedColumn,
  { after, counts }: { after: StaleRow | undefined; counts: Record<keyof Resealed, number> },
): Promise<StaleRow | undefined> {
  const rows = await selectStaleRows(transaction, reseal, column, after)
  const { root, workspaceKeys } = reseal
  const opener = await workspaceKeys.createOpener(transaction, rows, column.column)
  for (const [owner, ownRows] of Map.groupBy(rows, (row) => row.owner ?? '')) {
    const sealer =
      column.owner === undefined ? root : await workspaceKeys.findSealerOrRoot(transaction, owner)
    for (const row of ownRows) counts[await resealRow(transaction, { opener, sealer }, column, row)]++
  }
  return rows.length === reseal.batchSize ? rows.at(-1) : undefined
}

async function selectStaleRows(
  transaction: Transaction<Schema>,
  reseal: Reseal,
  sealed: SealedColumn,
  after: StaleRow | undefined,
): Promise<StaleRow[]> {
  const { database, batchSize } = reseal
  const { table, column, key, identityColumns, owner } = sealed
  const names = sql.join([...new Set([...key, ...identityColumns, column])].map((name) => sql.ref(name)))
  const order = sql.join(key.map((name) => sql.ref(name)))
  const afterLast = after && sql`and (${order}) > (${sql.join(key.map((name) => after[name]))})`
  // Skips rows locked by other transactions to avoid deadlocks. The next pass finds them.
  const lock = database.kind === 'postgres' ? sql`for update skip locked` : sql``
  const { rows } = await sql<StaleRow>`
    select ${names}, ${owner === undefined ? sql`''` : ownerOrEmpty(owner)} as "owner" from ${sql.table(table)}
    where ${needsResealing(sealed, reseal)} ${afterLast ?? sql``}
    order by ${order} limit ${sql.lit(batchSize)} ${lock}`.execute(transaction)
  return rows
}

async function resealRow(
  transaction: Transaction<Schema>,
  { opener, sealer }: { opener: TextOpener; sealer: TextSealer },
  sealed: SealedColumn,
  row: StaleRow,
): Promise<keyof Resealed> {
  const { table, column, key } = sealed
  const sealedText = row[column] ?? ''
  const identity = sealIdentity(sealed, row)
  let resealed: string
  try {
    resealed = sealer.seal(opener.open(sealedText, identity), identity)
  } catch (error) {
    if (error instanceof SealError) return 'undecryptable'
    throw error
  }
  const isUnchanged = sql.join(
    [...key, column].map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  const { numAffectedRows } =
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${resealed} where ${isUnchanged}`.execute(
      transaction,
    )
  return numAffectedRows === 1n ? 'resealed' : 'changedMeanwhile'
}

/** SQL: whether this key sealed a text. Key IDs contain no characters that need escaping. */
export function isSealedBy(column: string, keyId: string): RawBuilder<boolean> {
  const prefix = `v1.${keyId}.`
  return sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`
}

/**
 * SQL: whether a text isn't sealed with the current key yet, which is the primary encryption key or the workspace's key in use.
 */
export function needsResealing(
  { column, owner }: SealedColumn,
  { keyId }: Pick<Reseal, 'keyId'>,
): RawBuilder<boolean> {
  const byRoot = isSealedBy(column, keyId)
  if (owner === undefined) return sql<boolean>`not ${byRoot}`
  // The column may be null: finished work, for example, has no sealed body.
  return sql<boolean>`(${sql.ref(column)} is not null and case when ${sealPrefix(column)} = 'v2.'
    then ${sealedKeyId(column)} not in (select id from workspace_key where retired_at is null)
    else not ${byRoot} or ${ownerOrEmpty(owner)} <> '' end)`
}

const ownerOrEmpty = (owner: string): RawBuilder<string> => sql`coalesce(${sql.raw(owner)}, '')`

/** Creates missing workspace keys before the transaction begins. */
export async function makeKeysFor(reseal: Reseal, column: SealedColumn): Promise<void> {
  if (column.owner === undefined) return
  const { rows } = await sql<{ owner: string }>`
    select distinct ${ownerOrEmpty(column.owner)} as "owner" from ${sql.table(column.table)}
    where ${needsResealing(column, reseal)}`.execute(reseal.database.rows)
  for (const { owner } of rows) await reseal.workspaceKeys.ensureSealer(owner)
}
