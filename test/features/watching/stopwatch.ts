import { setImmediate, setTimeout } from 'node:timers/promises'
import type { LeasedScopes, Stopwatch } from '../../../src/features/watching/polling/leased-scopes.ts'

interface Alarm {
  readonly atMs: number
  readonly done: () => void
}

/** A stopwatch that a test sets, for one process that polls. */
export function createStopwatch() {
  let nowMs = 0
  const alarms = new Set<Alarm>()
  const leased: LeasedScopes = new Map()
  const stopwatch: Stopwatch = {
    now: () => nowMs,
    after(ms, done) {
      const alarm = { atMs: nowMs + ms, done }
      alarms.add(alarm)
      return () => alarms.delete(alarm)
    },
  }
  const isUnderWay = (): boolean =>
    [...leased.values()].some((scopes) => [...scopes.values()].some((one) => one.isUnderWay))
  return {
    stopwatch,
    leased,
    pass(ms: number): void {
      nowMs += ms
      for (const alarm of alarms) {
        if (alarm.atMs > nowMs) continue
        alarms.delete(alarm)
        alarm.done()
      }
    },
    /**
     * Resolves when nothing is polled until the stopwatch goes on, or the process is dead; `isBusy` says what else is to be waited for.
     */
    async rests({ isBusy, isDead }: { isBusy?: () => boolean; isDead?: () => boolean } = {}): Promise<void> {
      for (let quiet = 0, turns = 0; quiet < 3 && !isDead?.(); turns += 1) {
        const isResting = (alarms.size > 0 || leased.size === 0) && !isUnderWay() && !isBusy?.()
        quiet = isResting ? quiet + 1 : 0
        // Whoever waits for a database for longer leaves the processor to it.
        await (turns < 20 ? setImmediate() : setTimeout(1))
      }
    },
  }
}
