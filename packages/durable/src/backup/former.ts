import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Table } from '../database/declared-table.ts'
import { StoreError } from '../database/errors.ts'
import { WORKSPACE_KEY } from '../database/own-tables.ts'
import type { Rows, WorkspaceKeyRow } from '../database/schema.ts'
import { listTables } from '../database/stored-tables.ts'
import { STORE_ID, WHOLE_STORE } from './backup-settings.ts'
import { WORKSPACE_KEYS } from './owners.ts'

/** What a restore has to know of the database whose place it takes. */
export interface Former {
  /** Undefined where it has none that can be read. */
  readonly store: string | undefined
  /** It has the newest keys of the workspaces, and knows which are destroyed. */
  readonly keys: readonly WorkspaceKeyRow[]
  readonly extent: Extent
  /** What was wrong with it, where nothing of it could be read. */
  readonly damage?: string
}

/** One of which nothing can be read. */
export const unreadFormer = (damage: string): Former => ({
  store: undefined,
  keys: [],
  extent: NO_EXTENT,
  damage,
})

/** Reads a database of any version, also of a later one. Undefined for one without tables. */
export async function readFormer(
  rows: Rows,
  declared: readonly Table[],
  kind: Database['kind'],
): Promise<Former | undefined> {
  const tables = (await listTables(rows, kind)).map(({ name }) => name)
  if (tables.length === 0) return undefined
  const setting = async (key: string): Promise<unknown> => {
    if (!tables.includes('setting')) return undefined
    const { rows: found } = await sql<{ value: string }>`
      select value from setting where workspace_id = ${WHOLE_STORE} and key = ${key}`.execute(rows)
    return found[0] && JSON.parse(found[0].value)
  }
  const store = STORE_ID.read(await setting(STORE_ID.key))
  const numbered = declared.filter(({ name, isNumbered }) => isNumbered && tables.includes(name))
  // A later version may have more columns.
  const keys = rows.selectFrom(WORKSPACE_KEYS).select(WORKSPACE_KEY.names)
  return {
    store,
    keys: tables.includes(WORKSPACE_KEYS) ? await keys.execute() : [],
    extent: tables.includes('audit_entry') ? await readExtent(rows, numbered) : NO_EXTENT,
  }
}

/** Names a replaced database by the time and its ID, which its outcome journal has too. */
export const stampOf = (now: Date, former: Former | undefined): string =>
  `${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${(former?.store ?? randomUUID()).slice(0, 8)}`

/** Throws StoreError `not-empty` unless the caller wants the database replaced; `file` is SQLite's. */
export function refuseNotEmpty(
  former: Former,
  { isReplacing, file }: { isReplacing: boolean; file?: string },
) {
  if (isReplacing) return
  const database = file === undefined ? 'The database' : `The database ${file}`
  const how = former.damage === undefined ? 'is not empty' : `is damaged (${former.damage})`
  throw new StoreError('not-empty', `${database} ${how}, and nothing was changed.`)
}

/** What the former database held and the backup lacks. */
export interface NewerInFormer {
  /** Rows of numbered tables that took more steps. */
  readonly numbered: readonly { workspaceId: string; number: number; state: string; at: string }[]
  /** Rows of the audit log by workspace. */
  readonly auditRows: ReadonlyMap<string, number>
}

interface Numbered {
  readonly workspaceId: string
  readonly number: number
  readonly version: number
  readonly state: string
  readonly at: string
}

/** The newest records of a database. */
interface Extent {
  /** The numbered rows, by table, workspace and number. */
  readonly numbered: Map<string, Numbered>
  /** The last row of each audit log, by workspace. */
  readonly audit: ReadonlyMap<string, number>
}

const NO_EXTENT: Extent = { numbered: new Map(), audit: new Map() }

async function readExtent(rows: Rows, tables: readonly Table[]): Promise<Extent> {
  const numbered: Extent['numbered'] = new Map()
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

/** Read in the database that has taken the place. */
export async function newerIn(
  { extent: former }: Former,
  rows: Rows,
  tables: readonly Table[],
): Promise<NewerInFormer> {
  const restored = await readExtent(
    rows,
    tables.filter(({ isNumbered }) => isNumbered),
  )
  return {
    numbered: [...former.numbered].flatMap(([key, { workspaceId, number, version, state, at }]) =>
      version > (restored.numbered.get(key)?.version ?? 0) ? [{ workspaceId, number, state, at }] : [],
    ),
    auditRows: new Map(
      [...former.audit].flatMap(([workspaceId, last]) => {
        // The restore itself has added a row.
        const more = last - Math.max(0, (restored.audit.get(workspaceId) ?? 0) - 1)
        return more > 0 ? [[workspaceId, more] as const] : []
      }),
    ),
  }
}
