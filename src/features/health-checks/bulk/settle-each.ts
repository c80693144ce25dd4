import { yieldWhenDue } from '@signalman/runtime'

/** The default number of concurrent calls to the service. */
const CONCURRENCY = 5

export type SettledResult<T> = { value: T } | { error: unknown }

/** Runs `action` for every item, a few at a time. An error doesn't stop the others. */
export async function settleEach<Item, T>(
  items: readonly Item[],
  action: (item: Item) => Promise<T>,
  concurrency = CONCURRENCY,
): Promise<SettledResult<T>[]> {
  const results: SettledResult<T>[] = []
  const entries = items.entries()
  // Each worker takes the next item from the shared iterator.
  async function runWorker(): Promise<void> {
    for (const [index, item] of entries) {
      // Lets other requests run, because `action` may never wait for I/O.
      await yieldWhenDue()
      results[index] = await action(item).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runWorker))
  return results
}

/** Like `settleEach`, but throws the first error. */
export async function mapConcurrently<Item, T>(
  items: readonly Item[],
  action: (item: Item) => Promise<T>,
  concurrency?: number,
): Promise<T[]> {
  return (await settleEach(items, action, concurrency)).map((result) => {
    if ('error' in result) throw result.error
    return result.value
  })
}
