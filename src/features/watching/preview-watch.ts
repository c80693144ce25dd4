import { DAY_MS, HOUR_MS, inTurns } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { WatchStore } from './rows/watching.ts'
import { countPosts } from './rules/replay.ts'
import { watchedStatuses, watchMatcher } from './rules/subjects.ts'
import { observedWithin } from './rules/sum-history.ts'
import type { WatchTerms } from './rules/watch.ts'

export type WatchPreview = Awaited<ReturnType<typeof previewWatch>>

export const WEEK_MS = 7 * DAY_MS
/** A message from this long before the week may be edited in it. */
const BEFORE_MS = 2 * HOUR_MS
const MOST_OUTAGES = 2000
const NAMED = 5

/** Tries a watch on the outages of the last week, with the rules that real messages follow. */
export async function previewWatch(
  { watching, pollMs }: { watching: Pick<WatchStore, 'history'>; pollMs: number },
  { workspaceId, environment, now }: CommandContext,
  terms: WatchTerms,
) {
  const { history } = watching
  const statuses = watchedStatuses(terms.filter)
  const [from, to] = [new Date(now.getTime() - WEEK_MS), now]
  const of = { workspaceId, environment, from: new Date(from.getTime() - BEFORE_MS), to }
  const [outages, observed, polling] = await Promise.all([
    statuses.length > 0 ? history.outages({ ...of, statuses, limit: MOST_OUTAGES }) : [],
    history.observed(of),
    history.polling(workspaceId, environment),
  ])
  const matches = watchMatcher(terms.filter)
  const fitting = outages.filter(({ check, isBaseline }) => !isBaseline && matches(check))
  const told = await inTurns(countPosts(terms, fitting, { from, to, pollMs }))
  const byCheck = [...Map.groupBy(told.outages, ({ check }) => check.uuid).values()].toSorted(
    (left, right) => right.length - left.length,
  )
  return {
    /** How much of the week was observed. */
    observedMs: observedWithin(observed)({ from, to }),
    /** Statuses that the watch asks for and that nobody has looked for. */
    unseen: statuses.filter(
      (status) => !polling?.statuses.includes(status) && outages.every((one) => one.status !== status),
    ),
    messages: told.posts,
    outages: told.outages.length,
    checks: byCheck.length,
    /** Outages of its checks that were too short for it. */
    tooShort: fitting.filter(
      ({ badPolls, endedAt }) => endedAt && endedAt > from && badPolls < terms.afterBadPolls,
    ).length,
    /** The checks with the most outages, first. */
    most: byCheck.slice(0, NAMED).map((own) => ({ name: own.at(-1)?.check.name ?? '', outages: own.length })),
    /** True when there were more outages than are counted. */
    isCut: outages.length === MOST_OUTAGES,
  }
}
