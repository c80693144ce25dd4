import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import { StoreError } from '../database/errors.ts'
import type { AuditEntryRow, Schema } from '../database/schema.ts'
import { deleteInBatches } from '../database/sweeping.ts'
import type { Sealer } from '../secrets/seal.ts'
import type { Chains } from './chain.ts'
import { erasedRow, erasureCheck } from './erasure.ts'
import { type AuditEvent, hashOf, unchainedRow } from './row.ts'
import { findRows } from './search.ts'

/** Whose rows, and what else names them: an e-mail address, a name. */
export interface ErasedPerson {
  readonly userId: string
  readonly alsoKnownAs: readonly string[]
}

/**
 * Takes a person out of a workspace's log: out of what they did, and out of every row that names them. Each row keeps its place,
 * its hash and its verb. Returns how many rows were changed. Throws StoreError `unusable` at a row that was tampered with,
 * which would otherwise be hidden by this.
 */
export async function erasePerson(
  database: Database,
  sealer: Sealer,
  workspaceId: string,
  { userId, alsoKnownAs }: ErasedPerson,
): Promise<number> {
  const isErased = erasureCheck(sealer)
  const names = [userId, ...alsoKnownAs].map((name) => name.toLowerCase()).filter((name) => name !== '')
  const isNamed = ({ object, before, after }: AuditEntryRow): boolean => {
    const said = [object, before, after].join('\n').toLowerCase()
    return names.some((name) => said.includes(name))
  }
  let count = 0
  for await (const page of findRows(database, { workspaceId }, 'asc')) {
    const theirs = page.filter((row) => row.user_id === userId || isNamed(row))
    for (const row of theirs) {
      if (hashOf(row) !== row.hash && !isErased(row)) {
        throw new StoreError(
          'unusable',
          `Row ${row.sequence} of the audit log of ${workspaceId} was tampered with, so nothing more of it is erased: run audit verify.`,
        )
      }
      const left = erasedRow(sealer, row, row.user_id === userId)
      const { user_id, team_id, channel_id, object, before, after, salt, sealed_erasure } = left
      await database.rows
        .updateTable('audit_entry')
        .set({ user_id, team_id, channel_id, object, before, after, salt, sealed_erasure })
        .where('workspace_id', '=', workspaceId)
        .where('sequence', '=', row.sequence)
        .execute()
      count += 1
    }
  }
  return count
}

/**
 * Deletes a workspace's whole log but for one row that says so, with which the chain goes on. After a kill, the same call again
 * goes on. Returns how many rows went.
 */
export async function eraseLog(
  { rows }: Database,
  chains: Chains,
  word: Omit<AuditEvent, 'after'>,
  after: object,
): Promise<number> {
  const { workspaceId } = word
  const first = await rows.transaction().execute(async (transaction) => {
    const count = await countOf(transaction, workspaceId)
    const told = unchainedRow({ ...word, after: { ...after, auditRows: count } })
    const [added] = await chains.append(transaction, workspaceId, [told])
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
  return await deleteInBatches(async (limit) => {
    const some = rows
      .selectFrom('audit_entry')
      .select('sequence')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '<', first)
      .limit(limit)
    const { numDeletedRows } = await rows
      .deleteFrom('audit_entry')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', 'in', some)
      .executeTakeFirstOrThrow()
    return Number(numDeletedRows)
  })
}

async function countOf(rows: Transaction<Schema>, workspaceId: string): Promise<number> {
  const { count } = await rows
    .selectFrom('audit_entry')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
