import {
  type AppendAudit,
  type AuditEvent,
  type Chains,
  type Database,
  deleteIn,
  deleteRowsOf,
  eraseWorkspaceLog,
  forgetRows,
  type ReadCache,
  secretsTurn,
  tablesOf,
  type WorkspaceKeys,
} from '@signalman/durable'
import { sql } from 'kysely'

export type Forgotten = Awaited<ReturnType<typeof forgetWorkspace>>

/**
 * Forgets a workspace but keeps its audit log, roles, settings and emptied orders; `eraseWorkspace` deletes all rows. The secrets go
 * in one transaction; then ephemeral state, work, watches, threat events and the secret parts of orders, some rows at a time. Last,
 * the key that sealed all of it is destroyed, so that copies in backups do not open. Returns how many rows of each kind there were.
 */
export async function forgetWorkspace(
  database: Database,
  {
    changing,
    keys,
    forgetInFeatures,
    append,
    intent,
  }: Pick<ReadCache, 'changing'> & {
    keys: WorkspaceKeys
    append: AppendAudit
    /** Stored with the end of the secrets, where there are any: a process that dies after that leaves word of it. */
    intent: AuditEvent | undefined
    /** Forgets what features keep in their own way, such as certificate orders, which are emptied; returns how many of each. */
    forgetInFeatures: (workspaceId: string) => Promise<Readonly<Record<string, number>>>
  },
  workspaceId: string,
) {
  const forgetting = database.inTurn(secretsTurn(workspaceId), async (transaction) => {
    await keys.retire(transaction, workspaceId, 'content')
    await keys.leaveTombstone(transaction, workspaceId)
    const installations = await deleteIn(transaction, 'installation', { id: workspaceId })
    const connections = await deleteIn(transaction, 'connection', { workspace_id: workspaceId })
    if (intent && installations + connections > 0) await append(transaction, [intent])
    return { installations, connections }
  })
  const secrets = await changing(workspaceId, forgetting)
  const counts = await forgetRows(database, workspaceId)
  const { orders = 0 } = await forgetInFeatures(workspaceId)
  await keys.destroyRetired(workspaceId, 'content')
  const count = (table: string): number => counts.get(table) ?? 0
  return {
    ...secrets,
    ephemeralState: count('ephemeral_state'),
    work: count('work'),
    watches: count('watch'),
    /** Remembered threat events. */
    threats: count('threat_seen'),
    /** Cases of threat events. */
    cases: count('threat_case'),
    /** Certificate orders that were ended or emptied; their rows stay. */
    orders,
  }
}

/** Tables that keep rows: the log's one row and its chain, and tombstones of destroyed keys. */
const KEPT = new Set(['audit_entry', 'audit_chain', 'workspace_key'])

/**
 * Deletes all rows of a workspace, its audit log and orders included; `forgetWorkspace` keeps those two. One row of the log stays,
 * which records this. Calls `forget` first, and last destroys the key of the workspace's rows in backups. After a kill, the same
 * call finishes it. Returns rows by table.
 */
export async function eraseWorkspace(
  database: Database,
  parts: Pick<ReadCache, 'changing'> & {
    chains: Chains
    keys: WorkspaceKeys
    forget: (workspaceId: string) => Promise<Forgotten>
    reference: string
    now: Date
  },
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> {
  const { chains, changing, forget, keys, reference, now } = parts
  await forget(workspaceId)
  const erased = new Map<string, number>()
  // Settings and roles go together with the row of the log that says so.
  const decided = new Set(
    database.model.tables.filter(({ decides }) => decides).map(({ name }) => name as string),
  )
  const own = (await tablesOf(database.rows, database.kind)).filter(
    ({ name, columns }) => columns.includes('workspace_id') && !KEPT.has(name) && !decided.has(name),
  )
  const erasing = eraseRows(database, own.map(({ name }) => name).toReversed(), workspaceId, erased)
  await changing(workspaceId, erasing)
  const event = {
    workspaceId,
    at: now,
    actor: { userId: 'operator' },
    verb: 'workspace.erase',
    object: 'everything of this workspace',
    outcome: 'done' as const,
    reference,
  }
  const erasingLog = eraseWorkspaceLog(database, chains, event, { rows: Object.fromEntries(erased) })
  for (const [table, rows] of await changing(workspaceId, erasingLog)) erased.set(table, rows)
  await keys.retire(database.rows, workspaceId, 'content')
  await keys.destroyRetired(workspaceId, 'content')
  // Makes a key if there is none: its destruction tells a backup that is under way of the erasure.
  await keys.keyFor(workspaceId, 'rows')
  await keys.retire(database.rows, workspaceId, 'rows')
  await keys.destroyRetired(workspaceId, 'rows')
  return erased
}

async function eraseRows(
  database: Database,
  tables: readonly string[],
  workspaceId: string,
  erased: Map<string, number>,
): Promise<void> {
  await sql`delete from cert_order_event where order_id in
    (select id from cert_order where workspace_id = ${workspaceId})`.execute(database.rows)
  for (const table of tables) {
    const count = await deleteRowsOf(database, workspaceId, table)
    if (count > 0) erased.set(table, count)
  }
}
