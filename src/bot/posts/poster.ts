import type { Message, PostedMessage, PostOptions, PostSearch, SlackClients } from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { bindMessage } from '../bind-buttons.ts'

/** A channel of a workspace, and the environment that its message is about. */
export interface PostTarget {
  readonly workspaceId: string
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
  return {
    async post({ target, to }: Destination, message: Message, options?: PostOptions): Promise<PostedMessage> {
      const slack = await clients.forWorkspace(target)
      const bound = bindMessage(message, target.environment)
      if (to !== undefined) return slack.postDirect(to, bound, options)
      const { channelId, threadTs } = target
      return { channelId, ts: await slack.post({ channelId, threadTs }, bound, options) }
    },
    /** Finds a post; undefined if it isn't there, or not yet. */
    async find({ target, to }: Destination, search: PostSearch): Promise<PostedMessage | undefined> {
      const slack = await clients.forWorkspace(target)
      return slack.findPosted(to === undefined ? target : { to }, search)
    },
    /** Replaces a message of the app. */
    async edit(
      target: PostTarget,
      ts: string,
      message: Message,
      options?: Pick<PostOptions, 'beforeRequest'>,
    ): Promise<void> {
      const slack = await clients.forWorkspace(target)
      const { channelId, environment } = target
      await slack.edit({ channelId, ts }, bindMessage(message, environment), options)
    },
  }
}
