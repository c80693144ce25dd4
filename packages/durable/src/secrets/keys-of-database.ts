import { sql, type Transaction } from 'kysely'
import { createDatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { sealedColumns, type Table } from '../database/declared-table.ts'
import { readTextFile, writeFileAtomically } from '../database/disk.ts'
import { errorCode, StoreError } from '../database/errors.ts'
import { describeFileFault } from '../database/faults.ts'
import { listRunning } from '../database/processes.ts'
import { deleteRows, type Schema } from '../database/schema.ts'
import { type Keyring, makeKeyText, parseKeys } from './keys.ts'
import { createSealer, type Identity, tryOpen } from './seal.ts'

/** Reads keys from a file. Undefined if it doesn't exist. Throws StoreError `bad-keys`, which names the file and never its content. */
function readKeyText(path: string): string | undefined {
  let text: string
  try {
    text = readTextFile(path).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw badKeyFile(path, `${describeFileFault(error)}.`, error)
  }
  try {
    parseKeys(text)
    return text
  } catch (error) {
    const reason =
      text === '' ? 'is empty: put its former content back.' : `can’t be used. ${(error as Error).message}`
    throw badKeyFile(path, reason, error)
  }
}

const badKeyFile = (path: string, reason: string, cause: unknown): StoreError =>
  new StoreError('bad-keys', `The key file ${path} ${reason}`, { cause })

/**
 * The configured keys, or else those in the file `<database>.key` beside a SQLite database, which the first start creates. Only call it
 * while no other process opens the same database.
 */
export async function findKeys(
  { kind, file }: Pick<Database, 'kind' | 'file'>,
  transaction: Transaction<Schema>,
  configured: string | undefined,
): Promise<Keyring> {
  if (configured !== undefined && configured.trim() !== '') return parseKeys(configured)
  if (kind === 'postgres')
    throw new StoreError(
      'missing-keys',
      'PostgreSQL needs encryption keys. Give every process the same ones. To make one, run: echo "k1:$(openssl rand -base64 32)".',
    )
  if (file === undefined) return parseKeys(makeKeyText())
  const path = `${file}.key`
  const text = readKeyText(path)
  if (text !== undefined) return parseKeys(text)
  if (await transaction.selectFrom('key_check').select('key_id').limit(1).executeTakeFirst())
    throw new StoreError(
      'wrong-key',
      `Stored data is encrypted, but no keys were given, and the key file ${path} is missing.`,
    )
  const made = makeKeyText()
  await writeFileAtomically(path, `${made}\n`, { failIfExists: true }).catch((error: unknown) => {
    throw badKeyFile(path, `${describeFileFault(error)}. Or pass the keys in another way.`, error)
  })
  return parseKeys(made)
}

const checkIdentity = (keyId: string): Identity => ['key_check', keyId]

/**
 * Throws StoreError `wrong-key` unless these keys open what every key in use left in `key_check`. A key that nothing is sealed with, such as
 * that of a start or a rotation that was refused, isn't in use, so the setting before it still works.
 */
export async function verifyKeys(
  { kind, model }: Pick<Database, 'kind' | 'model'>,
  transaction: Transaction<Schema>,
  keys: Keyring,
): Promise<void> {
  const checks = await transaction.selectFrom('key_check').selectAll().orderBy('key_id').execute()
  const sealer = createSealer(keys)
  for (const { key_id, sealed } of checks) {
    const opened = tryOpen(() => sealer.open(sealed, checkIdentity(key_id)))
    if ('value' in opened) continue
    // A running process may be about to seal something with it.
    const isRunning = (await listRunning(transaction, createDatabaseTime(kind))).length > 0
    if (!isRunning && !(await isInUse(transaction, model.tables, key_id))) {
      await deleteRows(transaction, 'key_check', { key_id })
      continue
    }
    throw new StoreError(
      'wrong-key',
      opened.sealError.kind === 'unknown-key'
        ? `Stored data is encrypted with the key "${key_id}", which isn’t among the encryption keys. Add it after the first entry.`
        : `The encryption key "${key_id}" isn’t the one that stored data is encrypted with, although it has the same ID. Put the former key back, and give the new key a new ID.`,
      { cause: opened.sealError },
    )
  }
}

/** Whether anything is sealed with this key. Reads whole tables if nothing is. */
async function isInUse(
  transaction: Transaction<Schema>,
  tables: readonly Table[],
  keyId: string,
): Promise<boolean> {
  const prefix = `v1.${keyId}.`
  for (const { table, column } of sealedColumns(tables)) {
    const { rows } = await sql`select 1 from ${sql.table(table)}
      where substr(${sql.ref(column)}, 1, ${sql.lit(prefix.length)}) = ${prefix} limit 1`.execute(transaction)
    if (rows.length > 0) return true
  }
  return false
}

/** Records the first key before anything is sealed with it. */
export async function recordKey(transaction: Transaction<Schema>, keys: Keyring, now: Date): Promise<void> {
  const { id } = keys.primary
  const sealed = createSealer(keys).seal(id, checkIdentity(id))
  await transaction
    .insertInto('key_check')
    .values({ key_id: id, sealed, made_at: now.toISOString() })
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .execute()
}
