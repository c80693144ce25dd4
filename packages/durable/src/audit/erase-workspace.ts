import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Chains } from './chain.ts'
import { deleteDecided, formatDecidedBy } from './decisions.ts'
import { deleteLeftovers } from './retention.ts'
import { type AuditEvent, toUnchainedRow } from './row.ts'

/**
 * Deletes a workspace's audit log, settings, and roles, except for one new audit row that records the deletion and continues the chain.
 * That row, the new start of the chain, and the deletion of settings and roles are one transaction. The older audit rows are deleted
 * after it, oldest first. After a crash, the same call finishes it. Returns the number of deleted rows by table.
 */
export async function eraseWorkspaceLog(
  database: Pick<Database, 'rows' | 'model'>,
  chains: Chains,
  event: Omit<AuditEvent, 'after'>,
  after: object,
): Promise<ReadonlyMap<string, number>> {
  const { workspaceId } = event
  const deleted = await database.rows.transaction().execute(async (transaction) => {
    const auditRows = await countRows(transaction, workspaceId)
    const row = toUnchainedRow({ ...event, after: { ...after, auditRows } })
    const [added] = await chains.append(transaction, workspaceId, [row])
    const head = await chains.lock(transaction, workspaceId)
    if (!added || !head) throw new Error('A row was added to a chain without a head.')
    const { sequence } = added
    const { previous_hash: hashBefore } = await transaction
      .selectFrom('audit_entry')
      .select('previous_hash')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '=', sequence)
      .executeTakeFirstOrThrow()
    const cut = {
      why: 'erasure',
      to: sequence - 1,
      by: sequence,
      day: event.at.toISOString().slice(0, 10),
    } as const
    const by = formatDecidedBy(added)
    const newHead = { ...head, keptFrom: sequence, hashBefore, cuts: [cut], erased: 0, decided: by }
    await chains.save(transaction, workspaceId, newHead, { by, rows: {} })
    return await deleteDecided(transaction, database.model.tables, workspaceId)
  })
  const auditEntries = await deleteLeftovers(database, chains, workspaceId)
  return new Map([...deleted, ['audit_entry', auditEntries]])
}

async function countRows(rows: Transaction<Schema>, workspaceId: string): Promise<number> {
  const { count } = await rows
    .selectFrom('audit_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
