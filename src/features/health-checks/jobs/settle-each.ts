import { yieldWhenDue } from '@signalman/runtime'

/** Concurrent calls to the service. */
const CONCURRENCY = 5

type Settled<T> = { value: T } | { error: unknown }

/** Runs `work` for every item, a few at a time. An error doesn't stop the others. */
export async function settleEach<Item, T>(
  items: readonly Item[],
  action: (item: Item) => Promise<T>,
  concurrency = CONCURRENCY,
): Promise<Settled<T>[]> {
  const results: Settled<T>[] = []
  const entries = items.entries()
  async function next(): Promise<void> {
    for (const [index, item] of entries) {
      // `work` may never wait for I/O, so it has to yield here.
      await yieldWhenDue()
      results[index] = await action(item).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    }
  }
  await Promise.all(Array.from({ length: concurrency }, next))
  return results
}

/** Like `settleEach`, but throws the first error. */
export async function mapConcurrently<Item, T>(
  items: readonly Item[],
  action: (item: Item) => Promise<T>,
  concurrency?: number,
): Promise<T[]> {
  return (await settleEach(items, action, concurrency)).map((tried) => {
    if ('error' in tried) throw tried.error
    return tried.value
  })
}
