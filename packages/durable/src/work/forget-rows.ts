import type { Database } from '../database/database.ts'
import { deleteRowsOf } from '../database/delete-rows.ts'
import { deleteWork } from './delete-work.ts'

/**
 * Deletes all rows of a workspace from every table that is declared so, some at a time. Work is ended first. Returns how many rows by
 * table; rows that are parts of others are not counted where they go with them.
 */
export async function forgetRows(
  database: Pick<Database, 'kind' | 'rows' | 'model'>,
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> {
  const work = await deleteWork(
    database,
    (doing) => doing(database.rows),
    (row) => row('workspace_id', '=', workspaceId),
  )
  const counts = new Map([['work', work]])
  const deleted = database.model.tables.filter(
    ({ name, owner, forgotten }) => forgotten === 'deleted' && owner === 'workspace_id' && name !== 'work',
  )
  // What refers to others comes before them.
  for (const { name } of deleted.toSorted((one, other) => Number(!one.partOf) - Number(!other.partOf)))
    counts.set(name, await deleteRowsOf(database, workspaceId, name))
  return counts
}
