import { type RawBuilder, sql } from 'kysely'
import { workspaceKeyOf } from './needs-resealing.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

/** Whether the key in a row of `workspace_key` seals none of the rows that stay when its workspace is forgotten. */
export function isDisposable(workspaceId: string): RawBuilder<boolean> {
  const uses = SEALED_COLUMNS.flatMap(({ table, column, owner, outlasts }) => {
    if (!outlasts || owner === undefined) return []
    return sql`not exists (select 1 from ${sql.table(table)}
      where ${sql.raw(owner)} = ${workspaceId} and ${workspaceKeyOf(column)} = workspace_key.id)`
  })
  return sql<boolean>`(${sql.join(uses, sql` and `)})`
}
