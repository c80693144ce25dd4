import { sql, type Transaction } from 'kysely'
import { createDatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { type SealedColumn, sealedColumns } from '../database/declared-table.ts'
import { refuseWhileRunning } from '../database/processes.ts'
import type { Schema } from '../database/schema.ts'
import type { Keyring } from './keys.ts'
import { recordKey } from './keys-of-database.ts'
import { createSealer, type Identity, type Sealer, tryOpen } from './seal.ts'

const BATCH_SIZE = 200

type StoredRow = Readonly<Record<string, string | number | null>>

/**
 * Seals everything again with the first key, while no process runs. After a kill, the same call finishes it. Returns how many texts
 * were sealed again, and how many no key opens, by table. Then the other keys can be removed, unless a backup needs them.
 */
export async function rotateKeys(
  { rows, model, kind }: Pick<Database, 'rows' | 'model' | 'kind'>,
  keys: Keyring,
): Promise<{ resealed: number; undecryptable: ReadonlyMap<string, number> }> {
  const time = createDatabaseTime(kind)
  await refuseWhileRunning(rows, time, 'Nothing was re-encrypted')
  await rows.transaction().execute((transaction) => recordKey(transaction, keys, new Date()))
  const sealer = createSealer(keys)
  const undecryptable = new Map<string, number>()
  let resealed = 0
  for (const column of sealedColumns(model.tables))
    for (let last: StoredRow | undefined, isDone = false; !isDone; ) {
      const batch = await rows
        .transaction()
        .execute((transaction) =>
          resealBatch(transaction, { sealer, keyId: keys.primary.id, kind }, column, last),
        )
      resealed += batch.resealed
      if (batch.failed > 0)
        undecryptable.set(column.table, (undecryptable.get(column.table) ?? 0) + batch.failed)
      last = batch.last
      isDone = last === undefined
    }
  // A process that started meanwhile may encrypt with another key.
  await refuseWhileRunning(rows, time, 'Not all data was re-encrypted')
  if (undecryptable.size === 0)
    await rows.deleteFrom('key_check').where('key_id', '<>', keys.primary.id).execute()
  return { resealed, undecryptable }
}

async function resealBatch(
  transaction: Transaction<Schema>,
  { sealer, keyId, kind }: { sealer: Sealer; keyId: string; kind: Database['kind'] },
  { table, column, key, identityColumns }: SealedColumn,
  after: StoredRow | undefined,
) {
  const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))
  const prefix = `v1.${keyId}.`
  const { rows: found } = await sql<StoredRow>`
    select ${refs([...new Set([...key, ...identityColumns, column])])} from ${sql.table(table)}
    where ${sql.ref(column)} is not null and substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) <> ${prefix}
      ${after ? sql`and (${refs(key)}) > (${sql.join(key.map((name) => after[name]))})` : sql``}
    order by ${refs(key)} limit ${sql.lit(BATCH_SIZE)} ${kind === 'postgres' ? sql`for update` : sql``}`.execute(
    transaction,
  )
  let failed = 0
  for (const row of found) {
    const identity: Identity = [table, ...identityColumns.map((name) => String(row[name]))]
    const opened = tryOpen(() => sealer.open(String(row[column]), identity))
    if ('sealError' in opened) failed += 1
    else
      await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${sealer.seal(opened.value, identity)}
        where ${sql.join(
          key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
          sql` and `,
        )}`.execute(transaction)
  }
  return {
    resealed: found.length - failed,
    failed,
    last: found.length === BATCH_SIZE ? found.at(-1) : undefined,
  }
}
