/** An answered beat is proof for this long, so that the reads of one request share one. */
const TRUSTED_MS = 50
/** A beat without an answer by then is not waited for; until it is answered, nothing is proved. */
const LATE_MS = 250

export interface Beat {
  /** Whether the other side answered, in time, a beat of a moment ago or one that is sent now. */
  isHeard(): Promise<boolean>
  /** Resolves when it will never answer again. */
  readonly broken: Promise<void>
}

/** Asks a connection for signs of life on demand, one at a time. */
export function createBeat(
  ask: () => Promise<unknown>,
  stopwatch: () => number = () => performance.now(),
): Beat {
  const broken = Promise.withResolvers<void>()
  let provenAt = Number.NEGATIVE_INFINITY
  let answered: Promise<boolean> | undefined

  function send(): Promise<boolean> {
    const sentAt = stopwatch()
    const late = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      // Later calls do not wait for it.
      answered = late.promise
      late.resolve(false)
    }, LATE_MS)
    const asked = ask().then(
      () => {
        // The answer proves only what came before the beat was sent.
        provenAt = sentAt
        return true
      },
      () => {
        broken.resolve()
        return false
      },
    )
    const settled = asked.finally(() => {
      clearTimeout(timer)
      answered = undefined
    })
    return Promise.race([settled, late.promise])
  }

  return {
    broken: broken.promise,
    async isHeard() {
      if (stopwatch() - provenAt < TRUSTED_MS) return true
      answered ??= send()
      return answered
    },
  }
}
