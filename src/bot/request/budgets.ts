import { lruOptions } from '@signalman/runtime'
import type { RequestUser } from '@signalman/slack'
import { LRUCache } from 'lru-cache'

/** Rate limits. A request beyond them is refused, and nothing starts. */
export interface BudgetLimits {
  /** A person's burst of requests, and how many a minute refill it. */
  personBurst: number
  personPerMinute: number
  workspaceConcurrent: number
}

/** Nobody presses a button more than twice a second for long. 200 concurrent requests take about 20 MB. */
const BUDGET_LIMITS: BudgetLimits = { personBurst: 60, personPerMinute: 120, workspaceConcurrent: 200 }

/** Which limit was reached, and when to try again. */
export interface LimitReached {
  readonly scope: 'person' | 'workspace'
  readonly retryInSeconds: number
  /** True for the first refusal of a series: a flood of requests must not cause a flood of answers and log lines. */
  readonly isFirst: boolean
}

export type Budgets = ReturnType<typeof createBudgets>

/** A person's remaining requests (a token bucket). Times are in milliseconds of the stopwatch. */
interface Bucket {
  tokens: number
  /** When `tokens` was last updated. */
  updatedAt: number
  /** When the person was last notified that they reached the limit. */
  notifiedAt: number
}

const MAX_BUCKETS = 10_000
const NOTIFY_EVERY_MS = 5000
const BUSY_RETRY_S = 10

/** Enforces the limits in this process, by a monotonic clock. */
export function createBudgets(
  overrides: Partial<BudgetLimits> = {},
  stopwatch: () => number = () => performance.now(),
) {
  const { personBurst, personPerMinute, workspaceConcurrent } = { ...BUDGET_LIMITS, ...overrides }
  const buckets = new LRUCache<string, Bucket>(lruOptions(MAX_BUCKETS))
  const running = new Map<string, number>()

  function refill(person: string): Bucket {
    const at = stopwatch()
    const bucket = buckets.get(person) ?? { tokens: personBurst, updatedAt: at, notifiedAt: -Infinity }
    const added = ((at - bucket.updatedAt) / 60_000) * personPerMinute
    // Without a limit, it is Infinity times zero.
    if (added > 0) bucket.tokens = Math.min(personBurst, bucket.tokens + added)
    bucket.updatedAt = at
    buckets.set(person, bucket)
    return bucket
  }

  function change(workspaceId: string, by: number): void {
    const count = (running.get(workspaceId) ?? 0) + by
    if (count === 0) running.delete(workspaceId)
    else running.set(workspaceId, count)
  }

  return {
    /** Acquires a slot for a person's request, or returns which limit was reached. */
    acquire({ workspaceId, userId }: Pick<RequestUser, 'workspaceId' | 'userId'>): {
      release(): void
      limitReached?: LimitReached
    } {
      const bucket = refill(`${workspaceId} ${userId}`)
      const isEmpty = bucket.tokens < 1
      if (isEmpty || (running.get(workspaceId) ?? 0) >= workspaceConcurrent) {
        const isFirst = bucket.updatedAt - bucket.notifiedAt >= NOTIFY_EVERY_MS
        if (isFirst) bucket.notifiedAt = bucket.updatedAt
        const waitSeconds = Math.ceil(((1 - bucket.tokens) / personPerMinute) * 60)
        const limitReached: LimitReached = isEmpty
          ? { scope: 'person', retryInSeconds: waitSeconds, isFirst }
          : { scope: 'workspace', retryInSeconds: BUSY_RETRY_S, isFirst }
        return { limitReached, release: () => undefined }
      }
      bucket.tokens -= 1
      change(workspaceId, 1)
      return { release: () => change(workspaceId, -1) }
    },
  }
}
