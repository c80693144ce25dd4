import type { UnchangedPoll } from '../rows/end-polls.ts'
import { type ListedScope, scopeName } from '../rows/poll-rows.ts'
import type { ScopeOf } from '../rows/row.ts'

export type Stopwatch = typeof STOPWATCH

/** Times by a process's own stopwatch: no clock that is set makes anything late. */
export const STOPWATCH = {
  now: (): number => performance.now(),
  /** Calls `done` after this time, unless what it returns is called first. */
  after(ms: number, done: () => void): () => void {
    const timer = setTimeout(done, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * A scope that this process polls. As long as nothing changes, when it is due stands here alone: a process that dies leaves it as it
 * was written last, so that it is due, and whoever takes it over polls it.
 */
export interface HeldScope {
  readonly scope: ScopeOf
  dueMs: number
  isUnderWay: boolean
  isFailing: boolean
  /** Its latest poll, when that changed nothing; not written yet. */
  unsavedNoChange: UnchangedPoll | undefined
}

/** By the id of the group's work, and the scope's name. */
export type HeldScopes = Map<string, Map<string, HeldScope>>

/**
 * Takes in what the rows of a group say: of a scope that is known already, nothing unless it is another by now. What was due while
 * nobody had it for long is spread over an interval, but for what was never polled: what one process has just given back goes on in time.
 */
export function takeIn(
  scopes: Map<string, HeldScope>,
  listed: readonly ListedScope[],
  { nowMs, intervalMs, mostMs }: { nowMs: number; intervalMs: number; mostMs: number },
): void {
  const names = new Set(listed.map(scopeName))
  for (const [name, { isUnderWay }] of scopes) if (!names.has(name) && !isUnderWay) scopes.delete(name)
  const isNew = (one: ListedScope): boolean => !scopes.has(scopeName(one)) || !one.isPolled
  const overdue = listed.filter((one) => isNew(one) && one.isPolled && one.dueInMs < -intervalMs / 2)
  const turns = new Map(overdue.map((one, nth) => [one, (nth / overdue.length) * intervalMs]))
  for (const one of listed) {
    if (!isNew(one) || scopes.get(scopeName(one))?.isUnderWay) continue
    const { workspaceId, environment, dueInMs, isFailing } = one
    // What is due later than any poll puts it off is due: the database's clock was set back since.
    const inMs = turns.get(one) ?? (dueInMs > mostMs ? 0 : Math.max(0, dueInMs))
    const scope = { workspaceId, environment }
    scopes.set(scopeName(one), {
      scope,
      isFailing,
      isUnderWay: false,
      unsavedNoChange: undefined,
      dueMs: nowMs + inMs,
    })
  }
}
