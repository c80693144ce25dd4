import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** What the former database held and the backup lacks. */
export interface NewerInFormer {
  readonly orders: readonly { workspaceId: string; number: number; state: string; at: string }[]
  /** Rows of the audit log by workspace. */
  readonly auditRows: ReadonlyMap<string, number>
}

/** The newest records of a database. */
export interface Extent {
  /** The number of steps of each order, by workspace and order number. */
  readonly orders: ReadonlyMap<
    string,
    { workspaceId: string; number: number; version: number; state: string; at: string }
  >
  /** The last row of each audit log, by workspace. */
  readonly audit: ReadonlyMap<string, number>
}

export const NO_EXTENT: Extent = { orders: new Map(), audit: new Map() }

/** Whether these tables have what `extentOf` reads; those of an early version lack it. */
export const hasExtent = (tables: readonly string[]): boolean =>
  tables.includes('cert_order') && tables.includes('audit_entry')

/** Reads the newest records; `schema` names a schema of PostgreSQL that is not the present one. */
export async function extentOf(rows: Kysely<Schema>, schema?: string): Promise<Extent> {
  const table = (name: string) => (schema === undefined ? sql.table(name) : sql.id(schema, name))
  const orders = await sql<{
    workspaceId: string
    number: number
    version: number
    state: string
    at: string
  }>`
    select workspace_id as "workspaceId", number, version, state, updated_at as "at"
    from ${table('cert_order')} order by workspace_id, number`.execute(rows)
  const audit = await sql<{ workspaceId: string; last: number }>`
    select workspace_id as "workspaceId", max(sequence) as "last"
    from ${table('audit_entry')} group by workspace_id`.execute(rows)
  return {
    orders: new Map(orders.rows.map((order) => [`${order.workspaceId} ${order.number}`, order])),
    audit: new Map(audit.rows.map(({ workspaceId, last }) => [workspaceId, last])),
  }
}

export function newerIn(former: Extent, restored: Extent): NewerInFormer {
  return {
    orders: [...former.orders].flatMap(([key, { workspaceId, number, version, state, at }]) =>
      version > (restored.orders.get(key)?.version ?? 0) ? [{ workspaceId, number, state, at }] : [],
    ),
    auditRows: new Map(
      [...former.audit].flatMap(([workspaceId, last]) => {
        const more = last - (restored.audit.get(workspaceId) ?? 0)
        return more > 0 ? [[workspaceId, more] as const] : []
      }),
    ),
  }
}
