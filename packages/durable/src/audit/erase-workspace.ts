import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { Chains } from './chain.ts'
import { deleteDecided } from './decisions.ts'
import { deleteLeftovers } from './retention.ts'
import { type AuditEvent, unchainedRow } from './row.ts'

/**
 * Deletes a workspace's log except for one new row, which records the deletion and continues the chain, and all that the log has
 * decided. The new row, the new start of the chain and the end of settings and roles are one transaction; the rows before it go after
 * that, oldest first. After a kill, the same call finishes it. Returns how many rows it deleted, by table.
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
    const row = unchainedRow({ ...event, after: { ...after, auditRows } })
    const [added] = await chains.append(transaction, workspaceId, [row])
    const head = await chains.lock(transaction, workspaceId)
    if (!added || !head) throw new Error('A row was added, and there is no head.')
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
    const shorter = { ...head, keptFrom: sequence, hashBefore, cuts: [cut], erased: 0, decided: sequence }
    await chains.save(transaction, workspaceId, shorter, { by: sequence, rows: {} })
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
