import type { AuditEntryRow } from '../database/schema.ts'
import { type AuditEntry, toEntry } from './row.ts'

/** Rows of one act or job that differ only in their object. */
export interface AuditFold {
  /** The newest row. */
  readonly entry: AuditEntry
  readonly rows: number
  /** The oldest row of the fold that was read. */
  readonly firstSequence: number
}

export interface FoldedPage {
  readonly folds: readonly AuditFold[]
  /** Where the next page continues: the rows before this one. Undefined at the end. A fold may continue on the next page. */
  readonly before: number | undefined
}

/** The maximum number of rows to fold per page, because a job may leave 50,000. */
const MAX_ROWS = 5000

/**
 * Folds rows, newest first, until there are `limit` folds. A fold contains all rows with the same reference, person, verb, kind of
 * object, and outcome, even if other rows are in between.
 */
export async function foldRows(pages: AsyncIterable<AuditEntryRow[]>, limit: number): Promise<FoldedPage> {
  const folds = new Map<string, { entry: AuditEntry; rows: number; firstSequence: number }>()
  let rowCount = 0
  for await (const page of pages) {
    for (const row of page) {
      const [kind] = row.object?.split(' ', 1) ?? []
      const key = JSON.stringify([row.reference, row.user_id, row.verb, kind, row.outcome])
      const fold = folds.get(key)
      if (rowCount >= MAX_ROWS || (fold === undefined && folds.size >= limit))
        return { folds: [...folds.values()], before: row.sequence + 1 }
      rowCount += 1
      if (fold === undefined) folds.set(key, { entry: toEntry(row), rows: 1, firstSequence: row.sequence })
      else {
        fold.rows += 1
        fold.firstSequence = row.sequence
      }
    }
  }
  return { folds: [...folds.values()], before: undefined }
}
