import { type LeasedWork, LeaseLost } from '@signalman/durable'
import {
  type BlockFallback,
  forSharedMessage,
  isDirect,
  type Message,
  type PostedMessage,
  type PostOptions,
  type SlackClient,
  type SlackClients,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type BindButtons, bindButtonsForPost } from '../request/buttons.ts'
import type { PostSearch } from './find-lost-post.ts'

/** A channel of a workspace, and the environment that its message is about. */
export interface PostTarget {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly channelId: string
  readonly environment: Environment
}

export type Poster = ReturnType<typeof createPoster>

/**
 * Posts messages with working buttons, and finds them again. Uses classic blocks if the workspace accepts no others. All methods
 * throw Slack's refusal.
 */
export function createPoster(deps: {
  clients: SlackClients
  bindButtons: BindButtons
  blockFallback: BlockFallback
}) {
  const { clients, bindButtons, blockFallback } = deps
  const send = <T>(
    target: PostTarget,
    channelId: string | undefined,
    message: Message,
    work: (slack: SlackClient, message: Message) => Promise<T>,
  ): Promise<T> =>
    blockFallback.send(target.workspaceId, message, async (accepted) => {
      const isForOne = channelId === undefined || isDirect(channelId)
      const addressed = isForOne ? accepted : { ...accepted, blocks: forSharedMessage(accepted.blocks) }
      const bound = await bindButtonsForPost(bindButtons, target, target.environment, addressed)
      return work(await clients.forWorkspace(target), bound)
    })
  const post = (
    target: PostTarget,
    message: Message,
    options?: PostOptions,
    threadTs?: string,
  ): Promise<string> =>
    send(target, target.channelId, message, (slack, shown) =>
      slack.post({ channelId: target.channelId, threadTs }, shown, options),
    )

  async function findIn(
    slack: SlackClient,
    channelId: string,
    { postId, sentAt, searchedAt = sentAt, threadTs }: PostSearch,
  ): Promise<PostedMessage | undefined> {
    const since = searchedAt < sentAt ? searchedAt : sentAt
    const ts = await slack.findPosted({ channelId, threadTs, postId, since, until: sentAt })
    return ts === undefined ? undefined : { channelId, ts }
  }

  return {
    /** Posts in the target channel. Resolves with the message's ts. */
    post,
    /** Posts in the thread of a message. */
    reply: (target: PostTarget, threadTs: string, message: Message, options?: PostOptions): Promise<string> =>
      post(target, message, options, threadTs),
    /** Sends a DM. */
    direct: (
      target: PostTarget,
      userId: string,
      message: Message,
      options?: PostOptions,
    ): Promise<PostedMessage> =>
      send(target, undefined, message, (slack, shown) => slack.postDirect(userId, shown, options)),
    /** Finds the ts of a post; undefined if it isn't in the channel, or not yet. */
    find: async (target: PostTarget, search: PostSearch): Promise<string | undefined> =>
      (await findIn(await clients.forWorkspace(target), target.channelId, search))?.ts,
    /** Finds a message in a person's DM; undefined if it isn't there, or not yet. */
    async findDirect(
      target: PostTarget,
      userId: string,
      search: PostSearch,
    ): Promise<PostedMessage | undefined> {
      const slack = await clients.forWorkspace(target)
      const channelId = await slack.findDirectChannel(userId)
      return channelId === undefined ? undefined : findIn(slack, channelId, search)
    },
    /** Replaces a message of the app. */
    edit: (
      target: PostTarget,
      ts: string,
      message: Message,
      options?: Pick<PostOptions, 'beforeRequest'>,
    ): Promise<string> =>
      send(target, target.channelId, message, async (slack, shown) => {
        await slack.edit({ channelId: target.channelId, ts }, shown, options)
        return ts
      }),
  }
}

/** A call to Slack takes at most 10 s, and a post counts as lost after 15 s. The deadline must be less than the difference. */
const SEND_DEADLINE_MS = 4000

/**
 * Returns a check to call directly before a request to Slack. It throws LeaseLost if the process lost the work, or if more than
 * 4 s passed since the check was created: meanwhile, another process may have looked for the message and not found it.
 */
export function createSendDeadlineCheck(
  { signal }: Pick<LeasedWork, 'signal'>,
  sendDeadlineMs = SEND_DEADLINE_MS,
): () => void {
  const startedAt = performance.now()
  return () => {
    signal.throwIfAborted()
    if (performance.now() - startedAt > sendDeadlineMs) throw new LeaseLost()
  }
}
