import type { WatchStore } from '../rows/watching.ts'

type Write = WatchStore['polls']['finishQuietly']
type UnchangedPoll = Parameters<Write>[0][number]

/** How long an end waits for others while polls are running. */
const GATHER_MS = 250
/** The most ends in one transaction, which takes a few milliseconds. */
const MOST_AT_ONCE = 100

interface Waiting {
  readonly end: UnchangedPoll
  readonly resolve: (isWritten: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Gathers polls that found nothing new, of all groups of this process, and writes them together. All that they write is when they
 * are due again: a process that dies first has only polled once more than it had to.
 */
export function createUnchangedPolls(write: Write) {
  let asking = 0
  let waiting: Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += MOST_AT_ONCE) {
      const some = all.slice(start, start + MOST_AT_ONCE)
      try {
        const written = await write(some.map(({ end }) => end))
        for (const [index, { resolve }] of some.entries()) resolve(written[index] ?? false)
      } catch (error) {
        for (const { reject } of some) reject(error)
      }
    }
  }

  const flushIfIdle = (): void => {
    if (asking === 0 && waiting.length > 0) void flush()
  }

  return {
    /** Runs a poll that may end quietly soon. */
    async during<T>(poll: () => Promise<T>): Promise<T> {
      asking += 1
      try {
        return await poll()
      } finally {
        asking -= 1
        // Other polls that end in this turn of the event loop are written with it.
        if (asking === 0) setImmediate(flushIfIdle)
      }
    },
    /** Resolves with whether it was written; see `WatchPolls.finishQuietly`. */
    add: (end: UnchangedPoll): Promise<boolean> =>
      new Promise((resolve, reject) => {
        waiting.push({ end, resolve, reject })
        if (asking === 0) setImmediate(flushIfIdle)
        timer ??= setTimeout(() => void flush(), GATHER_MS)
      }),
  }
}

export type UnchangedPolls = ReturnType<typeof createUnchangedPolls>
