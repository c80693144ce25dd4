import { setImmediate as nextTurn } from 'node:timers/promises'
import { splitChunks } from '@signalman/durable'

/** Rows of one page. SQLite reads on the event loop, and a storm is thousands of rows. */
export const PAGE = 500

/**
 * Reads rows page by page and lets other work run in between. `read` returns at most PAGE rows after the given one, in a fixed
 * order.
 */
export async function* pagesOf<Row>(
  read: (after: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let last: Row | undefined; ; await nextTurn()) {
    const page = await read(last)
    if (page.length > 0) yield page
    last = page.at(-1)
    if (page.length < PAGE) return
  }
}

/** Reads rows by their IDs, page by page. */
export async function* pagesById<Row>(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const some of batchesOf(ids, PAGE)) yield await read(some)
}

/** Rows of one statement that writes: the number of its values is limited. */
const BATCH = 100

/** Items to write, a batch at a time, and lets other work run in between. */
export async function* batchesOf<T>(items: readonly T[], size = BATCH): AsyncGenerator<readonly T[]> {
  let isFirst = true
  for (const some of splitChunks(items, size)) {
    if (!isFirst) await nextTurn()
    isFirst = false
    yield some
  }
}
