import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { type InTransaction, whileKeyIsHeld } from '../secrets/save-sealed.ts'
import type { TextSealer } from '../secrets/seal.ts'
import type { WorkspaceKeys } from '../secrets/workspace-keys.ts'
import type { NewWork } from './work-row.ts'

/** Work without a body is sealed by nothing, and needs no key. */
export const savingOf =
  (keys: WorkspaceKeys) =>
  <T>(
    inTransaction: InTransaction,
    { workspaceId, body }: Pick<NewWork, 'workspaceId' | 'body'>,
    save: (transaction: Transaction<Schema>, sealer: TextSealer | undefined) => Promise<T>,
  ): Promise<T> =>
    body === undefined
      ? inTransaction((transaction) => save(transaction, undefined))
      : whileKeyIsHeld(inTransaction, keys, workspaceId, save)

export const transactions =
  (rows: Kysely<Schema>): InTransaction =>
  (work) =>
    rows.transaction().execute(work)

/** The turn in which a workspace adds or starts work of which it may have one only: one after the other. */
export const turnOf = (workspaceId: string): string => `work of ${workspaceId}`
