import type { Database } from './database.ts'
import type { OpenedTokens } from './opened-tokens.ts'

/** How many rows of each kind there were. */
export interface Forgotten {
  readonly installations: number
  readonly connections: number
  readonly drafts: number
  readonly jobs: number
}

/** Deletes the workspace's secrets and drafts in one transaction; nothing of them stays in memory. */
export async function forgetWorkspace(
  { inTurn }: Database,
  opened: OpenedTokens,
  workspaceId: string,
): Promise<Forgotten> {
  const forgotten = await inTurn(`forgetting ${workspaceId}`, async (transaction) => {
    const installations = transaction.deleteFrom('installation').where('id', '=', workspaceId)
    const connections = transaction.deleteFrom('connection').where('workspace_id', '=', workspaceId)
    const drafts = transaction.deleteFrom('draft').where('workspace_id', '=', workspaceId)
    const jobs = transaction.deleteFrom('job').where('workspace_id', '=', workspaceId)
    return {
      installations: Number((await installations.executeTakeFirstOrThrow()).numDeletedRows),
      connections: Number((await connections.executeTakeFirstOrThrow()).numDeletedRows),
      drafts: Number((await drafts.executeTakeFirstOrThrow()).numDeletedRows),
      jobs: Number((await jobs.executeTakeFirstOrThrow()).numDeletedRows),
    }
  })
  opened.clear()
  return forgotten
}
