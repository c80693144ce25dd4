import type { AuditEntryRow } from '../database/schema.ts'
import { type AuditEntry, entryOf } from './row.ts'

/** Rows of one act or job that differ only in their object. */
export interface AuditFold {
  /** The newest row. */
  readonly entry: AuditEntry
  readonly rows: number
  /** The oldest row that was read. */
  readonly firstSequence: number
}

export interface FoldedPage {
  readonly folds: readonly AuditFold[]
  /** The next page has the rows before this one; undefined at the end. A fold may go on there. */
  readonly before: number | undefined
}

/** The most rows that one page may fold: a job may leave 50,000. */
const MOST_ROWS = 5000

/**
 * Folds rows, newest first, until there are `limit` folds. One fold has all rows of the same reference, person, verb and outcome, also
 * where other rows are between them.
 */
export async function foldRows(pages: AsyncIterable<AuditEntryRow[]>, limit: number): Promise<FoldedPage> {
  const folds = new Map<string, { entry: AuditEntry; rows: number; firstSequence: number }>()
  let read = 0
  for await (const page of pages) {
    for (const row of page) {
      const key = JSON.stringify([row.reference, row.user_id, row.verb, row.outcome])
      const fold = folds.get(key)
      if (read >= MOST_ROWS || (fold === undefined && folds.size >= limit))
        return { folds: [...folds.values()], before: row.sequence + 1 }
      read += 1
      if (fold === undefined) folds.set(key, { entry: entryOf(row), rows: 1, firstSequence: row.sequence })
      else {
        fold.rows += 1
        fold.firstSequence = row.sequence
      }
    }
  }
  return { folds: [...folds.values()], before: undefined }
}
