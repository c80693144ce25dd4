import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import { deleteRows } from '../database/delete-rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Chains } from './chain.ts'
import { type AuditEvent, unchainedRow } from './row.ts'

/**
 * Deletes a workspace's log except for one new row, which records the deletion and continues the chain. After a kill, the same call
 * finishes it. Returns how many rows it deleted.
 */
export async function eraseWorkspaceLog(
  database: Database,
  chains: Chains,
  event: Omit<AuditEvent, 'after'>,
  after: object,
): Promise<number> {
  const { workspaceId } = event
  const first = await database.rows.transaction().execute(async (transaction) => {
    const count = await countOf(transaction, workspaceId)
    const row = unchainedRow({ ...event, after: { ...after, auditRows: count } })
    const [added] = await chains.append(transaction, workspaceId, [row])
    const head = await chains.lock(transaction, workspaceId)
    if (added === undefined || head === undefined) throw new Error('A row was added, and there is no head.')
    const { previous_hash } = await transaction
      .selectFrom('audit_entry')
      .select('previous_hash')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '=', added.sequence)
      .executeTakeFirstOrThrow()
    await chains.save(transaction, workspaceId, {
      ...head,
      keptFrom: added.sequence,
      hashBefore: previous_hash,
    })
    return added.sequence
  })
  return await deleteRows(database, 'audit_entry', (row) =>
    row.and([row('workspace_id', '=', workspaceId), row('sequence', '<', first)]),
  )
}

async function countOf(rows: Transaction<Schema>, workspaceId: string): Promise<number> {
  const { count } = await rows
    .selectFrom('audit_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
