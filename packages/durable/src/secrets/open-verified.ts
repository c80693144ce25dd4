import type { Transaction } from 'kysely'
import { createDatabaseTime, readTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Model } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase } from '../database/open-database.ts'
import type { Schema } from '../database/schema.ts'
import { listTables } from '../database/stored-tables.ts'
import { keyFilePath, loadVerifiedKeys } from './key-check.ts'
import { followKeyFile } from './key-file.ts'
import { fixedKeys, type Keyring, type LiveKeys, parseKeys } from './keys.ts'
import type { OnDecryptError } from './seal.ts'

export interface StoreOptions {
  /** `sqlite:./path`, `sqlite::memory:` or `postgres://…` */
  readonly url: string
  readonly model: Model
  /**
   * `id:base64key[,id:base64key…]`. The first key encrypts, and each of them can decrypt. If blank on SQLite, the keys are in `<path>.key`,
   * created on first start.
   */
  readonly keys?: string | undefined
  /** The file that the keys came from. Changes to it apply immediately. */
  readonly keysFile?: string | undefined
  /** Called after this process switches to other keys, with the ID of the new primary key. */
  readonly onKeysChanged?: ((keyId: string) => void) | undefined
  /** The folder of the outcome journal; by default next to the SQLite file, or in `data/`. */
  readonly journal?: string | undefined
  /** Refuses an empty database instead of creating the tables. */
  readonly mustExist?: boolean | undefined
  /** The clock for timestamps in rows. */
  readonly now?: () => Date
  /** Called for every row whose content can't be decrypted. */
  readonly onDecryptError?: OnDecryptError | undefined
  /** Replaces the database's clock for leases and due times, in tests that set the time. */
  readonly clock?: (() => Date) | undefined
}

/** A migrated database, and keys that are verified to open its sealed data. */
export interface OpenedStore {
  readonly database: Database
  readonly keys: LiveKeys
}

/**
 * Opens the database, migrates it, and verifies the keys, all under a lock. `updateKeyFile` may then change the key file, and the
 * keys are verified again. On an error, it closes everything and throws StoreError.
 */
export async function openVerified(
  {
    url,
    model,
    keys,
    keysFile,
    onKeysChanged,
    mustExist = false,
    now = () => new Date(),
    clock,
  }: StoreOptions,
  updateKeyFile?: (database: Database, transaction: Transaction<Schema>, ring: Keyring) => Promise<void>,
): Promise<OpenedStore> {
  const configuredKeys = keys === undefined || keys.trim() === '' ? undefined : parseKeys(keys)
  const database = await openDatabase(url, model)
  const time = createDatabaseTime(database.kind, clock)
  try {
    const ring = await database.withExclusiveLock(async (transaction) => {
      if (mustExist) await refuseEmpty(database, transaction)
      await migrate(transaction, model, await readTime(transaction, time))
      const ring = await loadVerifiedKeys(database, transaction, configuredKeys, now())
      if (updateKeyFile === undefined) return ring
      await updateKeyFile(database, transaction, ring)
      return await loadVerifiedKeys(database, transaction, configuredKeys, now())
    })
    const ownFile = database.file && keyFilePath(database.file)
    const followedFile = configuredKeys === undefined ? ownFile : keysFile
    const liveKeys =
      followedFile === undefined ? fixedKeys(ring) : followKeyFile(followedFile, ring, onKeysChanged)
    return { database, keys: liveKeys }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

/** Throws StoreError if no program has created its tables here. With a wrong address, an empty database would look intact. */
async function refuseEmpty({ kind }: Database, transaction: Transaction<Schema>): Promise<void> {
  const tables = await listTables(transaction, kind)
  if (!tables.some(({ name }) => name === 'migration'))
    throw new StoreError(
      'bad-url',
      'The database is empty, and nothing was changed. Its address may be wrong.',
    )
}
