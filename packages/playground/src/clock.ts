export type Clock = ReturnType<typeof createClock>

/** The playground's clock: the machine's clock, until a test sets another time or advances it. It keeps running from there. */
export function createClock(systemNow: () => Date) {
  let offsetMs = 0
  return {
    now: (): Date => new Date(systemNow().getTime() + offsetMs),
    set(at: Date): void {
      offsetMs = at.getTime() - systemNow().getTime()
    },
    advance(byMs: number): void {
      offsetMs += byMs
    },
  }
}
