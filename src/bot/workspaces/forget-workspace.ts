import { randomUUID } from 'node:crypto'
import {
  type AppendAudit,
  type Audit,
  type Database,
  type DatabaseTime,
  deleteRows,
  deleteWorkspaceRows,
  forgetRows,
  type InTransaction,
  type Processes,
  type ReadCache,
  readTime,
  type Settings,
  type Steps,
  schedule,
  selectRows,
  unschedule,
} from '@signalman/durable'
import { MINUTE_MS } from '@signalman/runtime'
import { REMOVAL, type Removal, type RemovalEvent } from './installations.ts'

/** The number of deleted rows, by table. */
export type Counts = Readonly<Record<string, number>>

/** The kind of work that finishes a removal if its process dies. */
export const REMOVAL_WORK = 'removal'
const RETRY_AFTER_MS = MINUTE_MS

/** Which installation to remove. */
export interface RemovalTarget {
  /**
   * The encrypted token of the installation to remove; null if there was none. Nothing is removed if it has changed. By default,
   * any installation is removed.
   */
  readonly sealedToken?: string | null
  readonly event?: RemovalEvent
}

/** Another process has finished the removal in the meantime. */
class RemovalFinished extends Error {
  override readonly name = 'RemovalFinished'
}

/**
 * Removes the data of workspaces that uninstalled the app, but keeps their audit logs, roles, and settings;
 * `eraseWorkspace` deletes those too. A removal starts with one transaction that deletes the installation and the connections, and marks the workspace as being removed. Then any process deletes the rest in small batches, as long as the
 * workspace has that mark. Reinstalling the app first finishes the removal, so a removal never deletes rows of a later
 * installation.
 */
export function createWorkspaceRemoval(
  database: Database,
  deps: Pick<ReadCache, 'invalidateAfter'> & {
    time: DatabaseTime
    settings: Settings
    processes: Pick<Processes, 'refuseOlder' | 'endErasure'>
    append: AppendAudit
    /** Records the unknown outcomes of acts before they are deleted. */
    auditUnknownOutcomes: Steps['auditUnknownOutcomes']
    now: () => Date
  },
) {
  const { invalidateAfter, time, settings, processes, append, now } = deps
  const removalWork = (workspaceId: string) => ({ workspaceId: '', kind: REMOVAL_WORK, key: workspaceId })

  /** Undefined, with nothing changed, if another installation has replaced the one in `target`. */
  async function begin(workspaceId: string, target: RemovalTarget) {
    const { event, sealedToken } = target
    const beginning = database.withLock(workspaceId, async (transaction) => {
      const installed = await selectRows(transaction, 'installation', { id: workspaceId }).executeTakeFirst()
      if (sealedToken !== undefined && (installed?.sealed_token ?? null) !== sealedToken) return undefined
      const secretCounts = {
        installation: await deleteRows(transaction, 'installation', { id: workspaceId }),
        connection: await deleteRows(transaction, 'connection', { workspace_id: workspaceId }),
      }
      const before = await settings.get(workspaceId, REMOVAL, transaction)
      const isLogged = event !== undefined && secretCounts.installation + secretCounts.connection > 0
      const removal = before ?? { id: randomUUID(), ...(event && { event }), isLogged }
      await settings.setInTransaction(transaction, workspaceId, REMOVAL, removal)
      if (isLogged && !before)
        await append(transaction, { ...event, workspaceId, at: now(), outcome: 'begun' })
      await schedule(
        transaction,
        time,
        removalWork(workspaceId),
        new Date((await readTime(transaction, time)).getTime() + RETRY_AFTER_MS),
      )
      return { removal, secretCounts }
    })
    return await invalidateAfter(workspaceId, beginning)
  }

  /** Deletes the remaining rows. Undefined if another process has already finished the removal. */
  async function deleteRest(
    workspaceId: string,
    removal: Removal,
    secretCounts: Counts,
  ): Promise<Counts | undefined> {
    // Decisions and polls in this workspace wait. Otherwise, each could hold rows that the other needs.
    const inTransaction: InTransaction = (work) =>
      database.withLock(workspaceId, async (transaction) => {
        const currentRemoval = await settings.get(workspaceId, REMOVAL, transaction)
        if (currentRemoval?.id !== removal.id) throw new RemovalFinished()
        return await work(transaction)
      })
    try {
      await processes.refuseOlder(workspaceId, { isWhole: false })
      const rows = await forgetRows(database, workspaceId, inTransaction, deps.auditUnknownOutcomes)
      const forgotten = { ...secretCounts, ...Object.fromEntries(rows) }
      const { event, isLogged } = removal
      const hasChanges = isLogged || Object.values(forgotten).some((count) => count > 0)
      const ending = inTransaction(async (transaction) => {
        if (event && hasChanges)
          await append(transaction, { ...event, workspaceId, at: now(), before: forgotten, outcome: 'done' })
        await settings.setInTransaction(transaction, workspaceId, REMOVAL, null)
        await processes.endErasure(transaction, workspaceId)
        await unschedule(transaction, removalWork(workspaceId))
      })
      await invalidateAfter(workspaceId, ending)
      return forgotten
    } catch (error) {
      if (error instanceof RemovalFinished) return undefined
      throw error
    }
  }

  async function forget(workspaceId: string, target: RemovalTarget = {}): Promise<Counts | undefined> {
    const begun = await begin(workspaceId, target)
    if (!begun) return undefined
    const { removal, secretCounts } = begun
    return (await deleteRest(workspaceId, removal, secretCounts)) ?? secretCounts
  }

  async function finish(workspaceId: string): Promise<void> {
    const removal = await settings.get(workspaceId, REMOVAL)
    if (removal) await deleteRest(workspaceId, removal, {})
  }

  return {
    /** Undefined if another installation has replaced the one in `target`. */
    forget,
    /** Finishes a removal that has started. After that, the app can be installed there again. */
    finish,
  }
}

