import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { Schema } from '../database/schema.ts'
import { fingerprintOf } from '../secrets/derive.ts'
import { keyFileOf, prove } from '../secrets/key-check.ts'
import { readKeyFile } from '../secrets/key-file.ts'
import { type Keyring, parseKeys } from '../secrets/keys.ts'
import type { KeyName } from './format.ts'

/** The given keys, else those in the file beside a SQLite database; undefined where there are none. */
export async function foundKeys(
  given: string | undefined,
  databaseFile: string | undefined,
): Promise<Keyring | undefined> {
  if (given !== undefined && given.trim() !== '') return parseKeys(given)
  return databaseFile === undefined ? undefined : await readKeyFile(keyFileOf(databaseFile))
}

/** Every key that may have sealed something in the database. Throws StoreError `wrong-key` when the ring lacks one. */
export async function keysNeeded(
  rows: Kysely<Schema>,
  ring: Keyring,
  { file }: Pick<Database, 'file'>,
): Promise<KeyName[]> {
  const checks = await rows.selectFrom('key_check').selectAll().orderBy('key_id').execute()
  for (const check of checks) prove(ring, check, file && keyFileOf(file))
  const needed = [...ring.byId.values()].filter(
    (key) => key === ring.primary || checks.some(({ key_id }) => key_id === key.id),
  )
  return needed.map((key) => ({ id: key.id, fingerprint: fingerprintOf(key) }))
}

/** Throws StoreError `wrong-key`, which names every key of the backup that is not in the ring. */
export function refuseWithoutKeys(
  ring: Keyring | undefined,
  needed: readonly KeyName[],
  where: string,
): Keyring {
  const lacking = needed.filter(({ id, fingerprint }) => {
    const key = ring?.byId.get(id)
    return key === undefined || fingerprintOf(key) !== fingerprint
  })
  if (ring !== undefined && lacking.length === 0) return ring
  const names = lacking.map(({ id, fingerprint }) => `"${id}" (fingerprint ${fingerprint})`).join(', ')
  throw new StoreError(
    'wrong-key',
    `What is sealed in the backup opens with the encryption ${lacking.length === 1 ? 'key' : 'keys'} ${names}, which ${lacking.length === 1 ? 'is' : 'are'} not here: ${where}.`,
  )
}
