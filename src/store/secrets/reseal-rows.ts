import { sql, type Transaction } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { needsResealing, ownerOf } from './needs-resealing.ts'
import type { Reseal, Resealed } from './resealing.ts'
import { type Identity, SealError, type TextOpener, type TextSealer } from './seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** Its cells, and as `owner` the workspace whose key seals it. */
export type StaleRow = Readonly<Record<string, string>>

export async function resealBatch(
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
  { table, column, key, named, label }: SealedColumn,
  row: StaleRow,
): Promise<keyof Resealed> {
  const old = row[column] ?? ''
  const identity: Identity = [label, ...named.map((name) => String(row[name] ?? ''))]
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
