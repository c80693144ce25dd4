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
import type { SentMark } from './find-lost-post.ts'

/** A channel of a workspace, and the environment that its message is about. */
export interface PostPlace {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly channelId: string
  readonly environment: Environment
}

export type Poster = ReturnType<typeof createPoster>

/**
 * Posts messages with working buttons, in classic blocks if the workspace accepts no others, and finds them again. All
 * methods throw Slack's refusal.
 */
export function createPoster(deps: {
  clients: SlackClients
  bindButtons: BindButtons
  blockFallback: BlockFallback
}) {
  const { clients, bindButtons, blockFallback } = deps
  const send = <T>(
    place: PostPlace,
    channelId: string | undefined,
    message: Message,
    work: (slack: SlackClient, message: Message) => Promise<T>,
  ): Promise<T> =>
    blockFallback.send(place.workspaceId, message, async (accepted) => {
      const isForOne = channelId === undefined || isDirect(channelId)
      const addressed = isForOne ? accepted : { ...accepted, blocks: forSharedMessage(accepted.blocks) }
      const bound = await bindButtonsForPost(bindButtons, place, place.environment, addressed)
      return work(await clients.forWorkspace(place), bound)
    })
  const post = (place: PostPlace, message: Message, options?: PostOptions, threadTs?: string) =>
    send(place, place.channelId, message, (slack, shown) =>
      slack.post({ channelId: place.channelId, threadTs }, shown, options),
    )

  async function findIn(
    slack: SlackClient,
    channelId: string,
    { mark, sentAt, searchedAt = sentAt, threadTs }: SentMark,
  ): Promise<PostedMessage | undefined> {
    const since = searchedAt < sentAt ? searchedAt : sentAt
    const ts = await slack.findPosted({ channelId, threadTs, mark, since, until: sentAt })
    return ts === undefined ? undefined : { channelId, ts }
  }

  return {
    /** Posts in the place's channel. Resolves with the message's ts. */
    post: (place: PostPlace, message: Message, options?: PostOptions): Promise<string> =>
      post(place, message, options),
    /** Posts in the thread of a message. */
    reply: (place: PostPlace, threadTs: string, message: Message, options?: PostOptions): Promise<string> =>
      post(place, message, options, threadTs),
    /** Sends a DM. */
    direct: (
      place: PostPlace,
      userId: string,
      message: Message,
      options?: PostOptions,
    ): Promise<PostedMessage> =>
      send(place, undefined, message, (slack, shown) => slack.postDirect(userId, shown, options)),
    /** Finds the ts of a post; undefined if it isn't in the channel, or not yet. */
    find: async (place: PostPlace, sent: SentMark): Promise<string | undefined> =>
      (await findIn(await clients.forWorkspace(place), place.channelId, sent))?.ts,
    /** Finds a message in a person's DM; undefined if it isn't there, or not yet. */
    async findDirect(place: PostPlace, userId: string, sent: SentMark): Promise<PostedMessage | undefined> {
      const slack = await clients.forWorkspace(place)
      const channelId = await slack.findDirectChannel(userId)
      return channelId === undefined ? undefined : findIn(slack, channelId, sent)
    },
    /** Replaces a message of the app. */
    edit: (
      place: PostPlace,
      ts: string,
      message: Message,
      options?: Pick<PostOptions, 'beforeRequest'>,
    ): Promise<string> =>
      send(place, place.channelId, message, async (slack, shown) => {
        await slack.edit({ channelId: place.channelId, ts }, shown, options)
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
