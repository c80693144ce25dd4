/** So many calls to the service at the same time. */
const IN_FLIGHT = 5

export type Settled<T> = { value: T } | { error: unknown }

/** Every item, a few at a time; what one of them throws keeps no other from being done. */
export async function settleEach<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  atOnce = IN_FLIGHT,
): Promise<Settled<T>[]> {
  const results: Settled<T>[] = []
  const waiting = [...items.entries()]
  async function next(): Promise<void> {
    for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
      const [index, item] = entry
      results[index] = await work(item).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return results
}
