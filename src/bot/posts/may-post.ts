import type { OutcomePending, WorkEnd } from '@signalman/durable'
import { createShortCache, fullJitterMs } from '@signalman/runtime'
import { classifyFailure, isTemporary, type SlackClients, type Workspace } from '@signalman/slack'

type Permission = 'yes' | 'shared' | 'closed'

/**
 * Whether a message may be posted in a channel. `shared`: no, because the channel is shared with another organization. `closed`: no,
 * because the app can't use the channel. Throws if Slack can't be reached.
 */
export type MayPost = (workspace: Workspace, channelId: string) => Promise<Permission>

/** Slack answers about 50 such questions a minute, and a storm sends messages in many channels. */
const ASK_AGAIN_MS = 30_000
const MAX_CHANNELS = 10_000

export function createMayPost(deps: {
  clients: SlackClients
  now: () => Date
  /** Called for each channel that turns out to be shared, because earlier posts there may need consent. */
  onSharedChannel: (workspace: Workspace, channelId: string) => Promise<unknown>
}) {
  const { clients, now, onSharedChannel } = deps
  const permissions = createShortCache<Permission>({ freshMs: ASK_AGAIN_MS, maxEntries: MAX_CHANNELS, now })
  const toKey = ({ workspaceId }: Workspace, channelId: string): string => `${workspaceId} ${channelId}`

  async function ask(workspace: Workspace, channelId: string): Promise<Permission> {
    try {
      const { isSharedOutside } = await (await clients.forWorkspace(workspace)).readChannel(channelId)
      if (!isSharedOutside) return 'yes'
      await onSharedChannel(workspace, channelId)
      return 'shared'
    } catch (error) {
      if (isTemporary(classifyFailure(error))) throw error
      return 'closed'
    }
  }

  const forgetChannel = (workspace: Workspace, channelId: string): void =>
    permissions.drop(toKey(workspace, channelId))

  /** Only a yes is remembered, until Slack says that the channel is shared. */
  const mayPost: MayPost = async (workspace, channelId) => {
    const permission = await permissions.get(toKey(workspace, channelId), () => ask(workspace, channelId))
    if (permission !== 'yes') forgetChannel(workspace, channelId)
    return permission
  }
  return { mayPost, forgetChannel }
}

/** Slack allows one message a second per channel. */
export const MESSAGE_INTERVAL_MS = 1050
/** How long after an uninstall to check whether the app was installed again. */
export const REINSTALL_CHECK_MS = 60_000
const MAX_RETRY_MS = 60_000

/**
 * Retries a message that Slack rejected temporarily: within a second, then two, and so on up to a minute, but not before
 * `minDelayMs`.
 */
export const retryLater = (attempts: number, minDelayMs = 0): WorkEnd => ({
  state: 'waiting',
  dueInMs: minDelayMs + fullJitterMs(attempts, { baseMs: 1000, maxMs: MAX_RETRY_MS - minDelayMs }),
})

/** Runs the work again when the outcomes of these posts can be checked. */
export const recheckLater = (pendingOutcomes: readonly OutcomePending[]): WorkEnd => ({
  state: 'waiting',
  dueInMs: Math.max(...pendingOutcomes.map(({ recheckMs }) => recheckMs)),
  isSuccess: pendingOutcomes.every(({ mayStillArrive }) => mayStillArrive),
})
