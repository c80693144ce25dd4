import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import { type Identity, SealError, type Sealer } from './seal.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** What came of one batch, or of a whole pass over a column. */
export interface Resealed {
  readonly resealed: number
  /** Rows that another process changed in the same moment: to be looked at again. */
  readonly overtaken: number
  /** Rows that open with no key of the ring. */
  readonly unopened: number
}

type Row = Readonly<Record<string, string>>

export interface Reseal {
  readonly database: Database
  readonly sealer: Sealer
  /** The key that everything shall be sealed with. */
  readonly keyId: string
  /** Rows in one transaction. */
  readonly batch: number
}

/** Whether a sealed text is by that key. The id's letters are plain in SQL, so that nothing is to be escaped. */
export function isSealedBy(column: string, keyId: string): RawBuilder<boolean> {
  const prefix = `v1.${keyId}.`
  return sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`
}

/**
 * Goes once over a column in the order of its key, a batch at a time, and seals with the key what is sealed with another.
 * A kill loses at most a batch; a row that changes meanwhile is left as its writer made it.
 */
export async function* resealColumn(reseal: Reseal, column: SealedColumn): AsyncGenerator<Resealed> {
  let last: Row | undefined
  do {
    const after: Row | undefined = last
    const rows = await reseal.database.rows
      .transaction()
      .execute(async (transaction) => await resealBatch(transaction, reseal, column, after))
    yield rows.done
    last = rows.last
  } while (last !== undefined)
}

async function resealBatch(
  transaction: Transaction<Schema>,
  reseal: Reseal,
  column: SealedColumn,
  after: Row | undefined,
): Promise<{ done: Resealed; last: Row | undefined }> {
  const rows = await staleRows(transaction, reseal, column, after)
  const counts = { resealed: 0, overtaken: 0, unopened: 0 }
  for (const row of rows) counts[await resealRow(transaction, reseal.sealer, column, row)]++
  return { done: counts, last: rows.length === reseal.batch ? rows.at(-1) : undefined }
}

async function staleRows(
  transaction: Transaction<Schema>,
  { database, keyId, batch }: Reseal,
  { table, column, key, named }: SealedColumn,
  after: Row | undefined,
): Promise<Row[]> {
  const names = sql.join([...new Set([...key, ...named, column])].map((name) => sql.ref(name)))
  const order = sql.join(key.map((name) => sql.ref(name)))
  const beyond = after && sql`and (${order}) > (${sql.join(key.map((name) => after[name]))})`
  // What somebody else is writing is passed over, not waited for: no two then wait for each other, and the next pass finds it.
  const lock = database.kind === 'postgres' ? sql`for update skip locked` : sql``
  const { rows } = await sql<Row>`
    select ${names} from ${sql.table(table)}
    where not ${isSealedBy(column, keyId)} ${beyond ?? sql``}
    order by ${order} limit ${sql.lit(batch)} ${lock}`.execute(transaction)
  return rows
}

async function resealRow(
  transaction: Transaction<Schema>,
  sealer: Sealer,
  { table, column, key, named, label }: SealedColumn,
  row: Row,
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
