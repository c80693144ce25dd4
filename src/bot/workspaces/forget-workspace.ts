import {
  type Database,
  forgetRows,
  type ReadCache,
  secretsTurn,
  type WorkspaceKeys,
} from '@signalman/durable'

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
    forgetOrders,
  }: Pick<ReadCache, 'changing'> & {
    keys: WorkspaceKeys
    /** Ends and empties its certificate orders; returns how many. */
    forgetOrders: (workspaceId: string) => Promise<number>
  },
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
  const counts = await forgetRows(database, workspaceId)
  const orders = await forgetOrders(workspaceId)
  await keys.destroyRetired(workspaceId, 'content')
  const count = (table: string): number => counts.get(table) ?? 0
  return {
    ...secrets,
    ephemeralState: count('ephemeral_state'),
    work: count('work'),
    watches: count('watch'),
    threats: count('threat_seen'),
    cases: count('threat_case'),
    orders,
  }
}
