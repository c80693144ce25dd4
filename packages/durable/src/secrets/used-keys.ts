import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { SealedColumn } from '../database/declared-table.ts'
import type { Schema } from '../database/schema.ts'

export const sealPrefix = (column: string): RawBuilder<string> => sql`substr(${sql.ref(column)}, 1, 3)`

/** SQL: the ID of the workspace key that sealed a text. */
export const sealedKeyId = (column: string): RawBuilder<string> => sql`substr(${sql.ref(column)}, 4, 22)`

/** Lists the workspace keys that seal texts in these columns, optionally of one workspace only. It reads every row. */
export async function listUsedWorkspaceKeys(
  rows: Kysely<Schema>,
  columns: readonly SealedColumn[],
  workspaceId?: string,
): Promise<Set<string>> {
  const used = new Set<string>()
  for (const { table, column, owner } of columns) {
    const isOwned = workspaceId === undefined ? sql`true` : sql`${sql.raw(owner ?? `''`)} = ${workspaceId}`
    const { rows: found } = await sql<{ id: string }>`
      select distinct ${sealedKeyId(column)} as "id" from ${sql.table(table)}
      where ${isOwned} and ${sealPrefix(column)} = 'v2.'`.execute(rows)
    for (const { id } of found) used.add(id)
  }
  return used
}
