import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Outage } from '../../domain/watching/outage.ts'
import { eachInSlices } from '../../domain/watching/slices.ts'
import { readyWatch } from '../../domain/watching/subjects.ts'
import type { Watch } from '../../domain/watching/watch.ts'
import type { WatchStore } from '../../store/store.ts'
import { inTurns } from '../../turns.ts'
import { readWatches, type WatchesShown } from './read-watches.ts'

/** What Home shows of watching. */
export interface HomeWatches extends WatchesShown {
  /** What is down now and some channel is told of, longest first, of each environment that is watched. */
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
      outages: await watchedOutages(
        watching,
        { workspaceId: context.workspaceId, environment },
        shown.watches,
      ),
    })),
  )
  return { ...shown, down }
}

/** The first of those that go on and that a watch fits which is not paused. Polling knows all that is down, watched or not. */
async function watchedOutages(
  { history }: Pick<WatchStore, 'history'>,
  scope: { workspaceId: string; environment: Environment },
  watches: readonly Watch[],
): Promise<Outage[]> {
  const ready = watches
    .filter(({ environment, paused }) => environment === scope.environment && !paused)
    .map(readyWatch)
  if (ready.length === 0) return []
  const found: Outage[] = []
  for (let after: Outage | undefined; ; ) {
    const page = await history.openPage(scope, after)
    await inTurns(
      eachInSlices(page, (outage) => {
        if (found.length < SHOWN && ready.some(({ fits }) => fits(outage.check, outage.status)))
          found.push(outage)
      }),
    )
    after = page.at(-1)
    if (!after || found.length === SHOWN) return found
  }
}
