import type { Transaction } from 'kysely'
import { createDatabaseTime, readTime } from './database/clock.ts'
import type { Database } from './database/database.ts'
import type { Model } from './database/declared-table.ts'
import { StoreError } from './database/errors.ts'
import { listTables } from './database/make-tables.ts'
import { migrate, readSchemaState, type SchemaState } from './database/migrate.ts'
import { openDatabase } from './database/open-database.ts'
import type { Schema } from './database/schema.ts'
import type { Keyring } from './secrets/keys.ts'
import { findKeys, verifyKeys } from './secrets/keys-of-database.ts'
import type { OnDecryptError } from './secrets/seal.ts'

export interface StoreOptions {
  /** `sqlite:./path`, `sqlite::memory:` or `postgres://…` */
  readonly url: string
  readonly model: Model
  /**
   * `id:base64key[,id:base64key…]`. The first key encrypts, and each of them can decrypt. If blank on SQLite, the keys are in `<path>.key`,
   * created on first start.
   */
  readonly keys?: string | undefined
  /** Refuses an empty database instead of creating the tables. */
  readonly mustExist?: boolean | undefined
  /** The clock for timestamps in rows. */
  readonly now?: () => Date
  /** Called for every row whose content can't be decrypted. */
  readonly onDecryptError?: OnDecryptError | undefined
  /** Replaces the database's clock for leases and due times, in tests that set the time. */
  readonly clock?: (() => Date) | undefined
}

/**
 * Opens the database, migrates it, and verifies the keys, all under a lock. On an error, it closes everything and throws StoreError.
 */
export async function openVerified({
  url,
  model,
  keys,
  mustExist = false,
  clock,
}: StoreOptions): Promise<{ database: Database; keys: Keyring }> {
  const database = await openDatabase(url, model)
  const time = createDatabaseTime(database.kind, clock)
  try {
    const ring = await database.withExclusiveLock(async (transaction) => {
      if (mustExist) await refuseEmpty(transaction)
      await migrate(transaction, model, await readTime(transaction, time))
      const found = await findKeys(database, transaction, keys)
      await verifyKeys(database, transaction, found)
      return found
    })
    return { database, keys: ring }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

/** Ends the transaction of `tryOpening` without a change. */
class RolledBack extends Error {
  override readonly name = 'RolledBack'
  readonly state: SchemaState
  constructor(state: SchemaState) {
    super('Nothing was changed.')
    this.state = state
  }
}

/**
 * Runs the first statements of `openVerified` and rolls them back. Returns what they would have changed. Throws StoreError if the database
 * can't be opened, or doesn't let this user do that.
 */
export async function tryOpening({ url, model, clock }: StoreOptions): Promise<SchemaState> {
  await using database = await openDatabase(url, model)
  const time = createDatabaseTime(database.kind, clock)
  try {
    return await database.withExclusiveLock(async (transaction): Promise<never> => {
      const state = await readSchemaState(transaction, model)
      await migrate(transaction, model, await readTime(transaction, time))
      throw new RolledBack(state)
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.state
    throw error
  }
}

/** Throws StoreError if no program has created its tables here. With a wrong address, an empty database would look intact. */
async function refuseEmpty(transaction: Transaction<Schema>): Promise<void> {
  const tables = await listTables(transaction)
  if (!tables.some(({ name }) => name === 'migration'))
    throw new StoreError(
      'bad-url',
      'The database is empty, and nothing was changed. Its address may be wrong.',
    )
}
