export type Clock = ReturnType<typeof createClock>

/** The playground's clock. It shows the machine's time until a test advances it, and then keeps running from that time. */
export function createClock(systemNow: () => Date) {
  let offsetMs = 0
  return {
    now: (): Date => new Date(systemNow().getTime() + offsetMs),
    advance(byMs: number): void {
      offsetMs += byMs
    },
  }
}
