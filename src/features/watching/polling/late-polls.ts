import { type Log, runPeriodically } from '@signalman/runtime'
import { scopeName } from '../rows/poll-rows.ts'
import type { LeasedScopes } from './leased-scopes.ts'
import type { PollsStore } from './poll-scope.ts'

/** A poll is late after this many intervals. */
const LATE_INTERVALS = 2
/** A minimum, so that a briefly busy machine isn't late. */
const LEAST_LATE_MS = 5000
const MOST_PAUSE_MS = 30_000

/**
 * Finds polls that are due but haven't started, using the process's own stopwatch so that clock changes don't matter.
 * Reports their channels as blind until the next successful poll.
 */
export function startLatePolls(parts: {
  polls: Pick<PollsStore, 'overdue' | 'saveUnchanged' | 'reportLate'>
  leased: LeasedScopes
  intervalMs: number
  leastLateMs?: number | undefined
  wake: () => void
  log: Log
}) {
  const { polls, leased, intervalMs, leastLateMs = LEAST_LATE_MS, wake, log } = parts
  const lateMs = Math.max(leastLateMs, LATE_INTERVALS * intervalMs)
  let dueSince = new Map<string, number>()
  let late = 0
  let lagMs = 0

  async function look(): Promise<void> {
    const overdue = await polls.overdue()
    const at = performance.now()
    const names = overdue.map((scope) => [`${scopeName(scope)} ${scope.dueAt}`, scope] as const)
    dueSince = new Map(names.map(([name]) => [name, dueSince.get(name) ?? at]))
    const own = [...leased.values()].flatMap((scopes) => [...scopes.values()])
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
      // The card says until when checks were visible.
      if (unsavedNoChange) await polls.saveUnchanged([unsavedNoChange])
      if (await polls.reportLate(scope)) wake()
    }
  }

  const looking = runPeriodically(Math.min(intervalMs, MOST_PAUSE_MS), look, (error) => {
    log.warn({ err: error }, 'Whether polls are late could not be asked; it is tried again.')
    return MOST_PAUSE_MS
  })
  return {
    /** How many environments are late. */
    count: () => late,
    /** How long the most overdue environment has waited. */
    lagSeconds: () => lagMs / 1000,
    [Symbol.dispose]: () => looking[Symbol.dispose](),
  }
}

export type LatePolls = ReturnType<typeof startLatePolls>
