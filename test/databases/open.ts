import { type Kysely, sql } from 'kysely'
import { migrate as migrateTo } from '../../packages/durable/src/database/migrate.ts'
import {
  backUpKeys as backUpKeysOf,
  backUp as backUpOf,
  type Database,
  type Model,
  openDatabase as openWith,
  type RestoreOptions,
  type RotateOptions,
  restoreBackup as restoreWith,
  rotateKeys as rotateWith,
  type StoreOptions,
  sealedColumns,
  verifyBackup as verifyWith,
} from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'

// What the package does with any program's tables, done with those of Signalman.

type Own<T> = Omit<T, 'model'>
type Rest<T extends unknown[]> = T extends [unknown, ...infer R] ? R : never

export const SEALED_COLUMNS = sealedColumns(MODEL.tables)

/** What the next release may do to these tables: it only adds. */
async function next(db: Kysely<unknown>): Promise<void> {
  for (const table of ['channel', 'work'])
    await sql`alter table ${sql.table(table)} add column next_note text default 'new'`.execute(db)
}

export const NEXT_MODEL: Model = {
  ...MODEL,
  migrations: [...MODEL.migrations, { name: '999-next', up: next }],
}

export const openDatabase = (url: string): Promise<Database> => openWith(url, MODEL)

export const migrate = (
  transaction: Parameters<typeof migrateTo>[0],
  now: Date,
  only?: readonly string[],
): Promise<void> => migrateTo(transaction, MODEL, now, only)

export const backUp = (options: Own<StoreOptions>, ...rest: Rest<Parameters<typeof backUpOf>>) =>
  backUpOf({ ...options, model: MODEL }, ...rest)
export const backUpKeys = (options: Own<StoreOptions>, folder: string) =>
  backUpKeysOf({ ...options, model: MODEL }, folder)
export const restoreBackup = (options: Own<RestoreOptions>) => restoreWith({ ...options, model: MODEL })
export const rotateKeys = (options: Own<RotateOptions>) => rotateWith({ ...options, model: MODEL })
export const verifyBackup = (...given: Rest<Parameters<typeof verifyWith>>) =>
  verifyWith(MODEL.tables, ...given)
