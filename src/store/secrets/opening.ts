import type { Transaction } from 'kysely'
import { databaseTime, readTime } from '../database/clock.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import type { Schema } from '../database/schema.ts'
import { keyFileOf, provenKeys } from './key-check.ts'
import { followKeyFile } from './key-following.ts'
import { type Keyring, parseKeys } from './keys.ts'
import { workspaceKeysOn } from './upgrade-hour.ts'
import type { OnUnopened } from './workspace-keys.ts'

export interface StoreOptions {
  /** `sqlite:./path`, `sqlite::memory:` or `postgres://…` */
  readonly url: string
  /** `id:base64key[,id:base64key…]`: the first seals, all open. Blank on SQLite: kept in `<path>.key`, made at the first start. */
  readonly keys?: string | undefined
  /** The clock by which the store dates its rows. */
  readonly now?: () => Date
  /** Called for every row whose content does not open. */
  readonly onUnopened?: OnUnopened | undefined
  /** Replaces the database's clock of leases and due times, in tests that set the time. */
  readonly clock?: (() => Date) | undefined
}

/** A database with current tables, and keys that are proved to open what is sealed in it. */
export interface OpenedStore {
  readonly database: Database
  /** The present keyring: a valid change of the key file since the start counts at once. */
  readonly keys: () => Keyring
  /** Whether workspaces have their own keys by now. */
  readonly hasWorkspaceKeys: () => boolean
}

/**
 * Opens the database, brings its tables up to date and proves the keys, while no other process does the same. `change` may then
 * change the key file; the keys are proved again after it. Leaves nothing open when it throws StoreError.
 */
export async function openProven(
  { url, keys, now = () => new Date(), clock }: StoreOptions,
  change?: (database: Database, transaction: Transaction<Schema>, ring: Keyring) => Promise<void>,
): Promise<OpenedStore> {
  const given = keys === undefined || keys.trim() === '' ? undefined : parseKeys(keys)
  const database = await openDatabase(url)
  const time = databaseTime(database.kind, clock)
  const stopwatch = clock && (() => clock().getTime())
  let hasWorkspaceKeys = () => true
  try {
    const ring = await database.exclusively(async (transaction) => {
      await migrate(transaction, await readTime(transaction, time))
      hasWorkspaceKeys = await workspaceKeysOn(transaction, time, stopwatch)
      const ring = await provenKeys(database, transaction, given, now())
      if (change === undefined) return ring
      await change(database, transaction, ring)
      return await provenKeys(database, transaction, given, now())
    })
    const follows = given === undefined && database.file !== undefined
    const following = follows ? followKeyFile(keyFileOf(database.file), ring) : () => ring
    return { database, keys: following, hasWorkspaceKeys }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}
