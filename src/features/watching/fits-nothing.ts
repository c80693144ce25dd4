import type { CommandContext } from '../../bot/routes/command-context.ts'
import { watchMatcher } from '../../domain/watching/filter.ts'
import type { WatchFilter } from '../../domain/watching/watch.ts'

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
