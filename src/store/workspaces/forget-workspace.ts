import type { Database } from '../database/database.ts'
import type { ReadCache } from '../database/read-cache.ts'
import { deleteInBatches } from '../database/sweeping.ts'
import { forgetOrders } from '../orders/forget-orders.ts'
import type { Sealer } from '../secrets/seal.ts'
import { caseForgetting } from '../threats/forget-cases.ts'
import { threatMemory } from '../threats/memory.ts'
import { threatShares } from '../threats/shares.ts'
import { threatVersions } from '../threats/versions.ts'
import { forgetWatching } from '../watching/forget-watching.ts'
import { deleteWork } from '../work/delete-work.ts'

/** How many rows of each kind there were. */
export interface Forgotten {
  readonly installations: number
  readonly connections: number
  readonly ephemeralState: number
  readonly work: number
  readonly watches: number
  /** Threat events that were read. */
  readonly threats: number
  /** What was done about them. */
  readonly cases: number
  /** Certificate orders that were ended or emptied; they stay. */
  readonly orders: number
}

/**
 * Deletes the workspace's secrets in one transaction; then its ephemeral state, its work, its watches, the threat events it has read and what is secret of its orders,
 * of which there may be many. Nothing of them stays in memory.
 */
export async function forgetWorkspace(
  database: Database,
  { changing, sealer, now }: Pick<ReadCache, 'changing'> & { sealer: Sealer; now: () => Date },
  workspaceId: string,
): Promise<Forgotten> {
  const forgetting = database.inTurn(`forgetting ${workspaceId}`, async (transaction) => {
    const installations = transaction.deleteFrom('installation').where('id', '=', workspaceId)
    const connections = transaction.deleteFrom('connection').where('workspace_id', '=', workspaceId)
    return {
      installations: Number((await installations.executeTakeFirstOrThrow()).numDeletedRows),
      connections: Number((await connections.executeTakeFirstOrThrow()).numDeletedRows),
    }
  })
  const secrets = await changing(workspaceId, forgetting)
  const ephemeralState = await forgetStates(database, workspaceId)
  const work = await deleteWork(
    database,
    (doing) => doing(database.rows),
    (row) => row('workspace_id', '=', workspaceId),
  )
  const watches = await forgetWatching(database, workspaceId)
  const threats = await threatMemory(database, sealer).forget(workspaceId)
  await threatVersions(database).forget(workspaceId)
  const cases = await caseForgetting(database, sealer).forgetCases(workspaceId)
  await threatShares(database).forget(workspaceId)
  const orders = await forgetOrders(database, sealer, workspaceId, now().toISOString())
  return { ...secrets, ephemeralState, work, watches, threats, cases, orders }
}

const forgetStates = ({ rows }: Database, workspaceId: string): Promise<number> =>
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
