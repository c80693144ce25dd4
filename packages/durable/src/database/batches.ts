interface Job<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * Collects items for a key while earlier work for that key runs, and then processes them together, at most `maxItems` at a time. `work`
 * returns one result per item, in order. If it throws, every item of the batch gets the error.
 */
export function createBatches<T, R>(
  maxItems: number,
  work: (key: string, items: readonly T[]) => Promise<readonly R[]>,
): (key: string, item: T) => Promise<R> {
  const waiting = new Map<string, Job<T, R>[]>()

  async function processAll(key: string, jobs: Job<T, R>[]): Promise<void> {
    while (jobs.length > 0) {
      const batch = jobs.splice(0, maxItems)
      try {
        const results = await work(
          key,
          batch.map(({ item }) => item),
        )
        // `work` returns one result per item.
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    waiting.delete(key)
  }

  return (key, item) =>
    new Promise<R>((resolve, reject) => {
      const job = { item, resolve, reject }
      const jobs = waiting.get(key)
      if (jobs !== undefined) {
        jobs.push(job)
        return
      }
      const newJobs = [job]
      waiting.set(key, newJobs)
      void processAll(key, newJobs)
    })
}

/** Splits items into chunks of at most `size`, because a statement accepts a limited number of values. */
export function* splitChunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
