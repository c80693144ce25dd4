import { stat } from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** SQLite's default length of the log before a checkpoint: https://sqlite.org/wal.html#ckpt */
const LOG_BYTES = 4 * 1024 * 1024
/** Writes between two looks at the log's length. */
const WRITES = 100
/** In pages of 4 KB: at this length SQLite itself checkpoints, when the thread cannot keep up. */
export const PAGES_AT_LAST = 16_384

/**
 * Counts writes, and now and then lets the reading connection move the write-ahead log into the database file: the connection that
 * does this waits for the disk for some 1,000 pages.
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
    // A failure loses nothing: the log is as good as the file, and the next look tries again.
    void checkpoint()
      .catch(() => undefined)
      .finally(() => {
        isRunning = false
      })
  }
}
