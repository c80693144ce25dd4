import type { Database } from '../database/database.ts'
import { resealBatch, type StaleRow } from './reseal-rows.ts'
import type { Sealer } from './seal.ts'
import type { SealedColumn } from './sealed-columns.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** What came of one batch, or of a whole pass over a column. */
export interface Resealed {
  readonly resealed: number
  /** Rows that another process changed in the same moment: to be looked at again. */
  readonly overtaken: number
  /** Rows that open with no key of the ring. */
  readonly unopened: number
}

export interface Reseal {
  readonly database: Database
  readonly root: Sealer
  readonly workspaceKeys: WorkspaceKeys
  /** The encryption key that everything shall be sealed with, or the keys of the workspaces that seal in its place. */
  readonly keyId: string
  /** Whether workspaces have keys of their own yet. */
  readonly isOn: boolean
  /** Rows in one transaction. */
  readonly batch: number
}

/**
 * Goes once over a column in the order of its key, a batch at a time, and seals with the key what is sealed with another.
 * A kill loses at most a batch; a row that changes meanwhile is left as its writer made it.
 */
export async function* resealColumn(reseal: Reseal, column: SealedColumn): AsyncGenerator<Resealed> {
  let last: StaleRow | undefined
  do {
    const after: StaleRow | undefined = last
    const rows = await reseal.database.rows
      .transaction()
      .execute(async (transaction) => await resealBatch(transaction, reseal, column, after))
    yield rows.done
    last = rows.last
  } while (last !== undefined)
}
