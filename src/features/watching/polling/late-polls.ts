import { everySoOften, type Log } from '@signalman/runtime'
import { scopeName } from '../rows/poll-rows.ts'
import type { PollsStore } from './poll-scope.ts'

/** A poll that nobody begins is late after so many intervals. */
const LATE_INTERVALS = 2
/** However short the interval: a machine that is busy for a moment makes nothing late. */
const LEAST_LATE_MS = 5000
const MOST_PAUSE_MS = 30_000

/** What watches over the polls that this process is to begin. */
export interface LatePolls extends Disposable {
  /** How many environments are not polled although it is high time. */
  count(): number
}

/**
 * Counts what is due and not begun by this process's own stopwatch: no clock that is set makes a poll late, or hides that it is. Its
 * channels are told that nothing is seen; the next good poll ends that.
 */
export function startLatePolls(parts: {
  polls: Pick<PollsStore, 'overdue' | 'tellLate'>
  owner: string
  /** Names of the scopes that this process polls now. */
  underWay: ReadonlySet<string>
  intervalMs: number
  leastLateMs?: number | undefined
  wake: () => void
  log: Log
}): LatePolls {
  const { polls, owner, underWay, intervalMs, leastLateMs = LEAST_LATE_MS, wake, log } = parts
  const lateMs = Math.max(leastLateMs, LATE_INTERVALS * intervalMs)
  let dueSince = new Map<string, number>()
  let late = 0

  async function look(): Promise<void> {
    const at = performance.now()
    const overdue = (await polls.overdue(owner)).filter((scope) => !underWay.has(scopeName(scope)))
    const since = (scope: (typeof overdue)[number]): number =>
      dueSince.get(`${scopeName(scope)} ${scope.dueAt}`) ?? at
    const found = overdue.filter((scope) => at - since(scope) >= lateMs)
    dueSince = new Map(overdue.map((scope) => [`${scopeName(scope)} ${scope.dueAt}`, since(scope)]))
    if (found.length > 0 && late === 0)
      log.error({ late: found.length }, 'Watched checks are not looked at in time.')
    late = found.length
    for (const scope of found) if (await polls.tellLate(scope)) wake()
  }

  const looking = everySoOften(Math.min(intervalMs, MOST_PAUSE_MS), look, (error) => {
    log.warn({ err: error }, 'Whether polls are late could not be asked; it is tried again.')
    return MOST_PAUSE_MS
  })
  return { count: () => late, [Symbol.dispose]: () => looking[Symbol.dispose]() }
}
