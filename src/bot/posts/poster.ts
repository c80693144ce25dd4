import {
  forSharedMessage,
  isDirect,
  type Message,
  type PostedMessage,
  type PostOptions,
  type SlackClient,
  type SlackClients,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { bindMessage } from '../bind-buttons.ts'
import type { PostSearch } from './post-once.ts'

/** A channel of a workspace, and the environment that its message is about. */
export interface PostTarget {
  readonly workspaceId: string
  readonly enterpriseId?: string | undefined
  readonly channelId: string
  readonly environment: Environment
}

/** Where a message is posted: in a person's DM, or else in the target's channel, or in a thread there. */
export interface Destination {
  readonly target: PostTarget & { readonly threadTs?: string | undefined }
  readonly to?: string | undefined
}

export type Poster = ReturnType<typeof createPoster>

/**
 * Posts messages with working buttons, and finds them again. All methods throw Slack's refusal.
 */
export function createPoster(clients: SlackClients) {
  const send = async <T>(
    target: PostTarget,
    channelId: string | undefined,
    message: Message,
    work: (slack: SlackClient, message: Message) => Promise<T>,
  ): Promise<T> => {
    const isForOne = channelId === undefined || isDirect(channelId)
    const addressed = isForOne ? message : { ...message, blocks: forSharedMessage(message.blocks) }
    return work(await clients.forWorkspace(target), bindMessage(addressed, target.environment))
  }

  return {
    /** Posts a message. */
    async post({ target, to }: Destination, message: Message, options?: PostOptions): Promise<PostedMessage> {
      if (to !== undefined)
        return send(target, undefined, message, (slack, shown) => slack.postDirect(to, shown, options))
      const { channelId, threadTs } = target
      const ts = await send(target, channelId, message, (slack, shown) =>
        slack.post({ channelId, threadTs }, shown, options),
      )
      return { channelId, ts }
    },
    /** Finds a post; undefined if it isn't there, or not yet. */
    async find({ target, to }: Destination, search: PostSearch): Promise<PostedMessage | undefined> {
      const slack = await clients.forWorkspace(target)
      const channelId = to === undefined ? target.channelId : await slack.findDirectChannel(to)
      if (channelId === undefined) return undefined
      const threadTs = to === undefined ? target.threadTs : undefined
      const ts = await slack.findPosted({ channelId, threadTs, ...search })
      return ts === undefined ? undefined : { channelId, ts }
    },
    /** Replaces a message of the app. */
    edit: (
      target: PostTarget,
      ts: string,
      message: Message,
      options?: Pick<PostOptions, 'beforeRequest'>,
    ): Promise<void> =>
      send(target, target.channelId, message, (slack, shown) =>
        slack.edit({ channelId: target.channelId, ts }, shown, options),
      ),
  }
}
