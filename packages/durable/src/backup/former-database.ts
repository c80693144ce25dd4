import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import { WORKSPACE_KEY } from '../database/own-tables.ts'
import type { Rows, WorkspaceKeyRow } from '../database/schema.ts'
import { listTables } from '../database/stored-tables.ts'
import { LINEAGE, STORE_ID, WHOLE_STORE } from './backup-settings.ts'
import { WORKSPACE_KEYS } from './row-owners.ts'

/** What a restore needs to know about the database that it replaces. */
export interface FormerDatabase {
  /** Undefined if the database has no readable ID. */
  readonly storeId: string | undefined
  /** Whether the backup is of another database, so that there is nothing to compare. */
  readonly isOther: boolean
  /** The latest workspace keys, including which ones are destroyed. */
  readonly keys: readonly WorkspaceKeyRow[]
  readonly latestRecords: LatestRecords
  /** What is damaged, if nothing could be read. */
  readonly damage?: string
}

/** A replaced database that can't be read at all. */
export const createUnreadableFormer = (damage: string): FormerDatabase => ({
  storeId: undefined,
  isOther: false,
  keys: [],
  latestRecords: NO_RECORDS,
  damage,
})

/**
 * Reads a database written by any version, including a later one. Returns undefined if it has no tables. `lineage` is that of the backup:
 * the first backup of a database stores it there, so its copies have the same, and no other database does.
 */
export async function readFormerDatabase(
  rows: Rows,
  declared: readonly Table[],
  { kind, lineage }: { kind: Database['kind']; lineage: string },
): Promise<FormerDatabase | undefined> {
  const tables = (await listTables(rows, kind)).map(({ name }) => name)
  if (tables.length === 0) return undefined
  const readSetting = async (key: string): Promise<unknown> => {
    if (!tables.includes('setting')) return undefined
    const { rows: found } = await sql<{ value: string }>`
      select value from setting where workspace_id = ${WHOLE_STORE} and key = ${key}`.execute(rows)
    return found[0] && JSON.parse(found[0].value)
  }
  const storeId = STORE_ID.read(await readSetting(STORE_ID.key))
  const numbered = declared.filter(({ name, isNumbered }) => isNumbered && tables.includes(name))
  // Name the columns, because a later version may have more.
  const keys = rows.selectFrom(WORKSPACE_KEYS).select(WORKSPACE_KEY.names)
  return {
    storeId,
    isOther: LINEAGE.read(await readSetting(LINEAGE.key)) !== lineage,
    keys: tables.includes(WORKSPACE_KEYS) ? await keys.execute() : [],
    latestRecords: tables.includes('audit_entry') ? await readLatestRecords(rows, numbered) : NO_RECORDS,
  }
}

/** Names a replaced database by the time and the start of its ID. Its outcome journal is named after the same ID. */
export const createRetiredName = (now: Date, former: FormerDatabase | undefined): string =>
  `${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${(former?.storeId ?? randomUUID()).slice(0, 8)}`

/** Throws StoreError `not-empty` unless the caller asked to replace the database. `file` is the path of a SQLite database. */
export function refuseNotEmpty(
  former: FormerDatabase,
  { isReplacing, file }: { isReplacing: boolean; file?: string },
) {
  if (isReplacing) return
  const database = file === undefined ? 'The database' : `The database ${file}`
  const problem = former.damage === undefined ? 'is not empty' : `is damaged (${former.damage})`
  const other = former.isOther ? ' It isn’t the one that the backup was made of.' : ''
  throw new StoreError('not-empty', `${database} ${problem}, and nothing was changed.${other}`)
}

/** What the replaced database contains and the backup doesn't. */
export interface NewerRecords {
  /** Rows of numbered tables that had progressed further. */
  readonly numbered: readonly { workspaceId: string; number: number; state: string; at: string }[]
  /** The number of additional audit rows by workspace. */
  readonly auditRows: ReadonlyMap<string, number>
}

interface Numbered {
  readonly workspaceId: string
  readonly number: number
  readonly version: number
  readonly state: string
  readonly at: string
}

/** The latest records of a database. */
interface LatestRecords {
  /** The numbered rows, by table, workspace, and number. */
  readonly numbered: Map<string, Numbered>
  /** The last audit row of each workspace. */
  readonly audit: ReadonlyMap<string, number>
}

const NO_RECORDS: LatestRecords = { numbered: new Map(), audit: new Map() }

async function readLatestRecords(rows: Rows, tables: readonly Table[]): Promise<LatestRecords> {
  const numbered: LatestRecords['numbered'] = new Map()
  for (const { name } of tables) {
    const { rows: found } = await sql<Numbered>`
      select workspace_id as "workspaceId", number, version, state, updated_at as "at"
      from ${sql.table(name)} order by workspace_id, number`.execute(rows)
    for (const row of found) numbered.set(`${name} ${row.workspaceId} ${row.number}`, row)
  }
  const audit = await sql<{ workspaceId: string; last: number }>`
    select workspace_id as "workspaceId", max(sequence) as "last"
    from audit_entry group by workspace_id`.execute(rows)
  return {
    numbered,
    audit: new Map(audit.rows.map(({ workspaceId, last }) => [workspaceId, last])),
  }
}

/** Finds the records of the replaced database that the restored one lacks. Another database has nothing to compare. */
export async function findNewerRecords(
  { latestRecords: former, isOther }: FormerDatabase,
  rows: Rows,
  tables: readonly Table[],
): Promise<NewerRecords | undefined> {
  if (isOther) return undefined
  const restored = await readLatestRecords(
    rows,
    tables.filter(({ isNumbered }) => isNumbered),
  )
  return {
    numbered: [...former.numbered].flatMap(([key, { workspaceId, number, version, state, at }]) =>
      version > (restored.numbered.get(key)?.version ?? 0) ? [{ workspaceId, number, state, at }] : [],
    ),
    auditRows: new Map(
      [...former.audit].flatMap(([workspaceId, last]) => {
        // Subtract the row that the restore added.
        const newerRows = last - Math.max(0, (restored.audit.get(workspaceId) ?? 0) - 1)
        return newerRows > 0 ? [[workspaceId, newerRows] as const] : []
      }),
    ),
  }
}
