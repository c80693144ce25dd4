import { sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { SealedColumn } from '../database/declared-table.ts'
import type { Schema } from '../database/schema.ts'
import { needsResealing, ownerOf } from './needs-resealing.ts'
import { SealError, type Sealer, type TextOpener, type TextSealer } from './seal.ts'
import { identityIn } from './sealed-columns.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** The result of one batch, or of a whole pass over a column. */
export interface Resealed {
  readonly resealed: number
  /** Rows that another process changed meanwhile: the next pass looks at them again. */
  readonly overtaken: number
  /** Rows that open with no key of the ring. */
  readonly unopened: number
}

export interface Reseal {
  readonly database: Database
  readonly root: Sealer
  readonly workspaceKeys: WorkspaceKeys
  /** Re-seals with this encryption key, or with the keys of workspaces that replace it. */
  readonly keyId: string
  /** Rows in one transaction. */
  readonly batch: number
}

/**
 * Goes through a column once, in the order of its key and in batches, and re-seals texts of other keys. A kill loses at most one
 * batch; a row that changes meanwhile stays as its writer made it.
 */
export async function* resealColumn(reseal: Reseal, column: SealedColumn): AsyncGenerator<Resealed> {
  let last: StaleRow | undefined
  do {
    const after: StaleRow | undefined = last
    const rows = await reseal.database.rows
      .transaction()
      .execute(async (transaction) => await resealBatch(transaction, reseal, column, after))
    yield rows.done
    last = rows.last
  } while (last !== undefined)
}

/** Its cells, and as `owner` the workspace whose key seals it. */
type StaleRow = Readonly<Record<string, string>>

async function resealBatch(
  transaction: Transaction<Schema>,
  reseal: Reseal,
  column: SealedColumn,
  after: StaleRow | undefined,
): Promise<{ done: Resealed; last: StaleRow | undefined }> {
  const rows = await staleRows(transaction, reseal, column, after)
  const counts = { resealed: 0, overtaken: 0, unopened: 0 }
  const { root, workspaceKeys } = reseal
  const opener = await workspaceKeys.opener(
    transaction,
    rows.map((row) => row[column.column] ?? ''),
  )
  for (const row of rows) {
    const isOwned = column.owner !== undefined
    const sealer = isOwned ? await workspaceKeys.sealerIn(transaction, row.owner ?? '') : root
    counts[await resealRow(transaction, { opener, sealer }, column, row)]++
  }
  return { done: counts, last: rows.length === reseal.batch ? rows.at(-1) : undefined }
}

async function staleRows(
  transaction: Transaction<Schema>,
  reseal: Reseal,
  sealed: SealedColumn,
  after: StaleRow | undefined,
): Promise<StaleRow[]> {
  const { database, batch } = reseal
  const { table, column, key, named, owner } = sealed
  const names = sql.join([...new Set([...key, ...named, column])].map((name) => sql.ref(name)))
  const order = sql.join(key.map((name) => sql.ref(name)))
  const beyond = after && sql`and (${order}) > (${sql.join(key.map((name) => after[name]))})`
  // Skips rows that another transaction holds, so that no two wait for each other; the next pass finds them.
  const lock = database.kind === 'postgres' ? sql`for update skip locked` : sql``
  const { rows } = await sql<StaleRow>`
    select ${names}, ${owner === undefined ? sql`''` : ownerOf(owner)} as "owner" from ${sql.table(table)}
    where ${needsResealing(sealed, reseal)} ${beyond ?? sql``}
    order by ${order} limit ${sql.lit(batch)} ${lock}`.execute(transaction)
  return rows
}

async function resealRow(
  transaction: Transaction<Schema>,
  { opener, sealer }: { opener: TextOpener; sealer: TextSealer },
  sealed: SealedColumn,
  row: StaleRow,
): Promise<keyof Resealed> {
  const { table, column, key } = sealed
  const old = row[column] ?? ''
  const identity = identityIn(sealed, row)
  let fresh: string
  try {
    fresh = sealer.seal(opener.open(old, identity), identity)
  } catch (error) {
    if (error instanceof SealError) return 'unopened'
    throw error
  }
  const same = sql.join(
    [...key, column].map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  const { numAffectedRows } =
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${fresh} where ${same}`.execute(transaction)
  return numAffectedRows === 1n ? 'resealed' : 'overtaken'
}
