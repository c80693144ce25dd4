export type Clock = ReturnType<typeof createClock>

/** The playground's time: the machine's, or one that was set and continues from there. */
export function createClock(machine: () => Date) {
  let aheadMs = 0
  return {
    now: (): Date => new Date(machine().getTime() + aheadMs),
    set(at: Date): void {
      aheadMs = at.getTime() - machine().getTime()
    },
    advance(byMs: number): void {
      aheadMs += byMs
    },
  }
}
