import type { Transaction } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { TextSealer } from './seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** What is sealed for a workspace is saved, and its secrets are deleted, one after the other. */
export const secretsTurn = (workspaceId: string): string => `forgetting ${workspaceId}`

/**
 * Saves what is sealed in the workspace's turn, so that a forgetting comes before or after as a whole: one in between would destroy
 * the key and leave what it sealed, which nobody could open.
 */
export async function saveSealed(
  { inTurn }: Pick<Database, 'inTurn'>,
  keys: WorkspaceKeys,
  workspaceId: string,
  save: (transaction: Transaction<Schema>, sealer: TextSealer) => Promise<unknown>,
): Promise<void> {
  const isSaved = () =>
    inTurn(secretsTurn(workspaceId), async (transaction) => {
      const sealer = await keys.freshSealerIn(transaction, workspaceId)
      if (sealer) await save(transaction, sealer)
      return sealer !== undefined
    })
  // A forgetting may retire the key that was made just now.
  while (!(await isSaved())) await keys.freshSealer(workspaceId)
}
