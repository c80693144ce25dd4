import { everySoOften, type Log } from '@signalman/runtime'
import { scopeName } from '../rows/poll-rows.ts'
import type { HeldScopes } from './held-scopes.ts'
import type { PollsStore } from './poll-scope.ts'

/** A poll that nobody begins is late after so many intervals. */
const LATE_INTERVALS = 2
/** However short the interval: a machine that is busy for a moment makes nothing late. */
const LEAST_LATE_MS = 5000
const MOST_PAUSE_MS = 30_000

/**
 * Counts what is due and not begun by this process's own stopwatch: no clock that is set makes a poll late, or hides that it is. Of
 * what another process holds, that one knows. Its channels are told that nothing is seen; the next good poll ends that.
 */
export function startLatePolls(parts: {
  polls: Pick<PollsStore, 'overdue' | 'keep' | 'tellLate'>
  held: HeldScopes
  intervalMs: number
  leastLateMs?: number | undefined
  wake: () => void
  log: Log
}) {
  const { polls, held, intervalMs, leastLateMs = LEAST_LATE_MS, wake, log } = parts
  const lateMs = Math.max(leastLateMs, LATE_INTERVALS * intervalMs)
  let dueSince = new Map<string, number>()
  let late = 0
  let lagMs = 0

  async function look(): Promise<void> {
    const overdue = await polls.overdue()
    const at = performance.now()
    const names = overdue.map((scope) => [`${scopeName(scope)} ${scope.dueAt}`, scope] as const)
    dueSince = new Map(names.map(([name]) => [name, dueSince.get(name) ?? at]))
    const own = [...held.values()].flatMap((scopes) => [...scopes.values()])
    const due = [
      ...names.map(([name, scope]) => ({
        scope,
        lag: at - (dueSince.get(name) ?? at),
        unsavedNoChange: undefined,
      })),
      ...own.flatMap(({ isUnderWay, dueMs, ...one }) => (isUnderWay ? [] : [{ ...one, lag: at - dueMs }])),
    ]
    lagMs = due.reduce((most, { lag }) => Math.max(most, lag), 0)
    const found = due.filter(({ lag }) => lag >= lateMs)
    if (found.length > 0 && late === 0)
      log.error({ late: found.length }, 'Watched checks are not looked at in time.')
    late = found.length
    for (const { scope, unsavedNoChange } of found) {
      // Until when it was seen is said on the card.
      if (unsavedNoChange) await polls.keep([unsavedNoChange])
      if (await polls.tellLate(scope)) wake()
    }
  }

  const looking = everySoOften(Math.min(intervalMs, MOST_PAUSE_MS), look, (error) => {
    log.warn({ err: error }, 'Whether polls are late could not be asked; it is tried again.')
    return MOST_PAUSE_MS
  })
  return {
    /** How many environments are not polled although it is high time. */
    count: () => late,
    /** For how long the one has waited that is due for longest. */
    lagSeconds: () => lagMs / 1000,
    [Symbol.dispose]: () => looking[Symbol.dispose](),
  }
}

export type LatePolls = ReturnType<typeof startLatePolls>
