/** A beat that was answered stands for the reads of so long: those of one request ask for one. */
const TRUSTED_MS = 50
/** A beat that is not back by then is not waited for: until it is, nothing is proved. */
const LATE_MS = 250

export interface Beat {
  /** Whether the other side answered in time something that was sent to it a moment ago, or is sent now. */
  isHeard(): Promise<boolean>
  /** Resolves when it will never answer again. */
  readonly broken: Promise<void>
}

/** Asks a connection for signs of life, one at a time, and only when somebody wants to know. */
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
      // Nobody else waits for it.
      answered = late.promise
      late.resolve(false)
    }, LATE_MS)
    const asked = ask().then(
      () => {
        // What was said later than it was sent may not have been heard.
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
