import { type ObserveCall, UserError } from '@signalman/runtime'
import { LRUCache } from 'lru-cache'
import { createConnections, createSlackClient, type SlackClient } from './slack-client.ts'

/** Finds the bot token of a workspace. Undefined if the app isn't installed there. */
export type FindBotToken = (workspace: InstalledWorkspace) => Promise<string | undefined>

interface InstalledWorkspace {
  workspaceId: string
}

export type SlackClients = ReturnType<typeof createSlackClients>

const MAX_CLIENTS = 200

/**
 * Caches one client per token, and keeps the 200 most recently used. Looks up the token for every call, so that a
 * rotated or deleted token is never used again, and no call uses another workspace's token.
 */
export function createSlackClients(
  apiUrl: string | undefined,
  findToken: FindBotToken,
  observe?: ObserveCall | undefined,
) {
  const clients = new LRUCache<string, SlackClient>({ max: MAX_CLIENTS })
  const connections = createConnections()
  return {
    /** A client for this workspace. Throws UserError if the app isn't installed there. */
    async forWorkspace(workspace: InstalledWorkspace): Promise<SlackClient> {
      const token = await findToken(workspace)
      if (!token)
        throw new UserError(
          'The app isn’t installed in this workspace anymore. A workspace admin can install it again.',
        )
      const client = clients.get(token) ?? createSlackClient(token, apiUrl, observe, connections)
      clients.set(token, client)
      return client
    },
    /** Drops all clients and their tokens. */
    forget: () => clients.clear(),
  }
}
