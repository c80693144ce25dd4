import type { Steps } from '@signalman/durable'

const CONCURRENT_REQUESTS = 5
/** One that waits for its check's lock doesn't hold up the others for longer. */
const MAX_WAIT_MS = 2000

type Records = Pick<Steps, 'record' | 'recordOutcome'>

export type RowBatch = ReturnType<typeof createBatch>

/**
 * Rows that are written side by side: they are stored as begun in one transaction, and their outcomes in another, although only a few
 * of them send requests at once.
 */
export function createBatch({ together }: Pick<Steps, 'together'>, size: number) {
  const slots = createSlots(CONCURRENT_REQUESTS)
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
    /** Runs a row, which may send requests. */
    async run<T>(row: () => Promise<T>): Promise<T> {
      await slots.take()
      try {
        return await row()
      } finally {
        slots.release()
        running -= 1
        writeIfComplete()
      }
    },
    /** Writes a record once every row of the batch has come this far. */
    async write<T>(write: (records: Records) => Promise<T>): Promise<T> {
      const settle = Promise.withResolvers<unknown>()
      gathered.push({ write, settle })
      timer ??= setTimeout(() => void writeGathered(), MAX_WAIT_MS)
      slots.release()
      writeIfComplete()
      try {
        // Cast, because it's what this write returned.
        return (await settle.promise) as T
      } finally {
        await slots.take()
      }
    },
  }
}

function createSlots(free: number) {
  const waiting: (() => void)[] = []
  let remaining = free
  return {
    async take(): Promise<void> {
      if (remaining > 0) remaining -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
    },
    release(): void {
      const next = waiting.shift()
      if (next) next()
      else remaining += 1
    },
  }
}
