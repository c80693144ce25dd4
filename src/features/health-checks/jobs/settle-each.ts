import { yieldWhenDue } from '@signalman/runtime'

/** So many calls to the service at the same time. */
const IN_FLIGHT = 5

type Settled<T> = { value: T } | { error: unknown }

/** Every item, a few at a time; what one of them throws keeps no other from being done. */
export async function settleEach<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  atOnce = IN_FLIGHT,
): Promise<Settled<T>[]> {
  const results: Settled<T>[] = []
  const waiting = items.entries()
  async function next(): Promise<void> {
    for (const [index, item] of waiting) {
      // What asks nobody anything would never let others in.
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

/** The same, and throws what the first of them has thrown. */
export async function eachOf<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  atOnce?: number,
): Promise<T[]> {
  return (await settleEach(items, work, atOnce)).map((tried) => {
    if ('error' in tried) throw tried.error
    return tried.value
  })
}
