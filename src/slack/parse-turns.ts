/** Runs a piece of synchronous work when its turn comes. */
export type Turn = <T>(work: () => T) => Promise<T>

/**
 * Spreads heavy synchronous work (parsing a page of the service, and the rendering that follows at once) over the event
 * loop: at most `perRound` pieces before incoming requests are looked at again, so that acknowledgements never queue
 * behind a crowd of replies. Pieces run in the order they came.
 */
export function createParseTurns(perRound = 4): Turn {
  const waiting: (() => void)[] = []
  let isScheduled = false

  function round(): void {
    for (const run of waiting.splice(0, perRound)) run()
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
