import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Outage } from '../../domain/watching/outage.ts'
import type { WatchStore } from '../../store/store.ts'
import { readWatches, type WatchesShown } from './read-watches.ts'

/** What Home shows of watching. */
export interface HomeWatches extends WatchesShown {
  /** What is down now, longest first, of each environment that is watched. */
  down: readonly { environment: Environment; outages: readonly Outage[] }[]
}

const SHOWN = 6

export async function readHomeWatches(
  watching: WatchStore,
  context: Pick<CommandContext, 'workspaceId' | 'now'>,
): Promise<HomeWatches> {
  const shown = await readWatches(watching, context)
  const environments = shown.polling.map(({ environment }) => environment)
  const down = await Promise.all(
    environments.map(async (environment) => ({
      environment,
      outages: await watching.history.open(context.workspaceId, environment, SHOWN),
    })),
  )
  return { ...shown, down }
}
