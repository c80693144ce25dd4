import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { explainFileError, findSqliteFile, type StoreOptions } from '@signalman/durable'
import { MODEL } from '../app/model.ts'
import { readSecretFiles } from '../config/secret-files.ts'
import { findUnknownVariables } from '../config/unknown-variables.ts'
import { pickSetVariables, SQLITE_URL } from '../config/variables.ts'
import { ConfigError } from '../config.ts'
import { OperatorError } from './operator.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Reads the location of an existing database from DATABASE_URL (`sqlite:./data/signalman.db` by default), and its keys from
 * ENCRYPTION_KEYS. Either may be in a file. Throws OperatorError if the SQLite file doesn't exist, so that the wrong folder doesn't
 * look like an empty database; one in PostgreSQL is refused when it's opened. Throws ConfigError if a variable is misspelled.
 */
export function readExistingStoreOptions(environment: Variables): StoreOptions {
  const options = readStoreOptions(environment)
  const file = findSqliteFile(options.url)
  if (file !== undefined && !existsSync(file)) {
    throw new OperatorError(
      `There’s no database at ${file}. Set DATABASE_URL, or run this in the app’s folder.`,
    )
  }
  return { ...options, mustExist: true }
}

/** Like `readExistingStoreOptions`, but the database may not exist yet. A misspelled DATABASE_ULR mustn't mean the one in this folder. */
export function readStoreOptions(given: Variables): StoreOptions {
  const { environment, faults: fileFaults } = readSecretFiles(given)
  const faults = [...findUnknownVariables(environment), ...fileFaults]
  if (faults.length > 0) throw new ConfigError(faults)
  const { DATABASE_URL, ENCRYPTION_KEYS } = pickSetVariables(environment)
  return { model: MODEL, url: DATABASE_URL ?? SQLITE_URL, keys: ENCRYPTION_KEYS }
}

/**
 * Creates the folder of the default database. Any other folder must exist, so that a typo in DATABASE_URL doesn't start with an empty
 * database.
 */
export function createDefaultFolder(url: string): void {
  const file = findSqliteFile(url)
  if (url !== SQLITE_URL || file === undefined || existsSync(dirname(file))) return
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw explainFileError(error, file)
  }
}
