import type { CommandContext } from '../../bot/routes/command-context.ts'
import { createEndFilter } from './channel.ts'
import { readNames, withNames } from './find-checks.ts'
import type { WatchStore } from './rows/watching.ts'
import type { WatchListing } from './views/watches.ts'

/** Reads the watches and silences of a channel, or of the whole workspace. */
export async function readWatches(
  { watches, channels, silences, history }: Pick<WatchStore, 'watches' | 'channels' | 'silences' | 'history'>,
  context: Pick<CommandContext, 'workspaceId' | 'userId' | 'roles' | 'now' | 'api' | 'environment'>,
  channelId?: string,
): Promise<WatchListing> {
  const { workspaceId, now } = context
  const found = await watches.list(workspaceId, channelId === undefined ? {} : { channelId })
  const environments = [...new Set(found.map(({ environment }) => environment))]
  // Checks of the other environment keep the names that are stored: a request asks its own one only.
  const { names, gone } = await readNames(
    context,
    found.filter(({ environment }) => environment === context.environment),
  )
  const unseen = await Promise.all(
    environments.map(async (environment) => {
      const since = await history.findUnseen({ workspaceId, environment })
      return since ? [{ ...since, environment }] : []
    }),
  )
  return {
    watches: withNames(found, { names }),
    gone,
    findChannel: await channels.findAll(workspaceId),
    silences: await silences.list(workspaceId, now, { channelId }),
    mayEnd: await createEndFilter(context),
    unseen: unseen.flat(),
    now,
  }
}
