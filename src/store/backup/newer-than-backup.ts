import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** What the former database knew and the backup does not. */
export interface NewerInFormer {
  readonly orders: readonly { workspaceId: string; number: number; state: string; at: string }[]
  /** Rows of the audit log by workspace. */
  readonly auditRows: ReadonlyMap<string, number>
}

/** How far the records of a database go. */
export interface Extent {
  /** By workspace and number: how many steps the order has taken. */
  readonly orders: ReadonlyMap<
    string,
    { workspaceId: string; number: number; version: number; state: string; at: string }
  >
  /** By workspace: the last row of its audit log. */
  readonly audit: ReadonlyMap<string, number>
}

export const NO_EXTENT: Extent = { orders: new Map(), audit: new Map() }

/** Whether a database with these tables can be asked how far it goes: one of an early version cannot. */
export const hasExtent = (tables: readonly string[]): boolean =>
  tables.includes('cert_order') && tables.includes('audit_entry')

/** Reads how far the tables go, `in` a schema of PostgreSQL where they are in another than the present one. */
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
