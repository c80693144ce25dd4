import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Reseal, Resealed } from './resealing.ts'
import { type Identity, SealError, type Sealer } from './seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

export type StaleRow = Readonly<Record<string, string>>

/** Whether a sealed text is by that key. The id's letters are plain in SQL, so that nothing is to be escaped. */
export function isSealedBy(column: string, keyId: string): RawBuilder<boolean> {
  const prefix = `v1.${keyId}.`
  return sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`
}

export async function resealBatch(
  transaction: Transaction<Schema>,
  reseal: Reseal,
  column: SealedColumn,
  after: StaleRow | undefined,
): Promise<{ done: Resealed; last: StaleRow | undefined }> {
  const rows = await staleRows(transaction, reseal, column, after)
  const counts = { resealed: 0, overtaken: 0, unopened: 0 }
  for (const row of rows) counts[await resealRow(transaction, reseal.sealer, column, row)]++
  return { done: counts, last: rows.length === reseal.batch ? rows.at(-1) : undefined }
}

async function staleRows(
  transaction: Transaction<Schema>,
  { database, keyId, batch }: Reseal,
  { table, column, key, named }: SealedColumn,
  after: StaleRow | undefined,
): Promise<StaleRow[]> {
  const names = sql.join([...new Set([...key, ...named, column])].map((name) => sql.ref(name)))
  const order = sql.join(key.map((name) => sql.ref(name)))
  const beyond = after && sql`and (${order}) > (${sql.join(key.map((name) => after[name]))})`
  // What somebody else is writing is passed over, not waited for: no two then wait for each other, and the next pass finds it.
  const lock = database.kind === 'postgres' ? sql`for update skip locked` : sql``
  const { rows } = await sql<StaleRow>`
    select ${names} from ${sql.table(table)}
    where not ${isSealedBy(column, keyId)} ${beyond ?? sql``}
    order by ${order} limit ${sql.lit(batch)} ${lock}`.execute(transaction)
  return rows
}

async function resealRow(
  transaction: Transaction<Schema>,
  sealer: Sealer,
  { table, column, key, named, label }: SealedColumn,
  row: StaleRow,
): Promise<keyof Resealed> {
  const old = row[column] ?? ''
  const identity: Identity = [label, ...named.map((name) => String(row[name] ?? ''))]
  let fresh: string
  try {
    fresh = sealer.seal(sealer.open(old, identity), identity)
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
