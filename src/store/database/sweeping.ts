import { setImmediate } from 'node:timers/promises'

/** SQLite takes up to 10 ms for them, with the indexes that each leaves. */
const BATCH = 100
const MAX_BATCHES = 100_000

/**
 * Deletes many rows a few at a time, so that requests are served in between; `deleteSome` deletes at most `limit` and
 * says how many it did. Returns their sum.
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
