import type { Engine } from '@signalman/durable'
import type { Log } from '@signalman/runtime'
import type { SlackClients } from '@signalman/slack'
import type { Access } from '../bot/access/access.ts'
import type { createRequestHandlers } from '../bot/request-handlers.ts'
import type { Store } from './store.ts'

interface HeardParts {
  readonly store: Pick<Store, 'watching'>
  readonly clients: SlackClients
  readonly engine: () => Engine | undefined
  readonly log: Log
  readonly now: () => Date
}

/** What is done about what Slack tells of channels and people. */
export const heardOf = (parts: HeardParts, access: Pick<Access, 'actorOf'>) => ({
  tryPaused: createTryPaused(parts),
  channelShared: createChannelShared(parts),
  personChanged: createPersonChanged(parts, access),
})

/** Who has left is told nothing any more. Slack is asked only of people who are told something alone. */
function createPersonChanged(
  { store, log, now }: HeardParts,
  access: Pick<Access, 'actorOf'>,
): Parameters<typeof createRequestHandlers>[0]['personChanged'] {
  return async (workspaceId, userId) => {
    try {
      if (!(await store.watching.isToldAlone(workspaceId, userId))) return
      const { standing } = await access.actorOf({ workspaceId, userId })
      if (standing === 'deactivated') await store.watching.forgetPerson(workspaceId, userId, now())
    } catch (err) {
      log.warn({ err }, 'Whether a person has left is not known; what they are told alone stays.')
    }
  }
}

function createTryPaused({
  store,
  engine,
  log,
}: HeardParts): Parameters<typeof createRequestHandlers>[0]['tryPaused'] {
  return async (workspaceId, of) => {
    const tried = store.watching.watches.tryAgain(workspaceId, of).catch((error: unknown) => {
      log.warn({ err: error }, 'Paused channels are tried again later.')
      return 0
    })
    if ((await tried) > 0) engine()?.wake()
  }
}

/** Workspaces of one organization share channels among themselves too, so that Slack is asked: once for each event. */
function createChannelShared({
  store,
  clients,
  engine,
  log,
  now,
}: HeardParts): Parameters<typeof createRequestHandlers>[0]['channelShared'] {
  return async ({ channelId = '', ...where }) => {
    try {
      const found = await (await clients.of(where)).channelOf(channelId).catch(() => undefined)
      if (found && !found.isSharedOutside) return
      const by = { now: now(), isNews: true }
      if ((await store.watching.watches.sharedOutside(where.workspaceId, channelId, by)) > 0) engine()?.wake()
    } catch (err) {
      log.warn(
        { err },
        'Watches of a channel that was shared with another organization may still tell there.',
      )
    }
  }
}
