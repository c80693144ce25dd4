import type { Database } from '../database/database.ts'
import { deleteInBatches } from '../database/sweeping.ts'

/** Deletes all ephemeral state of a workspace, some at a time, and says how much there was. */
export const forgetStates = ({ rows }: Database, workspaceId: string): Promise<number> =>
  deleteInBatches(async (limit) => {
    const some = rows
      .selectFrom('ephemeral_state')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .limit(limit)
    const { numDeletedRows } = await rows
      .deleteFrom('ephemeral_state')
      .where('id', 'in', some)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })
