export type Clock = ReturnType<typeof createClock>

/** The playground's clock. It shows the machine's time until a time is set, and then runs on from that time. */
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
