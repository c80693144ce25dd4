import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { TextSealer } from './seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** The turn in which a workspace's sealed rows are saved, and its secrets deleted. */
export const secretsTurn = (workspaceId: string): string => `forgetting ${workspaceId}`

/** Runs the work in one transaction. */
export type InTransaction = <T>(work: (transaction: Transaction<Schema>) => Promise<T>) => Promise<T>

/**
 * Runs work that saves sealed rows in a transaction that holds the workspace's key, so that a forgetting comes wholly before or after
 * it. In between, it would destroy the key and leave rows that nothing opens. The work may run more than once.
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
    // A forgetting may retire the new key at once.
    await keys.freshSealer(workspaceId)
  }
}

/** The same in a turn: that of the workspace's secrets unless given, for rows that are deleted in it. */
export const saveSealed = <T>(
  { inTurn }: Pick<Database, 'inTurn'>,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<T>,
  turn = secretsTurn(workspaceId),
): Promise<T> => whileKeyIsHeld((work) => inTurn(turn, work), keys, workspaceId, save)
