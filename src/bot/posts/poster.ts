import { type HeldWork, LeaseLost } from '@signalman/durable'
import {
  forSharedMessage,
  isDirect,
  type Message,
  type NewBlocks,
  type Posted,
  type PostOptions,
  type SlackClient,
  type SlackClients,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { type BindButtons, bindButtonsForPost } from '../request/buttons.ts'
import type { SentMark } from './find-lost-post.ts'

/** A channel of a workspace, and the environment of the service that a message there is about. */
export interface PostPlace {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly channelId: string
  readonly environment: Environment
}

export type Poster = ReturnType<typeof createPoster>

/**
 * Writes messages whose buttons work, in classic blocks where the workspace takes no others, and finds them again. All throw what
 * Slack refuses with.
 */
export function createPoster(parts: {
  clients: SlackClients
  bindButtons: BindButtons
  newBlocks: NewBlocks
}) {
  const { clients, bindButtons, newBlocks } = parts
  const send = <T>(
    place: PostPlace,
    channelId: string | undefined,
    message: Message,
    work: (slack: SlackClient, message: Message) => Promise<T>,
  ): Promise<T> =>
    newBlocks.send(place.workspaceId, message, async (one) => {
      const isForOne = channelId === undefined || isDirect(channelId)
      const opened = isForOne ? one : { ...one, blocks: forSharedMessage(one.blocks) }
      const shown = await bindButtonsForPost(bindButtons, place, place.environment, opened)
      return work(await clients.of(place), shown)
    })
  const post = (place: PostPlace, message: Message, options?: PostOptions, threadTs?: string) =>
    send(place, place.channelId, message, (slack, shown) =>
      slack.post({ channelId: place.channelId, threadTs }, shown, options),
    )

  async function findIn(
    slack: SlackClient,
    channelId: string,
    { mark, sentAt, lookedAt = sentAt, threadTs }: SentMark,
  ): Promise<Posted | undefined> {
    const since = lookedAt < sentAt ? lookedAt : sentAt
    const ts = await slack.findPosted({ channelId, threadTs, mark, since, until: sentAt })
    return ts === undefined ? undefined : { channelId, ts }
  }

  return {
    /** Resolves with the message's ts. */
    post: (place: PostPlace, message: Message, options?: PostOptions): Promise<string> =>
      post(place, message, options),
    /** In the thread of a message. */
    reply: (place: PostPlace, threadTs: string, message: Message, options?: PostOptions): Promise<string> =>
      post(place, message, options, threadTs),
    /** To somebody's direct messages with the app. */
    direct: (place: PostPlace, userId: string, message: Message, options?: PostOptions): Promise<Posted> =>
      send(place, undefined, message, (slack, shown) => slack.postDirect(userId, shown, options)),
    /** The ts of what was posted; undefined when it is not in the channel, or not yet. */
    find: async (place: PostPlace, sent: SentMark): Promise<string | undefined> =>
      (await findIn(await clients.of(place), place.channelId, sent))?.ts,
    /** What was sent to a person's direct messages; undefined when it is not there, or not yet. */
    async findDirect(place: PostPlace, userId: string, sent: SentMark): Promise<Posted | undefined> {
      const slack = await clients.of(place)
      const channelId = await slack.directChannelOf(userId)
      return channelId === undefined ? undefined : findIn(slack, channelId, sent)
    },
    /** In the place of a message of the app. */
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

/** Less than the time by which `lateMs` of a lost post exceeds the 10 s that a call to Slack takes at most. */
const STANDSTILL_MS = 4000

/**
 * To be called directly before a request to Slack. Throws LeaseLost in a process that has lost the work, or for which more than 4 s
 * went by since this guard was made: another may have looked for the message meanwhile, and not found it.
 */
export function standstillGuard(
  { signal }: Pick<HeldWork, 'signal'>,
  standstillMs = STANDSTILL_MS,
): () => void {
  const begunAt = performance.now()
  return () => {
    signal.throwIfAborted()
    if (performance.now() - begunAt > standstillMs) throw new LeaseLost()
  }
}
