import { setImmediate as nextTurn } from 'node:timers/promises'
import { splitChunks } from '@signalman/durable'

/** Rows per page, because SQLite reads on the event loop, and thousands of checks may go down at the same time. */
export const PAGE_SIZE = 500

interface PageQuery<Row> {
  execute(): Promise<Row[]>
}

/**
 * Reads rows page by page and yields to other work in between. The query is sorted and limited to PAGE_SIZE rows. `after`
 * builds the query for the next page from the last row of a page.
 */
export async function* readPages<Row>(
  query: PageQuery<Row>,
  after: (last: Row) => PageQuery<Row>,
): AsyncGenerator<readonly Row[]> {
  for (let next = query; ; await nextTurn()) {
    const page = await next.execute()
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE_SIZE) return
    next = after(last)
  }
}

/** Reads rows by their IDs, page by page. */
export async function* readPagesById<Row>(
  ids: readonly string[],
  read: (batch: readonly string[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of inBatches(ids, PAGE_SIZE)) yield await read(batch)
}

/** Rows per write statement, because databases limit the number of values in one. */
const BATCH_SIZE = 100

/** Splits items into batches and yields to other work in between. */
export async function* inBatches<T>(items: readonly T[], size = BATCH_SIZE): AsyncGenerator<readonly T[]> {
  let isFirst = true
  for (const batch of splitChunks(items, size)) {
    if (!isFirst) await nextTurn()
    isFirst = false
    yield batch
  }
}
