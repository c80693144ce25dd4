import { type Log, runPeriodically } from '@signalman/runtime'
import { scopeKey } from '../rows/poll-rows.ts'
import type { LeasedScopes } from './leased-scopes.ts'
import type { PollsStore } from './poll-scope.ts'

/** A poll is late after this many intervals. */
const LATE_INTERVALS = 2
/** A minimum, so that polls on a briefly busy machine don't count as late. */
const MIN_LATE_MS = 5000
const MAX_PAUSE_MS = 30_000

/**
 * Finds polls that are overdue, and posts a card in their channels that says so. The next successful poll closes the card. Uses
 * the process's own stopwatch, so that changes to the system clock don't matter.
 */
export function startLatePolls(deps: {
  polls: Pick<PollsStore, 'listOverdue' | 'saveUnchanged' | 'reportLate'>
  leased: LeasedScopes
  intervalMs: number
  minLateMs?: number | undefined
  wake: () => void
  log: Log
}) {
  const { polls, leased, intervalMs, minLateMs = MIN_LATE_MS, wake, log } = deps
  const lateMs = Math.max(minLateMs, LATE_INTERVALS * intervalMs)
  /** When this process first found each poll overdue. The keys include the stored due time, so that each poll gets its own entry. */
  let dueSince = new Map<string, number>()
  let lateCount = 0
  let lagMs = 0

  async function checkPolls(): Promise<void> {
    const overdue = await polls.listOverdue()
    const at = performance.now()
    const scopesByKey = overdue.map((scope) => [`${scopeKey(scope)} ${scope.dueAt}`, scope] as const)
    dueSince = new Map(scopesByKey.map(([key]) => [key, dueSince.get(key) ?? at]))
    const leasedScopes = [...leased.values()].flatMap((scopes) => [...scopes.values()])
    const due = [
      ...scopesByKey.map(([key, scope]) => ({
        scope,
        lag: at - (dueSince.get(key) ?? at),
        unsavedPoll: undefined,
      })),
      ...leasedScopes.flatMap(({ isUnderWay, dueMs, ...leasedScope }) =>
        isUnderWay ? [] : [{ ...leasedScope, lag: at - dueMs }],
      ),
    ]
    lagMs = due.reduce((max, { lag }) => Math.max(max, lag), 0)
    const lateScopes = due.filter(({ lag }) => lag >= lateMs)
    if (lateScopes.length > 0 && lateCount === 0)
      log.error({ late: lateScopes.length }, 'Polls of watched checks are late.')
    lateCount = lateScopes.length
    for (const { scope, unsavedPoll } of lateScopes) {
      // Saved first, because the card shows when the checks were last seen.
      if (unsavedPoll) await polls.saveUnchanged([unsavedPoll])
      if (await polls.reportLate(scope)) wake()
    }
  }

  const timer = runPeriodically(Math.min(intervalMs, MAX_PAUSE_MS), checkPolls, (error) => {
    log.warn({ err: error }, 'Couldn’t check for late polls. Retrying.')
    return MAX_PAUSE_MS
  })
  return {
    /** How many environments are late. */
    count: () => lateCount,
    /** How long the most overdue environment has waited. */
    lagSeconds: () => lagMs / 1000,
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  }
}
