import type { Steps } from '@signalman/durable'

/** A row that is ready waits this long for the others at most, because it holds the lock of its check meanwhile. */
const MAX_WAIT_MS = 100

type Records = Pick<Steps, 'record' | 'recordOutcome'>

export type RowBatch = ReturnType<typeof createBatch>

/** The records of rows that are written side by side: their begins in one transaction, and their outcomes in another. */
export function createBatch({ together }: Pick<Steps, 'together'>, size: number) {
  let running = size
  let gathered: {
    write: (records: Records) => Promise<unknown>
    settle: PromiseWithResolvers<unknown>
  }[] = []
  let timer: NodeJS.Timeout | undefined

  async function writeGathered(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const group = gathered
    gathered = []
    try {
      const results = await together(async (records) => {
        const written: unknown[] = []
        for (const { write } of group) written.push(await write(records))
        return written
      })
      for (const [index, { settle }] of group.entries()) settle.resolve(results[index])
    } catch (error) {
      for (const { settle } of group) settle.reject(error)
    }
  }

  function writeIfComplete(): void {
    if (gathered.length > 0 && gathered.length >= running) void writeGathered()
  }

  return {
    /** Writes a record, together with those of the other rows that have come this far. */
    async write<T>(write: (records: Records) => Promise<T>): Promise<T> {
      const settle = Promise.withResolvers<unknown>()
      gathered.push({ write, settle })
      timer ??= setTimeout(() => void writeGathered(), MAX_WAIT_MS)
      writeIfComplete()
      // Cast, because it's what this write returned.
      return (await settle.promise) as T
    },
    /** A row has ended, so that the others don't wait for it anymore. */
    end(): void {
      running -= 1
      writeIfComplete()
    },
  }
}
