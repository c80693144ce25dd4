import type { Database } from '../database/database.ts'
import type { ReadCache } from '../database/read-cache.ts'
import { forgetOrders } from '../orders/forget-orders.ts'
import type { Sealer } from '../secrets/seal.ts'

/** How many rows of each kind there were. */
export interface Forgotten {
  readonly installations: number
  readonly connections: number
  readonly ephemeralState: number
  readonly work: number
  /** Certificate orders that were ended or emptied; they stay. */
  readonly orders: number
}

/**
 * Deletes the workspace's secrets and ephemeral state in one transaction, and then what is secret of its orders, which may be
 * many; nothing of them stays in memory.
 */
export async function forgetWorkspace(
  database: Database,
  { changing, sealer, now }: Pick<ReadCache, 'changing'> & { sealer: Sealer; now: () => Date },
  workspaceId: string,
): Promise<Forgotten> {
  const forgetting = database.inTurn(`forgetting ${workspaceId}`, async (transaction) => {
    const installations = transaction.deleteFrom('installation').where('id', '=', workspaceId)
    const connections = transaction.deleteFrom('connection').where('workspace_id', '=', workspaceId)
    const states = transaction.deleteFrom('ephemeral_state').where('workspace_id', '=', workspaceId)
    const work = transaction.deleteFrom('work').where('workspace_id', '=', workspaceId)
    return {
      installations: Number((await installations.executeTakeFirstOrThrow()).numDeletedRows),
      connections: Number((await connections.executeTakeFirstOrThrow()).numDeletedRows),
      ephemeralState: Number((await states.executeTakeFirstOrThrow()).numDeletedRows),
      work: Number((await work.executeTakeFirstOrThrow()).numDeletedRows),
    }
  })
  const forgotten = await changing(forgetting)
  return { ...forgotten, orders: await forgetOrders(database, sealer, workspaceId, now().toISOString()) }
}
