import { stat } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** As long as SQLite's own log gets before it is looked after: https://sqlite.org/wal.html#ckpt */
const LOG_BYTES = 4 * 1024 * 1024
/** A look at the log's length for so many writes. */
const WRITES = 100
/** In pages of 4 KB: where the thread cannot keep up, SQLite does it itself in the end. */
export const PAGES_AT_LAST = 16_384

/**
 * Counts writes, and now and then has the write-ahead log put into the database file: by the connection that reads,
 * because whichever does it waits for the disk for as long as 1,000 pages take.
 */
export function createCheckpoints(file: string, reading: Kysely<Schema>): () => void {
  let writes = 0
  let isRunning = false

  async function checkpoint(): Promise<void> {
    if ((await stat(`${file}-wal`)).size < LOG_BYTES) return
    await sql`pragma wal_checkpoint(passive)`.execute(reading)
  }

  return () => {
    writes += 1
    if (writes < WRITES || isRunning) return
    writes = 0
    isRunning = true
    // Nothing is lost where it fails: the log is as good as the file, and is looked at again.
    void checkpoint()
      .catch(() => undefined)
      .finally(() => {
        isRunning = false
      })
  }
}
