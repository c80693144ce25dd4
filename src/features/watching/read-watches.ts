import { inTurns } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Outage, PollStatus } from '../../domain/outages/outage.ts'
import { mayKnow } from './channel.ts'
import type { MaintenanceWindow } from './maintenance/rules.ts'
import { isInForce } from './mute-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import { eachInSlices } from './rules/slices.ts'
import { readyWatch } from './rules/subjects.ts'
import type { Digest, Mute, Watch } from './rules/watch.ts'

/** Watches, mutes and digests, and whether the service can be seen at all. */
export interface WatchesShown {
  watches: readonly Watch[]
  mutes: readonly Mute[]
  digests: readonly Digest[]
  /** What is planned or under way. */
  maintenance: readonly MaintenanceWindow[]
  /** The polling of each watched environment. */
  polling: readonly { environment: Environment; status: PollStatus }[]
}

/** The watches of one channel, or of the whole workspace, as far as the person may know of them. */
export async function readWatches(
  { watches, mutes, digests, maintenance, history }: WatchStore,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now'>,
  channelId?: string,
): Promise<WatchesShown> {
  const { workspaceId, now } = context
  const mayKnowOf = await mayKnow(context)
  const where = channelId === undefined ? {} : { channelId }
  const [found, muted, summed, planned, ...polls] = await Promise.all([
    watches.list(workspaceId, where),
    mutes.list(workspaceId, where),
    digests.list(workspaceId, where),
    maintenance.list(workspaceId, where),
    ...ENVIRONMENTS.map(async (environment) => ({
      environment,
      status: await history.polling(workspaceId, environment),
    })),
  ])
  return {
    watches: found.filter(mayKnowOf),
    mutes: muted.filter((mute) => isInForce(mute, now) && mayKnowOf(mute)),
    digests: summed.filter(mayKnowOf),
    maintenance: planned,
    polling: polls.flatMap(({ environment, status }) =>
      status && found.some((watch) => watch.environment === environment) ? [{ environment, status }] : [],
    ),
  }
}

const ENVIRONMENTS = ['production', 'ote'] as const

/** What Home shows of watching. */
export interface HomeWatches extends WatchesShown {
  /** What is down now and some channel is told of, longest first, of each environment that is watched. */
  down: readonly { environment: Environment; outages: readonly Outage[] }[]
}

const SHOWN = 6

export async function readHomeWatches(
  watching: WatchStore,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now'>,
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
