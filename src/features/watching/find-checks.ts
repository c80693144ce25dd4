import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck } from '../../domain/find-check.ts'
import { watchMatcher } from './rules/subjects.ts'
import type { WatchFilter, WatchRule, WatchTerms } from './rules/watch.ts'
import { termsOf, type WatchLine, watchLine } from './watch-fields.ts'

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

/** The watch is made already, so its answer waits only this long. */
const MOST_MS = 5000
const MOST_LOOKED_THROUGH = 10_000

/**
 * Whether no health check of the service fits a filter. False also where that cannot be told: when there are too many of them,
 * or the service does not list them in time. A check that is named by its UUID was found before.
 */
export async function fitsNothing(
  context: Pick<CommandContext, 'api'>,
  { include, exclude }: WatchFilter,
): Promise<boolean> {
  const rules = [...include, ...exclude].filter(({ field }) => field !== 'status')
  if (rules.length === 0 || include.some(({ field }) => field === 'uuid')) return false
  const matches = watchMatcher({ include, exclude })
  const signal = AbortSignal.timeout(MOST_MS)
  try {
    const { healthChecks } = await context.api()
    let looked = 0
    for await (const page of healthChecks.listAll({}, { signal, concurrency: 2 })) {
      looked += page.results.length
      if (page.unreadable > 0 || page.total > MOST_LOOKED_THROUGH || looked > MOST_LOOKED_THROUGH)
        return false
      if (page.results.some(matches)) return false
    }
    return true
  } catch {
    return false
  }
}
