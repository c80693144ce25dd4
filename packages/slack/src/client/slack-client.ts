// This folder calls the Web API.

import { createAgent, type ObserveCall } from '@signalman/runtime'
import type { webApi } from '@slack/bolt'
import type { HomeView, KnownBlock, ModalView } from '@slack/types'
import { fetch } from 'undici'
import type { Message } from '../blocks/message.ts'
import { createDirectory } from './directory.ts'
import { type ChannelOrThread, createFindPosted, messageMetadata } from './find-posted.ts'
import { ObservedClient, SILENT_LOGGER } from './observed-client.ts'
import { PAGES, PER_PAGE, readPages, TooManyPages } from './pages.ts'
import { isEndedToken, slackErrorCode } from './slack-errors.ts'
import { createSlackFiles } from './slack-files.ts'

export interface PostedMessage {
  channelId: string
  ts: string
}

/** Options for posting a message. */
export interface PostOptions {
  /** The app's own ID for the post, by which `findPosted` can find the message. */
  readonly postId?: string | undefined
  /** Called right before the request leaves this process. If it throws, nothing is sent. */
  readonly beforeRequest?: (() => void) | undefined
}

export type SlackClient = ReturnType<typeof createSlackClient>

const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const

/** A file takes as long, and a call has a shorter deadline of its own. */
const TIMEOUT_MS = 60_000

/** The connections of clients to Slack. */
export const createConnections = () =>
  createAgent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, maxResponseSize: 32 * 1024 * 1024 })

/**
 * The library must not retry: a post whose response was lost would be posted again, and a trigger works only once.
 * `clientOptions.headers` stays unset, because clients would share one Authorization header (measured in November 2026).
 */
export const webApiOptions = (
  apiUrl: string | undefined,
  dispatcher = createConnections(),
): webApi.WebClientOptions => ({
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: 10_000,
  logger: SILENT_LOGGER,
  // Uses the undici that the app ships anyway. Node's own would be a second copy, 4 MB in an idle process.
  fetch: (url, { body, ...init } = {}) =>
    // Only file uploads need other bodies, and those don't use this client (`slack-files.ts`).
    fetch(url, { ...init, ...(body !== undefined && { body: String(body) }), dispatcher }),
  ...(apiUrl && { slackApiUrl: apiUrl }),
})

/**
 * The Web API calls of the app, for one workspace. They throw the errors of `@slack/web-api`. Clients that are opened together share
 * their connections.
 */
export function createSlackClient(
  token: string,
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
  connections = createConnections(),
) {
  const client = new ObservedClient(token, observe, webApiOptions(apiUrl, connections))
  const viewId = (response: { view?: { id?: string } }): string => response.view?.id ?? ''

  return {
    ...createDirectory(client),
    ...messageCalls(client),
    ...channelCalls(client),
    ...createSlackFiles(client, token, apiUrl, observe, connections),
    openView: async (trigger_id: string, view: ModalView): Promise<string> =>
      viewId(await client.views.open({ trigger_id, view })),
    pushView: async (trigger_id: string, view: ModalView): Promise<string> =>
      viewId(await client.views.push({ trigger_id, view })),
    /**
     * With a `hash`, updates only if the view still has it. Otherwise Slack returns `hash_conflict`. Resolves with the new hash.
     */
    async updateView(view_id: string, view: ModalView, hash?: string): Promise<string | undefined> {
      const updated = await client.views.update({ view_id, view, ...(hash && { hash }) })
      return updated.view?.hash
    },
    async publishHome(user_id: string, blocks: KnownBlock[]): Promise<void> {
      const view: HomeView = { type: 'home', blocks }
      await client.views.publish({ user_id, view })
    },
    /** Finds the message with a post ID. Undefined if it isn't there. Needs the history scope for its kind of channel. */
    findPosted: createFindPosted(client),
    /** Resolves if the token works. */
    async check(): Promise<void> {
      await client.auth.test()
    },
    /** Whose token it is. */
    async findOwner(): Promise<{ workspaceId: string | undefined; botId: string | undefined }> {
      const { team_id: workspaceId, user_id: botId } = await client.auth.test()
      return { workspaceId, botId }
    },
  }
}

/** What Slack says about a channel. */
export interface SlackChannel {
  /** Without `#`. Undefined for a channel that not everyone may see, and for a DM. */
  readonly publicName: string | undefined
  /** Shared with another organization, or about to be. */
  readonly isSharedOutside: boolean
  /** Whether the app may post there. For a DM, also of a group, whether the app is part of it. */
  readonly isMember: boolean
  readonly isArchived: boolean
}

