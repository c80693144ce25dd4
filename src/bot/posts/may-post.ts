import type { Setting, Settings } from '@signalman/durable'
import { isPassing, type SlackClients, slackAnswer } from '@signalman/slack'
import type { Where } from '../install/tenancy.ts'

/** Channels shared with another organization in which an admin has allowed threat events and orders. */
export const OPEN_CHANNELS: Setting<readonly string[]> = {
  key: 'sharing.open-channels',
  read: (stored) => (Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []),
}

/**
 * Whether threat events and orders may be posted in a channel by themselves: not in one that is `shared` with another
 * organization, unless an admin has allowed it, and not where Slack says that it is `closed` to the app. Throws when Slack
 * cannot be asked.
 */
export type MayPost = (where: Where, channelId: string) => Promise<'yes' | 'shared' | 'closed'>

export function createMayPost(parts: { clients: SlackClients; settings: Pick<Settings, 'get'> }): MayPost {
  const { clients, settings } = parts
  return async (where, channelId) => {
    try {
      const { isSharedOutside } = await (await clients.of(where)).channelOf(channelId)
      if (!isSharedOutside) return 'yes'
      const open = await settings.get(where.workspaceId, OPEN_CHANNELS)
      return open.includes(channelId) ? 'yes' : 'shared'
    } catch (error) {
      if (isPassing(slackAnswer(error))) throw error
      return 'closed'
    }
  }
}
