import { setImmediate, setTimeout } from 'node:timers/promises'
import type { LeasedScopes, Stopwatch } from '../../../src/features/watching/polling/leased-scopes.ts'

interface Alarm {
  readonly atMs: number
  readonly done: () => void
}

/** Creates the stopwatch of one simulated polling process. It stands still until a test calls `pass`. */
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
  const isPolling = (): boolean =>
    [...leased.values()].some((scopes) => [...scopes.values()].some((scope) => scope.isUnderWay))
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
     * Resolves when nothing more happens until the stopwatch advances, or when the process is dead. Also waits while `isBusy`.
     */
    async waitUntilIdle({
      isBusy,
      isDead,
    }: {
      isBusy?: () => boolean
      isDead?: () => boolean
    } = {}): Promise<void> {
      for (let idleTurns = 0, turns = 0; idleTurns < 3 && !isDead?.(); turns += 1) {
        const isIdle = (alarms.size > 0 || leased.size === 0) && !isPolling() && !isBusy?.()
        idleTurns = isIdle ? idleTurns + 1 : 0
        // After a few turns, sleeps instead of spinning, so that the database gets CPU time.
        await (turns < 20 ? setImmediate() : setTimeout(1))
      }
    },
  }
}
