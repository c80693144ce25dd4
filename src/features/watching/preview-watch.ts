import type { CommandContext } from '../../bot/routes/command-context.ts'
import { countPosts } from '../../domain/watching/count-posts.ts'
import { watchMatcher } from '../../domain/watching/filter.ts'
import { watchedStatuses } from '../../domain/watching/subjects.ts'
import type { WatchTerms } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'

/** What a watch would have told in the last week. */
export interface WatchPreview {
  /** False when nothing has been observed in that time. */
  isObserved: boolean
  messages: number
  outages: number
  checks: number
  /** The checks with the most outages, first. */
  most: readonly { name: string; outages: number }[]
  /** True when there were more outages than are counted. */
  isCut: boolean
}

const WEEK_MS = 7 * 86_400_000
const MOST_OUTAGES = 2000
const NAMED = 5

/** Tries a watch on the outages of the last week, by the rules that tell people. */
export async function previewWatch(
  { watching, pollMs }: { watching: Pick<WatchStore, 'history'>; pollMs: number },
  { workspaceId, environment, now }: CommandContext,
  terms: WatchTerms,
): Promise<WatchPreview> {
  const of = { workspaceId, environment, from: new Date(now.getTime() - WEEK_MS), to: now }
  const [outages, observed] = await Promise.all([
    watching.history.outages({ ...of, limit: MOST_OUTAGES }),
    watching.history.observed(of),
  ])
  const matches = watchMatcher(terms.filter)
  const statuses = watchedStatuses(terms.filter)
  const fitting = outages.filter(
    ({ check, status, isBaseline }) => !isBaseline && statuses.includes(status) && matches(check),
  )
  const byCheck = [...Map.groupBy(fitting, ({ check }) => check.uuid).values()].toSorted(
    (left, right) => right.length - left.length,
  )
  return {
    isObserved: observed.length > 0,
    messages: countPosts(terms, fitting, pollMs),
    outages: fitting.length,
    checks: byCheck.length,
    most: byCheck.slice(0, NAMED).map((own) => ({ name: own.at(-1)?.check.name ?? '', outages: own.length })),
    isCut: outages.length === MOST_OUTAGES,
  }
}
