import type { Database } from '../database/database.ts'
import { resealBatch, type StaleRow } from './reseal-rows.ts'
import type { Sealer } from './seal.ts'
import type { SealedColumn } from './sealed-columns.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** The result of one batch, or of a whole pass over a column. */
export interface Resealed {
  readonly resealed: number
  /** Rows that another process changed meanwhile: the next pass looks at them again. */
  readonly overtaken: number
  /** Rows that open with no key of the ring. */
  readonly unopened: number
}

export interface Reseal {
  readonly database: Database
  readonly root: Sealer
  readonly workspaceKeys: WorkspaceKeys
  /** Re-seals with this encryption key, or with the keys of workspaces that replace it. */
  readonly keyId: string
  /** Whether workspaces have their own keys yet. */
  readonly isOn: boolean
  /** Rows in one transaction. */
  readonly batch: number
}

/**
 * Goes through a column once, in the order of its key and in batches, and re-seals texts of other keys. A kill loses at most one
 * batch; a row that changes meanwhile stays as its writer made it.
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
