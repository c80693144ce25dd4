import { type ObserveCall, UserError } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import { createSlackClient, type SlackClient } from './slack-client.ts'

/** The bot token of a workspace; undefined when the app is not installed there (any more). */
export type FindBotToken = (workspace: {
  workspaceId: string
  enterpriseId?: string | undefined
}) => Promise<string | undefined>

export interface SlackClients {
  /** Slack, as the app in this workspace. Throws UserError when it is not installed there. */
  of(workspace: { workspaceId: string; enterpriseId?: string | undefined }): Promise<SlackClient>
  /** Drops every client, and with it the tokens that it holds. */
  forget(): void
}

const KEPT = 200

/**
 * One client per token and workspace, the 200 last used; a workspace's token is looked up every time, so that a rotated or wiped one is
 * never used again and no call ever carries another workspace's.
 */
export function createSlackClients(
  apiUrl: string | undefined,
  find: FindBotToken,
  observe?: ObserveCall | undefined,
): SlackClients {
  const clients = new LRUCache<string, SlackClient>({ max: KEPT })
  return {
    async of(workspace) {
      const token = await find(workspace)
      if (!token)
        throw new UserError(
          'Signalman is not installed in this workspace any more: a workspace admin can install it again.',
        )
      const teamId = teamOf(workspace)
      const key = `${token} ${teamId}`
      const client = clients.get(key) ?? createSlackClient(token, apiUrl, teamId, observe)
      clients.set(key, client)
      return client
    },
    forget: () => clients.clear(),
  }
}

/** In an organization listings must say of which workspace: its one token is good for all of them. */
function teamOf({ workspaceId, enterpriseId }: Parameters<SlackClients['of']>[0]): string | undefined {
  return enterpriseId && workspaceId !== enterpriseId ? workspaceId : undefined
}
