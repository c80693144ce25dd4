import {
  classifyFailure,
  type Message,
  type PostedMessage,
  type PostOptions,
  type PostSearch,
  type SlackClient,
  type SlackClients,
  type Upload,
} from '@signalman/slack'
import type { Environment } from '../../domain/environment.ts'
import { bindMessage } from '../bind-buttons.ts'

/** A channel of a workspace, and the environment that its message is about. */
export interface PostTarget {
  readonly workspaceId: string
  readonly channelId: string
  readonly environment: Environment
}

/** Where a message is posted: in a person's DM, or else in a channel or a thread there. */
export interface Place {
  readonly to?: string | undefined
  readonly channelId?: string | undefined
  readonly threadTs?: string | undefined
}

/** What is posted: a message, or in its place a file that was uploaded, which nobody sees before. Its message has no text. */
export interface Content extends Message {
  readonly file?: { readonly id: string; readonly title: string } | undefined
}

/** A place of a workspace: the person's DM if there is one. */
export interface Destination {
  readonly target: PostTarget & { readonly threadTs?: string | undefined }
  readonly to?: string | undefined
}

export type Poster = ReturnType<typeof createPoster>

/** Posts messages with working buttons, and files, and finds them again. All methods throw Slack's refusal. */
export function createPoster(clients: Pick<SlackClients, 'forWorkspace'>) {
  return {
    async post(
      { target, to }: Destination,
      { file, ...message }: Content,
      options?: PostOptions,
    ): Promise<PostedMessage> {
      const slack = await clients.forWorkspace(target)
      if (file) {
        await slack.shareFile(target, file, options)
        return { channelId: target.channelId, ts: '' }
      }
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

/** Uploads a file, which nobody sees, so again if Slack's answer was lost. A stream can be read only once. Returns its ID. */
export function uploadFile(slack: SlackClient, file: Upload): Promise<string> {
  const upload = () => slack.uploadFile(file)
  return upload().catch((error: unknown) => {
    if (classifyFailure(error).kind !== 'temporary' || !Buffer.isBuffer(file.body)) throw error
    return upload()
  })
}

/** What posts an uploaded file: its message is found by the file's ID. */
export const fileContent = (id: string, { title }: Pick<Upload, 'title'>): Content => ({
  text: '',
  blocks: [],
  file: { id, title },
})
