import { lruOptions } from '@signalman/runtime'
import type { Request, RequestUser } from '@signalman/slack'
import { LRUCache } from 'lru-cache'

/** Rate limits. A request beyond them is refused, and nothing starts. */
export interface BudgetLimits {
  /** A person's burst of requests, and how many a minute refill it. */
  personBurst: number
  personPerMinute: number
  /** Concurrent requests: per person, per workspace, in total. */
  personConcurrent: number
  workspaceConcurrent: number
  totalConcurrent: number
}

/** Nobody presses a button more than twice a second for long. 1,000 concurrent requests take about 100 MB. */
export const LIMITS: BudgetLimits = {
  personBurst: 60,
  personPerMinute: 120,
  personConcurrent: 30,
  workspaceConcurrent: 200,
  totalConcurrent: 1000,
}

/** Which limit was reached, and when to try again. */
export interface LimitReached {
  readonly scope: 'person' | 'workspace' | 'all'
  readonly retryInSeconds: number
  /** True for the first refusal of a series: a flood of requests must not cause a flood of answers and log lines. */
  readonly isFirst: boolean
}

interface Admission {
  release(): void
  limitReached?: LimitReached
}

export type Budgets = ReturnType<typeof createBudgets>
type WorkspaceUser = Pick<RequestUser, 'workspaceId' | 'userId'>

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
export const KINDS_FROM_PEOPLE: ReadonlySet<Request['kind']> = new Set([
  'command',
  'action',
  'submission',
  'mention',
  'shortcut',
  'home',
  'options',
])

/** Enforces the limits in this process, by a monotonic clock. */
export function createBudgets(
  overrides: Partial<BudgetLimits> = {},
  stopwatch: () => number = () => performance.now(),
) {
  const limits = { ...LIMITS, ...overrides }
  const buckets = new LRUCache<string, Bucket>(lruOptions(MAX_BUCKETS))
  const persons = createCounts()
  const workspaces = createCounts()
  let totalRunning = 0

  function findBucket(person: string): Bucket {
    const at = stopwatch()
    const bucket = buckets.get(person)
    if (!bucket) {
      const newBucket = { tokens: limits.personBurst, updatedAt: at, notifiedAt: Number.NEGATIVE_INFINITY }
      buckets.set(person, newBucket)
      return newBucket
    }
    const refill = ((at - bucket.updatedAt) / 60_000) * limits.personPerMinute
    // Infinity times zero is NaN.
    bucket.tokens = Number.isNaN(refill)
      ? bucket.tokens
      : Math.min(limits.personBurst, bucket.tokens + refill)
    bucket.updatedAt = at
    return bucket
  }

  function findReachedLimit(
    { workspaceId }: WorkspaceUser,
    person: string,
    bucket: Bucket,
  ): Omit<LimitReached, 'isFirst'> | undefined {
    if (bucket.tokens < 1)
      return {
        scope: 'person',
        retryInSeconds: Math.ceil(((1 - bucket.tokens) / limits.personPerMinute) * 60),
      }
    if (persons.get(person) >= limits.personConcurrent) return { scope: 'person', retryInSeconds: 10 }
    if (workspaces.get(workspaceId) >= limits.workspaceConcurrent)
      return { scope: 'workspace', retryInSeconds: 10 }
    return totalRunning >= limits.totalConcurrent ? { scope: 'all', retryInSeconds: 10 } : undefined
  }

  return {
    /** Acquires a slot for a request, or returns which limit was reached. Requests that don't come from a person aren't limited. */
    acquire({ kind }: Pick<Request, 'kind'>, user: WorkspaceUser): Admission {
      if (!KINDS_FROM_PEOPLE.has(kind)) return { release: () => undefined }
      const person = `${user.workspaceId} ${user.userId}`
      const bucket = findBucket(person)
      const reached = findReachedLimit(user, person, bucket)
      if (reached !== undefined) {
        const isFirst = bucket.updatedAt - bucket.notifiedAt >= NOTIFY_EVERY_MS
        if (isFirst) bucket.notifiedAt = bucket.updatedAt
        return { limitReached: { ...reached, isFirst }, release: () => undefined }
      }
      bucket.tokens -= 1
      persons.add(person, 1)
      workspaces.add(user.workspaceId, 1)
      totalRunning += 1
      return {
        release() {
          persons.add(person, -1)
          workspaces.add(user.workspaceId, -1)
          totalRunning -= 1
        },
      }
    },
  }
}

/** Creates counters by name. Removes a counter that reaches zero. */
function createCounts() {
  const counts = new Map<string, number>()
  const get = (name: string): number => counts.get(name) ?? 0
  return {
    get,
    add(name: string, change: number): void {
      const count = get(name) + change
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
  }
}
