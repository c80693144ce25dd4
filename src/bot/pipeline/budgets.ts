import { atMost } from '@signalman/runtime'
import type { Request, RequestUser } from '@signalman/slack'
import { LRUCache } from 'lru-cache'

/** How much may be asked for; beyond it the answer is that there is no room, and nothing is begun. */
export interface BudgetLimits {
  /** Requests that a person may make at a stretch, and how many a minute come to that again. */
  personBurst: number
  personPerMinute: number
  /** Under way at once: of a person, of a workspace, of all. */
  personAtOnce: number
  workspaceAtOnce: number
  atOnce: number
}

/** A person presses no button twice a second for long; 1,000 requests under way take some 100 MB. */
export const LIMITS: BudgetLimits = {
  personBurst: 60,
  personPerMinute: 120,
  personAtOnce: 30,
  workspaceAtOnce: 200,
  atOnce: 1000,
}

/** Whose room is used up, and when some of it is free again. */
export interface NoRoom {
  readonly of: 'person' | 'workspace' | 'all'
  readonly inSeconds: number
  /** True for the first of a series: a flood of requests must not become one of answers and log lines. */
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
const TOLD_EVERY_MS = 5000
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

/** Counts in this process, by a clock that is never set. */
export function createBudgets(
  given: Partial<BudgetLimits> = {},
  stopwatch: () => number = () => performance.now(),
) {
  const limits = { ...LIMITS, ...given }
  const buckets = new LRUCache<string, Bucket>(atMost(KEPT))
  const persons = createCounts()
  const workspaces = createCounts()
  let all = 0

  function bucketOf(person: string): Bucket {
    const at = stopwatch()
    const known = buckets.get(person)
    if (!known) {
      const full = { left: limits.personBurst, at, toldAt: Number.NEGATIVE_INFINITY }
      buckets.set(person, full)
      return full
    }
    const back = ((at - known.at) / 60_000) * limits.personPerMinute
    // Infinity times no time at all is no number.
    known.left = Number.isNaN(back) ? known.left : Math.min(limits.personBurst, known.left + back)
    known.at = at
    return known
  }

  function fullOf(
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
    /** What ends the request's stay, and why there is no room for it. What no person asks for always finds room. */
    enter({ kind }: Pick<Request, 'kind'>, user: WorkspaceUser): Entered {
      if (!FROM_PEOPLE.has(kind)) return { leave: () => undefined }
      const person = `${user.workspaceId} ${user.userId}`
      const bucket = bucketOf(person)
      const full = fullOf(user, person, bucket)
      if (full !== undefined) {
        const isFirst = bucket.at - bucket.toldAt >= TOLD_EVERY_MS
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

/** What is at nothing is not kept. */
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
