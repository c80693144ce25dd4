import { setImmediate } from 'node:timers/promises'

/** SQLite takes up to 10 ms for this many rows with their indexes. */
const BATCH = 100
const MAX_BATCHES = 100_000

/**
 * Deletes many rows in batches, so that requests are served in between; `deleteSome` deletes at most `limit` rows and returns how
 * many. Returns their sum.
 */
export async function deleteInBatches(deleteSome: (limit: number) => Promise<number>): Promise<number> {
  let total = 0
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const deleted = await deleteSome(BATCH)
    total += deleted
    if (deleted < BATCH) break
    await setImmediate()
  }
  return total
}