/**
 * Deletes all rows of a workspace, including the audit log, roles, and settings that `forgetWorkspace` keeps, and writes one new audit row about
 * it. Calls `forget` first. If the process dies, the same call finishes the erasure. Returns the number of rows by table.
 */
export async function eraseWorkspace(
  database: Database,
  deps: Pick<ReadCache, 'invalidateAfter'> & {
    audit: Pick<Audit, 'eraseWorkspace'>
    processes: Pick<Processes, 'refuseOlder'>
    forget: (workspaceId: string) => Promise<unknown>
    reference: string
    now: Date
  },
  workspaceId: string,
): Promise<ReadonlyMap<string, number>> {
  const { audit, processes, invalidateAfter, forget, reference, now } = deps
  await forget(workspaceId)
  await processes.refuseOlder(workspaceId, { isWhole: true })
  const erased = new Map<string, number>()
  // Referencing tables first.
  const tables = database.model.tables.filter(
    ({ name, owner, columns }) =>
      owner !== undefined && columns.names.includes('workspace_id') && name !== 'audit_entry',
  )
  const erasing = eraseRows(
    database,
    tables.toSorted((one, other) => Number(!one.partOf) - Number(!other.partOf)).map(({ name }) => name),
    workspaceId,
    erased,
  )
  await invalidateAfter(workspaceId, erasing)
  const auditRows = await audit.eraseWorkspace({
    workspaceId,
    at: now,
    actor: { userId: 'operator' },
    verb: 'workspace.erase',
    object: 'everything of this workspace',
    after: { rows: Object.fromEntries(erased) },
    outcome: 'done',
    reference,
  })
  if (auditRows > 0) erased.set('audit_entry', auditRows)
  return erased
}

async function eraseRows(
  database: Database,
  tables: readonly string[],
  workspaceId: string,
  erased: Map<string, number>,
): Promise<void> {
  for (const table of tables) {
    const count = await deleteWorkspaceRows(database, workspaceId, table)
    if (count > 0) erased.set(table, count)
  }
}
