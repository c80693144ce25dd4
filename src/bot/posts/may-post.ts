import type { WorkEnd } from '@signalman/durable'
import { fullJitterMs } from '@signalman/runtime'
import {
  classifyFailure,
  findMissingScopes,
  isDirect,
  type SlackChannel,
  type SlackClient,
  type SlackClients,
  type Workspace,
} from '@signalman/slack'
import type { People } from '../access/actor.ts'
import type { PostPermission } from '../routes/command-context.ts'

/**
 * Whether a message may be posted in a channel, and with `asksGuests`, whether it's for no guest to read. Throws if Slack can't be reached.
 */
export type MayPost = (
  workspace: Workspace,
  channelId: string,
  options?: { readonly asksGuests?: true },
) => Promise<PostPermission>

/** Whether the channel's readers are the obstacle: then a message that is there may only lose something, and nothing is tried. */
export const isAboutReaders = (
  permission: PostPermission,
): permission is 'shared-outside' | 'readers-unknown' =>
  permission === 'shared-outside' || permission === 'readers-unknown'

/** Whether a message may be posted in a channel, from what Slack says about it or refuses to say. Throws if Slack can't be reached. */
export async function toPermission(asked: Promise<SlackChannel>): Promise<PostPermission> {
  try {
    const { isSharedOutside, isArchived, isMember } = await asked
    if (isSharedOutside) return 'shared-outside'
    if (isArchived) return 'archived'
    return isMember ? 'yes' : 'not-in-channel'
  } catch (error) {
    const failure = classifyFailure(error)
    if (failure.kind !== 'channel-unavailable') throw error
    return findMissingScopes(error) ? 'readers-unknown' : failure.reason
  }
}

/** Asks Slack each time, because what it said to another process, or a moment ago, may no longer be so. */
export function createMayPost(deps: {
  clients: SlackClients
  people: Pick<People, 'listGuests'>
  /** Called for each channel that turns out to be shared, because earlier posts there may need consent. */
  onSharedChannel: (workspaceId: string, channelId: string) => Promise<unknown>
}): MayPost {
  const { clients, people, onSharedChannel } = deps

  async function findGuests(
    slack: SlackClient,
    workspace: Workspace,
    channelId: string,
  ): Promise<PostPermission> {
    const hasGuests = await people
      .listGuests(workspace)
      .then((guests) => guests.size > 0 && slack.isAnyInChannel(channelId, guests))
      .catch(() => undefined)
    if (hasGuests === undefined) return 'maybe-guests'
    return hasGuests ? 'guests' : 'yes'
  }

  return async (workspace, channelId, { asksGuests = false } = {}) => {
    // Nobody else reads a DM, and Slack tells about one only with another scope.
    if (isDirect(channelId)) return 'yes'
    const slack = await clients.forWorkspace(workspace)
    const permission = await toPermission(slack.readChannel(channelId))
    if (permission === 'shared-outside') await onSharedChannel(workspace.workspaceId, channelId)
    return permission === 'yes' && asksGuests ? findGuests(slack, workspace, channelId) : permission
  }
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
