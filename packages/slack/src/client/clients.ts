import { type ObserveCall, UserError } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import { createSlackClient, type EntityOf, type SlackClient } from './slack-client.ts'

/** The bot token of a workspace; undefined when the app is not installed there (any more). */
export type FindBotToken = (workspace: Installed) => Promise<string | undefined>

interface Installed {
  workspaceId: string
  enterpriseId?: string | undefined
}

export type SlackClients = ReturnType<typeof createSlackClients>

const KEPT = 200

/**
 * One client per token and workspace, the 200 last used; a workspace's token is looked up every time, so that a rotated or wiped one is
 * never used again and no call ever carries another workspace's.
 */
export function createSlackClients(
  apiUrl: string | undefined,
  find: FindBotToken,
  observe?: ObserveCall | undefined,
  entityOf?: EntityOf | undefined,
) {
  const clients = new LRUCache<string, SlackClient>({ max: KEPT })
  return {
    /** Slack, as the app in this workspace. Throws UserError when it is not installed there. */
    async of(workspace: Installed): Promise<SlackClient> {
      const token = await find(workspace)
      if (!token)
        throw new UserError(
          'The app is not installed in this workspace any more: a workspace admin can install it again.',
        )
      const teamId = teamOf(workspace)
      const key = `${token} ${teamId}`
      const client = clients.get(key) ?? createSlackClient(token, apiUrl, teamId, observe, entityOf)
      clients.set(key, client)
      return client
    },
    /** Drops every client, and with it the tokens that it holds. */
    forget: () => clients.clear(),
  }
}

/** In an organization listings must say of which workspace: its one token is good for all of them. */
function teamOf({ workspaceId, enterpriseId }: Installed): string | undefined {
  return enterpriseId && workspaceId !== enterpriseId ? workspaceId : undefined
}
