import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { TextSealer } from './seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** What is sealed for a workspace is saved, and its secrets are deleted, one after the other. */
export const secretsTurn = (workspaceId: string): string => `forgetting ${workspaceId}`

/** Does the work in one transaction, of whatever kind. */
export type InTransaction = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => Promise<T>

/**
 * Saves what is sealed while the transaction holds the workspace's key, so that a forgetting comes before or after as a whole: one in
 * between would destroy the key and leave what it sealed, which nobody could open. The work may be begun more than once.
 */
export async function whileKeyIsHeld<T>(
  inTransaction: InTransaction,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<T>,
): Promise<T> {
  for (;;) {
    const saved = await inTransaction(async (transaction) => {
      const sealer = await keys.heldSealerIn(transaction, workspaceId)
      return sealer && { value: await save(transaction, sealer) }
    })
    if (saved) return saved.value
    // A forgetting may retire the key that is made now.
    await keys.freshSealer(workspaceId)
  }
}

/** The same in the turn in which the workspace's secrets are deleted, for what is deleted in it, and who must be alone with it. */
export const saveSealed = (
  { inTurn }: Pick<Database, 'inTurn'>,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<unknown>,
): Promise<unknown> =>
  whileKeyIsHeld((work) => inTurn(secretsTurn(workspaceId), work), keys, workspaceId, save)
