import { isDecrypted, type SealError } from '@signalman/durable'

const MAX_SEARCHED = 5000
export const SEARCH_BATCH = 200

type Readable<Row> = Exclude<Row, { readonly sealError: SealError }>

/**
 * Searches rows whose names are encrypted. `readBatch` returns the next `SEARCH_BATCH` of them, decrypted if possible; it gets how many
 * were read, and the last of them. Searches at most `max` rows: `searchedCount` is set if there are more.
 */
export async function searchBatches<Row extends object>(
  readBatch: (count: number, last: Row | undefined) => Promise<readonly Row[]>,
  matches: (row: Readable<Row>) => boolean,
  max = MAX_SEARCHED,
): Promise<{ found: Readable<Row>[]; undecryptableCount: number; searchedCount?: number }> {
  const found: Readable<Row>[] = []
  let undecryptableCount = 0
  let last: Row | undefined
  for (let count = 0; count < max; count += SEARCH_BATCH) {
    const batch = await readBatch(count, last)
    const readable = batch.filter(isDecrypted)
    found.push(...readable.filter(matches))
    undecryptableCount += batch.length - readable.length
    last = batch.at(-1)
    if (batch.length < SEARCH_BATCH) return { found, undecryptableCount }
  }
  return { found, undecryptableCount, searchedCount: max }
}
