import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { KeyCheckRow, Schema } from '../database/schema.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import { type Keyring, type LiveKeys, makeKeyText, parseKeys } from './keys.ts'
import { createSealer, type Identity, type SealError, tryOpen } from './seal.ts'

/**
 * Returns a keyring that opens everything sealed in this database: the configured keys, or else those in the key file beside a
 * SQLite database, which is created on first start. Each key that ever sealed something left a check value in the database, and
 * all of them must open. Throws StoreError `bad-keys` or `wrong-key`. Only call it while no other process opens the same
 * database.
 */
export async function loadVerifiedKeys(
  database: Database,
  transaction: Transaction<Schema>,
  configuredKeys: Keyring | undefined,
  now: Date,
): Promise<Keyring> {
  const checks = await transaction.selectFrom('key_check').selectAll().orderBy('key_id').execute()
  const file = database.file === undefined ? undefined : keyFilePath(database.file)
  const ring = configuredKeys ?? (await readOwnKeys(database, file, checks))
  for (const check of checks) verifyKey(ring, check, file)
  const { id } = ring.primary
  if (!checks.some((check) => check.key_id === id)) {
    const sealed = createSealer(ring).seal(id, checkIdentity(id))
    await transaction
      .insertInto('key_check')
      .values({ key_id: id, sealed, made_at: now.toISOString() })
      .execute()
  }
  return ring
}

/**
 * Adopts the current keys if the key file has them. Throws StoreError `wrong-key` if this process lacks a key that has sealed
 * something since it started, or still seals with a retired key.
 */
export async function adoptCurrentKeys({ rows }: Pick<Database, 'rows'>, keys: LiveKeys): Promise<void> {
  const checks = await rows.selectFrom('key_check').selectAll().execute()
  const areCurrent = ({ primary, byId }: Keyring): boolean =>
    checks.every(({ key_id }) => byId.has(key_id)) && checks.some(({ key_id }) => key_id === primary.id)
  const opensAll = (ring: Keyring): boolean =>
    areCurrent(ring) && checks.every((check) => 'value' in openCheck(ring, check))
  if (areCurrent(keys.ring())) return keys.discardUnverified()
  if (keys.adopt(opensAll)) return
  const { primary, byId } = keys.ring()
  const missing = checks.find(({ key_id }) => !byId.has(key_id))
  throw new StoreError(
    'wrong-key',
    missing
      ? `This process lacks the encryption key "${missing.key_id}", which was added after it started. Restart it with the current keys.`
      : `This process still encrypts with the key "${primary.id}", which has been replaced. Restart it with the current keys.`,
  )
}

/** The path of a SQLite database's own key file. */
export const keyFilePath = (databaseFile: string): string => `${databaseFile}.key`

const checkIdentity = (keyId: string): Identity => ['key_check', keyId]

async function readOwnKeys(
  database: Database,
  file: string | undefined,
  checks: readonly KeyCheckRow[],
): Promise<Keyring> {
  if (database.kind === 'postgres') {
    throw new StoreError(
      'missing-keys',
      'PostgreSQL needs encryption keys. Give every process the same ones. To make one, run: echo "k1:$(openssl rand -base64 32)".',
    )
  }
  if (file === undefined) return parseKeys(makeKeyText())
  const found = readKeyFile(file)
  if (found !== undefined) return found
  if (checks.length === 0) return await makeKeyFile(file)
  throw new StoreError(
    'wrong-key',
    `Stored data is encrypted with the ${listKeyNames(checks)}, but no keys were given, and the key file ${file} is missing. Put the key file back.`,
  )
}

function listKeyNames(checks: readonly KeyCheckRow[]): string {
  const ids = checks.map(({ key_id }) => `"${key_id}"`)
  return `${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}`
}

/** Throws StoreError `wrong-key` if no key in the ring wrote the check value. */
export function verifyKey(ring: Keyring, check: KeyCheckRow, file: string | undefined): void {
  const text = openCheck(ring, check)
  if ('value' in text) return
  const where = file === undefined ? '' : ` A generated key is in ${file}.`
  throw new StoreError('wrong-key', `${explainKeyError(text.sealError, check.key_id)}${where}`, {
    cause: text.sealError,
  })
}

const openCheck = (ring: Keyring, { sealed, key_id }: KeyCheckRow) =>
  tryOpen(() => createSealer(ring).open(sealed, checkIdentity(key_id)))

function explainKeyError(error: SealError, id: string): string {
  switch (error.kind) {
    case 'unknown-key':
      return `Stored data is encrypted with the key "${id}", which isn’t among the encryption keys. Add it after the first entry.`
    case 'rejected':
      return `The encryption key "${id}" isn’t the one that stored data is encrypted with, although it has the same ID. Put the former key back, and give the new key a new ID.`
    case 'malformed':
      return `The check value of the encryption key "${id}" in the database is damaged. Restore a backup.`
  }
}
