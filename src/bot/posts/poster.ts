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
    /** In someone's DM with the app. */
    direct: (place: PostPlace, userId: string, message: Message, options?: PostOptions): Promise<Posted> =>
      send(place, undefined, message, (slack, shown) => slack.postDirect(userId, shown, options)),
    /** The ts of the post; undefined if it isn't in the channel, or not yet. */
    find: async (place: PostPlace, sent: SentMark): Promise<string | undefined> =>
      (await findIn(await clients.of(place), place.channelId, sent))?.ts,
    /** The message in a person's DM; undefined if it isn't there, or not yet. */
    async findDirect(place: PostPlace, userId: string, sent: SentMark): Promise<Posted | undefined> {
      const slack = await clients.of(place)
      const channelId = await slack.directChannelOf(userId)
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

/** Less than the time by which `lateMs` of a lost post exceeds the 10 s that a call to Slack takes at most. */
const STANDSTILL_MS = 4000

/**
 * Call directly before a request to Slack. Throws LeaseLost in a process that lost the work, or if more than 4 s passed
 * since this guard was created: another process may have looked for the message in the meantime and not found it.
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
