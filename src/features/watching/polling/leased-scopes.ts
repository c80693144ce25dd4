import { type ListedScope, scopeKey } from '../rows/poll-rows.ts'
import type { WatchScope } from '../rows/row.ts'
import type { PollToSave } from '../rows/save-polls.ts'

export type Stopwatch = typeof STOPWATCH

/** The process's own stopwatch. Changes to the system clock don't affect it. */
export const STOPWATCH = {
  now: (): number => performance.now(),
  /** Calls `done` after this time, unless the returned function is called first. */
  after(ms: number, done: () => void): () => void {
    const timer = setTimeout(done, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * A scope that this process polls. While nothing changes, its next due time is only in memory. If the process dies, the due time
 * in the database is in the past, so another process polls the scope immediately.
 */
export interface LeasedScope {
  readonly scope: WatchScope
  dueMs: number
  isUnderWay: boolean
  isFailing: boolean
  /** The latest poll, if it changed nothing and isn't saved yet. */
  unsavedPoll: PollToSave | undefined
}

/** By the ID of the group's work item, then by `scopeKey`. */
export type LeasedScopes = Map<string, Map<string, LeasedScope>>

/**
 * Merges a group's rows into the scopes that this process knows. Known scopes keep their due time. Polls of scopes that are long
 * overdue are spread over one interval. `maxMs` is the longest possible time until a poll.
 */
export function mergeListedScopes(
  scopes: Map<string, LeasedScope>,
  listed: readonly ListedScope[],
  { nowMs, intervalMs, maxMs }: { nowMs: number; intervalMs: number; maxMs: number },
): void {
  const keys = new Set(listed.map(scopeKey))
  for (const [key, { isUnderWay }] of scopes) if (!keys.has(key) && !isUnderWay) scopes.delete(key)
  /** Also true for a row that hasn't been polled, because it may have replaced an earlier row of the same scope. */
  const isNew = (listedScope: ListedScope): boolean =>
    !scopes.has(scopeKey(listedScope)) || !listedScope.isPolled
  const overdue = listed.filter(
    (listedScope) => isNew(listedScope) && listedScope.isPolled && listedScope.dueInMs < -intervalMs / 2,
  )
  const delays = new Map(
    overdue.map((listedScope, index) => [listedScope, (index / overdue.length) * intervalMs]),
  )
  for (const listedScope of listed) {
    if (!isNew(listedScope) || scopes.get(scopeKey(listedScope))?.isUnderWay) continue
    const { workspaceId, environment, dueInMs, isFailing } = listedScope
    // A due time further away than `maxMs` means that the database's clock was set back.
    const inMs = delays.get(listedScope) ?? (dueInMs > maxMs ? 0 : Math.max(0, dueInMs))
    const scope = { workspaceId, environment }
    scopes.set(scopeKey(listedScope), {
      scope,
      isFailing,
      isUnderWay: false,
      unsavedPoll: undefined,
      dueMs: nowMs + inMs,
    })
  }
}
