import { existsSync } from 'node:fs'
import { StoreError } from '../store/database/errors.ts'
import type { StoreOptions } from '../store/secrets/opening.ts'

/**
 * Where the database and its keys are, for a program that works on a database that is there already: DATABASE_URL
 * (`sqlite:./data/signalman.db` when blank) and ENCRYPTION_KEYS. Throws StoreError `unreachable` when there is no such
 * SQLite file, so that a wrong folder does not look like an empty database.
 */
export function existingStore(environment: Readonly<Record<string, string | undefined>>): StoreOptions {
  const url = environment.DATABASE_URL?.trim() || 'sqlite:./data/signalman.db'
  const file = /^sqlite:(?!\/\/)(.+)$/i.exec(url)?.[1]
  if (file !== undefined && !existsSync(file)) {
    throw new StoreError(
      'unreachable',
      `There is no database at ${file}: set DATABASE_URL, or run this in the folder that the app runs in.`,
    )
  }
  return { url, keys: environment.ENCRYPTION_KEYS }
}
