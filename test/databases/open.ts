import { migrate as migrateModel } from '../../packages/durable/src/database/migrate.ts'
import {
  columns,
  type Database,
  type Model,
  makeTables,
  openDatabase as openModelDatabase,
  since,
  table,
  text,
} from '../../packages/durable/src/index.ts'
import { MODEL } from '../../src/app/model.ts'

// The durable package's functions, applied to Signalman's tables.

/** The migration of a fictional next release, which adds columns and a table. */
const NEXT = '999-next'
const note = columns({ nextNote: since(NEXT, { ...text(), type: "text default 'new'" }) })
const NEXT_TABLES: Model['tables'] = [
  ...MODEL.tables.map((declared) =>
    ['channel', 'work'].includes(declared.name)
      ? {
          ...declared,
          columns: {
            names: [...declared.columns.names, ...note.names],
            definitions: [...declared.columns.definitions, ...note.definitions],
          },
        }
      : declared,
  ),
  table('next_thing', {
    since: NEXT,
    columns: columns({ workspaceId: text(), about: text() }),
    key: ['workspace_id'],
    indexes: { by_about: '(about)' },
    row: 'what comes next',
    bound: 'one for each workspace',
  }),
]

export const NEXT_MODEL: Model = {
  name: MODEL.name,
  tables: NEXT_TABLES,
  migrations: [...MODEL.migrations, { name: NEXT, up: (db) => makeTables(db, NEXT_TABLES, NEXT) }],
}

export const openDatabase = (url: string): Promise<Database> => openModelDatabase(url, MODEL)

export const migrate = (transaction: Parameters<typeof migrateModel>[0], now: Date): Promise<void> =>
  migrateModel(transaction, MODEL, now)
