import { existsSync } from 'node:fs'
import type { StoreOptions } from '@signalman/durable'
import { MODEL } from '../app/model.ts'
import { keysFrom } from '../config/key-source.ts'
import { OperatorError } from './operator.ts'

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Where the database and its keys are, for a program that works on a database that is there already: DATABASE_URL
 * (`sqlite:./data/signalman.db` when blank) and the keys (ENCRYPTION_KEYS, a file, or a command). Throws OperatorError if there is no
 * such SQLite file, so that a wrong folder doesn't look like an empty database.
 */
export function existingStore(environment: Variables): StoreOptions {
  const file = findSqliteFile(environment)
  if (file !== undefined && !existsSync(file)) {
    throw new OperatorError(
      `There’s no database at ${file}. Set DATABASE_URL, or run this in the app’s folder.`,
    )
  }
  return readStoreOptions(environment)
}

/** The same, for a program that may find no database there. */
export function readStoreOptions(environment: Variables): StoreOptions {
  const journal = environment.OUTCOME_JOURNAL?.trim() || undefined
  return { model: MODEL, url: databaseUrl(environment), ...keysFrom(environment), journal }
}

/** The file of a SQLite database; undefined for PostgreSQL. */
export const findSqliteFile = (environment: Variables): string | undefined =>
  /^sqlite:(?!\/\/)(.+)$/i.exec(databaseUrl(environment))?.[1]

const databaseUrl = ({ DATABASE_URL }: Variables): string =>
  DATABASE_URL?.trim() || 'sqlite:./data/signalman.db'
