import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck } from '../../domain/find-check.ts'
import { watchMatcher } from './rules/subjects.ts'
import type { Matching, WatchFilter, WatchRule, WatchTerms } from './rules/watch.ts'
import { termsOf, type WatchLine, watchLine } from './rules/watch-fields.ts'

/** What was typed, with the check that it names; the checks that it has by their UUID have their names too. */
export async function withCheck(
  context: CommandContext,
  { values, named }: Pick<WatchLine, 'values' | 'named'>,
): Promise<WatchTerms> {
  const terms = termsOf(values)
  const { include, exclude } = terms.filter
  if (!named) return { ...terms, filter: { include: await labelled(context, include), exclude } }
  const check = await findCheck(context, named, (pattern) =>
    watchLine({ ...values, uuid: [{ field: 'uuid', pattern }] }),
  )
  const rule = { field: 'uuid', pattern: check.uuid, label: check.name } as const
  return { ...terms, filter: { include: [rule, ...include], exclude } }
}

/** Adds to rules with a UUID the name of the check, as far as the service still has it. */
async function labelled(context: CommandContext, rules: readonly WatchRule[]): Promise<readonly WatchRule[]> {
  if (!rules.some(({ field }) => field === 'uuid')) return rules
  const { healthChecks } = await context.api()
  return Promise.all(
    rules.map(async (rule, index) => {
      if (rule.field !== 'uuid' || index >= MOST_LABELLED) return rule
      const check = await healthChecks.get(rule.pattern).catch(() => undefined)
      return check ? { ...rule, label: check.name } : rule
    }),
  )
}

const MOST_LABELLED = 10

/** People wait for the answer, so the service is asked for so long at most. */
const MOST_MS = 5000
const MOST_LOOKED_THROUGH = 10_000
const NAMED = 5

/** Undefined where it can't be known: there are too many health checks, or the service doesn't list them in time. */
export async function matchingChecks(
  context: Pick<CommandContext, 'api'>,
  filter: WatchFilter,
): Promise<Matching | undefined> {
  const matches = watchMatcher(filter)
  const signal = AbortSignal.timeout(MOST_MS)
  const up: string[] = []
  const down: string[] = []
  let looked = 0
  try {
    const { healthChecks } = await context.api()
    for await (const page of healthChecks.listAll({}, { signal, concurrency: 2 })) {
      looked += page.results.length
      if (page.unreadable > 0 || page.total > MOST_LOOKED_THROUGH || looked > MOST_LOOKED_THROUGH)
        return undefined
      for (const check of page.results.filter(matches))
        (check.status === 'UNHEALTHY' ? down : up).push(check.name)
    }
  } catch {
    return undefined
  }
  const names = [...down, ...up]
  return { count: names.length, down: down.length, names: names.slice(0, NAMED) }
}

/** Whether no health check matches a filter; false also where that can't be known. One that is named by its UUID was found before. */
export async function fitsNothing(
  context: Pick<CommandContext, 'api'>,
  filter: WatchFilter,
): Promise<boolean> {
  const { include, exclude } = filter
  if (include.length + exclude.length === 0 || include.some(({ field }) => field === 'uuid')) return false
  return (await matchingChecks(context, filter))?.count === 0
}