function channelCalls(client: ObservedClient) {
  /**
   * Finds which of these people are in a channel that the app sees, up to `max` of them. Not complete if the channel has more than
   * 19,980 members.
   */
  async function findInChannel(
    channel: string,
    userIds: ReadonlySet<string>,
    max = userIds.size,
  ): Promise<{ readonly found: ReadonlySet<string>; readonly isComplete: boolean }> {
    let found: ReadonlySet<string> = new Set()
    const options = { channel, limit: PER_PAGE }
    try {
      for await (const page of readPages(client.conversations.members, options, PAGES)) {
        found = found.union(userIds.intersection(new Set(page.members)))
        if (found.size >= max) break
      }
      return { found, isComplete: true }
    } catch (error) {
      if (error instanceof TooManyPages) return { found, isComplete: false }
      throw error
    }
  }

  /**
   * Whether any of these people are in a channel that the app sees. Undefined if the first 19,980 members include none of them,
   * and the channel has more members.
   */
  async function isAnyInChannel(channel: string, userIds: ReadonlySet<string>): Promise<boolean | undefined> {
    const { found, isComplete } = await findInChannel(channel, userIds, 1)
    return found.size > 0 || (isComplete ? false : undefined)
  }

  return {
    /** Slack's information about a channel. */
    async readChannel(channel: string): Promise<SlackChannel> {
      const { channel: found } = await client.conversations.info({ channel })
      return {
        publicName: found?.is_private === false ? found.name : undefined,
        isSharedOutside: Boolean(found?.is_ext_shared || found?.is_pending_ext_shared),
        isMember: Boolean(found?.is_member || found?.is_im || found?.is_mpim),
        isArchived: Boolean(found?.is_archived),
      }
    },
    /**
     * Yields, page by page, the channels that the app is in. Leaves out those of which Slack doesn't say whether they are shared. Throws
     * TooManyPages after 19,980.
     */
    async *listChannels(): AsyncGenerator<[channelId: string, SlackChannel][], undefined> {
      const options = { types: 'public_channel,private_channel', limit: PER_PAGE }
      for await (const { channels = [] } of readPages(client.users.conversations, options, PAGES))
        yield channels.flatMap((found): [string, SlackChannel][] => {
          const { id, name, is_ext_shared: isShared, is_pending_ext_shared: isPending } = found
          if (id === undefined || typeof isShared !== 'boolean' || typeof isPending !== 'boolean') return []
          const isSharedOutside = isShared || isPending
          const publicName = found.is_private === false ? name : undefined
          return [
            [id, { publicName, isSharedOutside, isMember: true, isArchived: Boolean(found.is_archived) }],
          ]
        })
    },
    findInChannel,
    isAnyInChannel,
    /** Whether a person is in a channel that the app sees. For the largest channels, among its first 19,980 members. */
    isInChannel: async (channel: string, userId: string): Promise<boolean> =>
      (await isAnyInChannel(channel, new Set([userId]))) === true,
  }
}

function messageCalls(client: ObservedClient) {
  async function postMessage(
    target: { channel: string; thread_ts?: string },
    { text, blocks }: Message,
    { postId, beforeRequest }: PostOptions = {},
  ): Promise<webApi.ChatPostMessageResponse> {
    const metadata = postId && { metadata: messageMetadata(postId) }
    // The library's typed functions have no parameter for `beforeRequest`.
    return client.apiCall(
      'chat.postMessage',
      { ...target, ...metadata, text, blocks, ...NO_UNFURL },
      beforeRequest,
    ) as Promise<webApi.ChatPostMessageResponse>
  }

  /** What the addresses of all messages of the workspace begin with. */
  let base: string | undefined

  return {
    /** The address of a message that isn't a reply. Asks Slack for the first one only. Undefined if Slack sends none. */
    async getAddress({ channelId: channel, ts }: PostedMessage): Promise<string | undefined> {
      const path = `archives/${channel}/p${ts.replace('.', '')}`
      if (base === undefined) {
        const { permalink } = await client.chat.getPermalink({ channel, message_ts: ts })
        if (!permalink?.endsWith(path)) return permalink
        base = permalink.slice(0, -path.length)
      }
      return `${base}${path}`
    },
    /** Posts a message in the channel or thread. Resolves with the message's ts. */
    async post(
      { channelId: channel, threadTs }: ChannelOrThread,
      message: Message,
      options?: PostOptions,
    ): Promise<string> {
      const { ts } = await postMessage(
        { channel, ...(threadTs && { thread_ts: threadTs }) },
        message,
        options,
      )
      return ts ?? ''
    },
    /** Sends a DM from the app. */
    async postDirect(userId: string, message: Message, options?: PostOptions): Promise<PostedMessage> {
      const { channel, ts } = await postMessage({ channel: userId }, message, options)
      return { channelId: channel ?? userId, ts: ts ?? '' }
    },
    async postEphemeral(
      { channelId: channel, threadTs }: ChannelOrThread,
      user: string,
      { text, blocks }: Message,
    ): Promise<void> {
      await client.chat.postEphemeral({
        channel,
        user,
        text,
        blocks,
        ...(threadTs && { thread_ts: threadTs }),
      })
    },
    /** Replaces a message that the app posted. */
    async edit(
      { channelId: channel, ts }: PostedMessage,
      { text, blocks }: Message,
      { beforeRequest }: Pick<PostOptions, 'beforeRequest'> = {},
    ): Promise<void> {
      await client.apiCall('chat.update', { channel, ts, text, blocks }, beforeRequest)
    },
  }
}

/** Whether a token still works, and the code with which Slack refused to say. */
export interface TokenProbe {
  /** `ended` only if Slack has said so in a way that can mean nothing else. */
  readonly state: 'alive' | 'ended' | 'unknown'
  readonly refusal?: string | undefined
}

/**
 * Checks whether a bot token still works. It has ended only if Slack answers `account_inactive` or `token_revoked`. Every other answer
 * is `unknown`: `invalid_auth` is also sent to addresses that aren't allowed, `token_expired` means token rotation, and
 * `team_added_to_org` a move to another organization.
 * (https://docs.slack.dev/reference/methods/auth.test, November 2026)
 */
export async function probeToken(token: string, apiUrl: string | undefined): Promise<TokenProbe> {
  const { auth } = new ObservedClient(token, undefined, webApiOptions(apiUrl))
  try {
    await auth.test()
    return { state: 'alive' }
  } catch (error) {
    return isEndedToken(error) ? { state: 'ended' } : { state: 'unknown', refusal: slackErrorCode(error) }
  }
}
