import { lruOptions } from '@signalman/runtime'
import type { Request, RequestUser } from '@signalman/slack'
import { LRUCache } from 'lru-cache'

/** Rate limits. Beyond them, a request is refused and nothing starts. */
export interface BudgetLimits {
  /** A person's burst of requests, and how many a minute refill it. */
  personBurst: number
  personPerMinute: number
  /** Concurrent requests: per person, per workspace, in total. */
  personAtOnce: number
  workspaceAtOnce: number
  atOnce: number
}

/** Nobody presses a button twice a second for long. 1,000 concurrent requests take about 100 MB. */
export const LIMITS: BudgetLimits = {
  personBurst: 60,
  personPerMinute: 120,
  personAtOnce: 30,
  workspaceAtOnce: 200,
  atOnce: 1000,
}

/** Whose limit is reached, and when there is room again. */
export interface NoRoom {
  readonly of: 'person' | 'workspace' | 'all'
  readonly inSeconds: number
  /** True for the first refusal of a series: a flood of requests must not cause a flood of answers and log lines. */
  readonly isFirst: boolean
}

interface Entered {
  leave(): void
  noRoom?: NoRoom
}

export type Budgets = ReturnType<typeof createBudgets>
type WorkspaceUser = Pick<RequestUser, 'workspaceId' | 'userId'>

interface Bucket {
  left: number
  at: number
  toldAt: number
}

const KEPT = 10_000
const NOTIFIED_EVERY_MS = 5000
export const FROM_PEOPLE: ReadonlySet<Request['kind']> = new Set([
  'command',
  'tool',
  'entity',
  'step',
  'action',
  'submission',
  'mention',
  'shortcut',
  'home',
  'options',
])

/** Counts in this process, with a monotonic clock. */
export function createBudgets(
  given: Partial<BudgetLimits> = {},
  stopwatch: () => number = () => performance.now(),
) {
  const limits = { ...LIMITS, ...given }
  const buckets = new LRUCache<string, Bucket>(lruOptions(KEPT))
  const persons = createCounts()
  const workspaces = createCounts()
  let all = 0

  function findBucket(person: string): Bucket {
    const at = stopwatch()
    const known = buckets.get(person)
    if (!known) {
      const full = { left: limits.personBurst, at, toldAt: Number.NEGATIVE_INFINITY }
      buckets.set(person, full)
      return full
    }
    const back = ((at - known.at) / 60_000) * limits.personPerMinute
    // Infinity times zero is NaN.
    known.left = Number.isNaN(back) ? known.left : Math.min(limits.personBurst, known.left + back)
    known.at = at
    return known
  }

  function findFullBudget(
    { workspaceId }: WorkspaceUser,
    person: string,
    bucket: Bucket,
  ): Omit<NoRoom, 'isFirst'> | undefined {
    if (bucket.left < 1)
      return { of: 'person', inSeconds: Math.ceil(((1 - bucket.left) / limits.personPerMinute) * 60) }
    if (persons.of(person) >= limits.personAtOnce) return { of: 'person', inSeconds: 10 }
    if (workspaces.of(workspaceId) >= limits.workspaceAtOnce) return { of: 'workspace', inSeconds: 10 }
    return all >= limits.atOnce ? { of: 'all', inSeconds: 10 } : undefined
  }

  return {
    /** Returns how to release the slot, or why there is none. Requests without a person always get one. */
    enter({ kind }: Pick<Request, 'kind'>, user: WorkspaceUser): Entered {
      if (!FROM_PEOPLE.has(kind)) return { leave: () => undefined }
      const person = `${user.workspaceId} ${user.userId}`
      const bucket = findBucket(person)
      const full = findFullBudget(user, person, bucket)
      if (full !== undefined) {
        const isFirst = bucket.at - bucket.toldAt >= NOTIFIED_EVERY_MS
        if (isFirst) bucket.toldAt = bucket.at
        return { noRoom: { ...full, isFirst }, leave: () => undefined }
      }
      bucket.left -= 1
      persons.add(person, 1)
      workspaces.add(user.workspaceId, 1)
      all += 1
      return {
        leave() {
          persons.add(person, -1)
          workspaces.add(user.workspaceId, -1)
          all -= 1
        },
      }
    },
  }
}

/** Empty counters are removed. */
function createCounts() {
  const counts = new Map<string, number>()
  const of = (name: string): number => counts.get(name) ?? 0
  return {
    of,
    add(name: string, more: number): void {
      const count = of(name) + more
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
  }
}
