/** How long ago an attempt was made, in milliseconds. `now` is by the clock that dated it. */
export type AttemptAge = (attempt: { mark: string; attemptedAt: Date; now: Date }) => number

/** Of each a mark and a number. */
const KEPT = 1000

/**
 * By the database's clock; where that was set back since, by this process's own stopwatch, from when it first asked: else an
 * attempt would be too young to tell anything of for as long as the clock was set back.
 */
export function createAttemptAges(): AttemptAge {
  const askedAt = new Map<string, number>()
  return ({ mark, attemptedAt, now }) => {
    const ageMs = now.getTime() - attemptedAt.getTime()
    if (ageMs >= 0) {
      askedAt.delete(mark)
      return ageMs
    }
    const since = askedAt.get(mark) ?? performance.now()
    if (askedAt.size < KEPT) askedAt.set(mark, since)
    return performance.now() - since
  }
}
