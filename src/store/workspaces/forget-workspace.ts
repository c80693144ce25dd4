import type { DatabaseTime } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import { deleteRowsOf } from '../database/delete-rows.ts'
import type { ReadCache } from '../database/read-cache.ts'
import { forgetOrders } from '../orders/forget-orders.ts'
import { secretsTurn } from '../secrets/save-sealed.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import { caseForgetting } from '../threats/forget-cases.ts'
import { threatMemory } from '../threats/memory.ts'
import { threatShares } from '../threats/shares.ts'
import { threatVersions } from '../threats/versions.ts'
import { forgetWatching } from '../watching/forget-watching.ts'
import { deleteWork } from '../work/delete-work.ts'
import { postAttempts } from '../work/post-attempts.ts'

/** How many rows of each kind there were. */
export interface Forgotten {
  readonly installations: number
  readonly connections: number
  readonly ephemeralState: number
  readonly work: number
  readonly watches: number
  /** Remembered threat events. */
  readonly threats: number
  /** Cases of threat events. */
  readonly cases: number
  /** Certificate orders that were ended or emptied; their rows stay. */
  readonly orders: number
}

/**
 * Forgets a workspace but keeps its audit log, roles, settings and emptied orders; `eraseWorkspace` deletes all rows. The secrets go
 * in one transaction; then ephemeral state, work, watches, threat events and the secret parts of orders, some rows at a time. Last,
 * the key that sealed all of it is destroyed, so that copies in backups do not open.
 */
export async function forgetWorkspace(
  database: Database,
  {
    changing,
    keys,
    now,
    time,
  }: Pick<ReadCache, 'changing'> & { keys: WorkspaceKeys; now: () => Date; time: DatabaseTime },
  workspaceId: string,
): Promise<Forgotten> {
  const forgetting = database.inTurn(secretsTurn(workspaceId), async (transaction) => {
    const installations = transaction.deleteFrom('installation').where('id', '=', workspaceId)
    const connections = transaction.deleteFrom('connection').where('workspace_id', '=', workspaceId)
    await keys.retire(transaction, workspaceId, 'content')
    await keys.leaveTombstone(transaction, workspaceId)
    return {
      installations: Number((await installations.executeTakeFirstOrThrow()).numDeletedRows),
      connections: Number((await connections.executeTakeFirstOrThrow()).numDeletedRows),
    }
  })
  const secrets = await changing(workspaceId, forgetting)
  const ephemeralState = await deleteRowsOf(database, workspaceId, 'ephemeral_state')
  const work = await deleteWork(
    database,
    (doing) => doing(database.rows),
    (row) => row('workspace_id', '=', workspaceId),
  )
  await postAttempts(database, time).forget(workspaceId)
  const watches = await forgetWatching(database, workspaceId)
  const threats = await threatMemory(database, keys).forget(workspaceId)
  await threatVersions(database).forget(workspaceId)
  const cases = await caseForgetting(database, keys).forgetCases(workspaceId)
  await threatShares(database).forget(workspaceId)
  await deleteRowsOf(database, workspaceId, 'takedown_watch')
  const orders = await forgetOrders(database, keys, workspaceId, now().toISOString())
  await keys.destroyRetired(workspaceId, 'content')
  return { ...secrets, ephemeralState, work, watches, threats, cases, orders }
}
