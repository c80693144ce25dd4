import { type HeldWork, LeaseLost } from '@signalman/durable'
import type { Message, NewBlocks, Posted, PostOptions } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import type { SentMark } from './find-lost-post.ts'
import type { Messenger } from './messenger.ts'

/** A channel of a workspace, and the environment of the service that a message there is about. */
export interface PostPlace {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly channelId: string
  readonly environment: Environment
}

/** Puts messages into a channel, in classic blocks where the workspace takes no others. All throw what Slack refuses with. */
export interface Poster {
  /** Resolves with the message's ts. */
  post(place: PostPlace, message: Message, options?: PostOptions): Promise<string>
  /** In the thread of a message. */
  reply(place: PostPlace, ts: string, message: Message, options?: PostOptions): Promise<string>
  /** The ts of what was posted; undefined when it is not in the channel, or not yet. */
  find(place: PostPlace, sent: SentMark): Promise<string | undefined>
  /** What was sent to a person's direct messages; undefined when it is not there, or not yet. */
  findDirect(place: PostPlace, userId: string, sent: SentMark): Promise<Posted | undefined>
  edit(
    place: PostPlace,
    ts: string,
    message: Message,
    options?: Pick<PostOptions, 'beforeRequest'>,
  ): Promise<string>
  direct(place: PostPlace, userId: string, message: Message, options?: PostOptions): Promise<Posted>
}

export function createPoster({
  messenger,
  newBlocks,
}: {
  messenger: Messenger
  newBlocks?: NewBlocks
}): Poster {
  const whereOf = ({ workspaceId, enterpriseId }: PostPlace) => ({ workspaceId, enterpriseId })
  const send = <T>(
    place: PostPlace,
    message: Message,
    work: (where: ReturnType<typeof whereOf>, message: Message) => Promise<T>,
  ): Promise<T> => {
    const sendOne = (one: Message) => work(whereOf(place), one)
    return newBlocks ? newBlocks.send(place.workspaceId, message, sendOne) : sendOne(message)
  }
  return {
    post: (place, message, options) =>
      send(place, message, async (where, one) => {
        const { ts } = await messenger.post(where, place.environment, place.channelId, one, options)
        return ts
      }),
    reply: (place, threadTs, message, options) =>
      send(place, message, async (where, one) => {
        const inThread = { ...options, threadTs }
        return (await messenger.post(where, place.environment, place.channelId, one, inThread)).ts
      }),
    async find(place, sent) {
      const { channelId } = place
      return (await messenger.find(whereOf(place), { channelId, ...sent }))?.ts
    },
    findDirect: (place, userId, sent) => messenger.find(whereOf(place), { to: userId, ...sent }),
    edit: (place, ts, message, options) =>
      send(place, message, async (where, one) => {
        await messenger.edit(where, place.environment, { channelId: place.channelId, ts }, one, options)
        return ts
      }),
    direct: (place, userId, message, options) =>
      send(place, message, (where, one) => messenger.direct(where, place.environment, userId, one, options)),
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
