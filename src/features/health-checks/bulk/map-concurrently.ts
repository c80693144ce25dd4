import { yieldWhenDue } from '@signalman/runtime'

const CONCURRENCY = 5

/**
 * Runs `action` for every item, a few at a time. An error ends it: no other item is begun, those that were begun are aborted if they heed the
 * signal, and waited for, and then the error is thrown.
 */
export async function mapConcurrently<Item, T>(
  items: readonly Item[],
  action: (item: Item, signal: AbortSignal) => Promise<T>,
  concurrency = CONCURRENCY,
): Promise<T[]> {
  const results: T[] = []
  const failed: { error: unknown }[] = []
  const entries = items.entries()
  const ending = new AbortController()
  // Each worker takes the next item from the shared iterator.
  async function runWorker(): Promise<void> {
    for (const [index, item] of entries) {
      // Lets other requests run, because `action` may never wait for I/O.
      await yieldWhenDue()
      if (failed.length > 0) return
      try {
        results[index] = await action(item, ending.signal)
      } catch (error) {
        failed.push({ error })
        ending.abort()
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, runWorker))
  if (failed[0]) throw failed[0].error
  return results
}
