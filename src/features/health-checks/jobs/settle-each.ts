import { yieldWhenDue } from '@signalman/runtime'

/** Concurrent calls to the service. */
const CONCURRENCY = 5

type Settled<T> = { value: T } | { error: unknown }

/** Runs `work` for every item, a few at a time. An error doesn't stop the others. */
export async function settleEach<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  atOnce = CONCURRENCY,
): Promise<Settled<T>[]> {
  const results: Settled<T>[] = []
  const waiting = items.entries()
  async function next(): Promise<void> {
    for (const [index, item] of waiting) {
      // `work` may never wait for I/O, so it has to yield here.
      await yieldWhenDue()
      results[index] = await work(item).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return results
}

/** Like `settleEach`, but throws the first error. */
export async function mapConcurrently<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  atOnce?: number,
): Promise<T[]> {
  return (await settleEach(items, work, atOnce)).map((tried) => {
    if ('error' in tried) throw tried.error
    return tried.value
  })
}
