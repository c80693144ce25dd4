/** Eight pages of 500; one of the largest answers takes as long alone. */
const ROUND_MS = 5

/** Runs a piece of synchronous work, such as turning bytes into a result, when its turn comes. */
export type Turn = <T>(work: () => T) => Promise<T>

/**
 * Spreads heavy synchronous work (parsing a page of the service, and the rendering that follows at once) over the event
 * loop: at most `perRound` pieces, and of large ones fewer, before incoming requests are looked at again, so that
 * acknowledgements never queue behind a crowd of replies. Pieces run in the order they came.
 */
export function createParseTurns(perRound = 4): Turn {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function round(): void {
    const startedAt = performance.now()
    for (let ran = 0; ran < perRound && performance.now() - startedAt < ROUND_MS; ran += 1)
      waiting.shift()?.()
    isScheduled = waiting.length > 0
    if (isScheduled) setImmediate(round)
  }

  return (work) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof work>>()
    waiting.push(() => {
      try {
        resolve(work())
      } catch (error) {
        reject(error)
      }
    })
    if (!isScheduled) {
      isScheduled = true
      setImmediate(round)
    }
    return promise
  }
}
