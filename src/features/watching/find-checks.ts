import type { CommandContext } from '../../bot/routes/command-context.ts'
import { findCheck } from '../../domain/find-check.ts'
import { watchMatcher } from './rules/subjects.ts'
import type { Matching, WatchFilter, WatchRule, WatchTerms } from './rules/watch.ts'
import { formatWatchLine, toTerms, type WatchLine } from './rules/watch-fields.ts'

/** Looks up the check that was named, and adds check names to rules with UUIDs. */
export async function resolveCheck(
  context: CommandContext,
  { values, named }: Pick<WatchLine, 'values' | 'named'>,
): Promise<WatchTerms> {
  const terms = toTerms(values)
  const { include, exclude } = terms.filter
  if (!named) return { ...terms, filter: { include: await addLabels(context, include), exclude } }
  const check = await findCheck(context, named, (pattern) =>
    formatWatchLine({ ...values, uuid: [{ field: 'uuid', pattern }] }),
  )
  const rule = { field: 'uuid', pattern: check.uuid, label: check.name } as const
  return { ...terms, filter: { include: [rule, ...include], exclude } }
}

/** Adds the check's name to rules with a UUID, if the service has it. */
async function addLabels(
  context: CommandContext,
  rules: readonly WatchRule[],
): Promise<readonly WatchRule[]> {
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

/** A person is waiting for the answer. */
const MOST_MS = 5000
const MOST_SCANNED = 10_000
const NAMED = 5

/** Undefined if there are too many health checks, or the service doesn't list them in time. */
export async function findMatchingChecks(
  context: Pick<CommandContext, 'api'>,
  filter: WatchFilter,
): Promise<Matching | undefined> {
  const matches = watchMatcher(filter)
  const signal = AbortSignal.timeout(MOST_MS)
  const up: string[] = []
  const down: string[] = []
  let scanned = 0
  try {
    const { healthChecks } = await context.api()
    for await (const page of healthChecks.listAll({}, { signal, concurrency: 2 })) {
      scanned += page.results.length
      if (page.unreadable > 0 || page.total > MOST_SCANNED || scanned > MOST_SCANNED) return undefined
      for (const check of page.results.filter(matches))
        (check.status === 'UNHEALTHY' ? down : up).push(check.name)
    }
  } catch {
    return undefined
  }
  const names = [...down, ...up]
  return { count: names.length, down: down.length, names: names.slice(0, NAMED) }
}

/**
 * Whether no health check matches a filter; false if that can't be determined. A check named by its UUID has already been
 * looked up.
 */
export async function matchesNoCheck(
  context: Pick<CommandContext, 'api'>,
  filter: WatchFilter,
): Promise<boolean> {
  const { include, exclude } = filter
  if (include.length + exclude.length === 0 || include.some(({ field }) => field === 'uuid')) return false
  return (await findMatchingChecks(context, filter))?.count === 0
}
