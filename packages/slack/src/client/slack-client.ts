import type { ObserveCall } from '@signalman/runtime'
import type { webApi } from '@slack/bolt'
import type { EntityMetadata, HomeView, KnownBlock, ModalView } from '@slack/types'
import { LRUCache } from 'lru-cache'
import { Agent, fetch } from 'undici'
import type { Message } from '../blocks/message.ts'
import { createDirectory, directChannelOf } from './directory.ts'
import { createFindPosted, messageMetadata, type Spot } from './find-posted.ts'
import { ObservedClient, SILENT, type Worded } from './observed-client.ts'
import { isDeadToken, isOfMetadata, isStepOver, saidNo } from './slack-answer.ts'
import { createSlackFiles } from './slack-files.ts'

/** A message that was posted: enough to edit it. */
export interface Posted {
  channelId: string
  ts: string
}

/** How a message is posted. */
export interface PostOptions {
  /** By this it can be found afterwards. */
  readonly mark?: string | undefined
  /** Called directly before the request leaves this process. When it throws, nothing is sent. */
  readonly beforeRequest?: (() => void) | undefined
}

export type SlackClient = ReturnType<typeof createSlackClient>

/** The work object that a message is about; undefined for most. */
export type EntityOf = (message: Pick<Message, 'blocks'>) => EntityMetadata | undefined

/** `restricted` says nothing but that it is not for this person. */
export type EntityShown =
  | { metadata: EntityMetadata }
  | { error: { status: 'restricted' } | { status: 'custom'; custom_title: string; custom_message: string } }

/** What a step gives to those behind it, or why it could not be done. */
export type StepEnd = { outputs: Readonly<Record<string, string | number | boolean>> } | { error: string }

const SCOPES_LAST_MS = 300_000
const MEMBER_PAGES = 20
/** The most that Slack accepts (https://docs.slack.dev/reference/methods/conversations.members, November 2026). */
const MEMBER_PAGE = 999

const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const

/** Slack's answers come by HTTP/1.1, as those of Node's own `fetch` do: this undici would take HTTP/2 where it is offered. */
const dispatcher = new Agent({ allowH2: false })

/**
 * Nothing is repeated by the library: a post whose reply was lost would be posted again, and a trigger works once.
 * `clientOptions.headers` stays unset: clients would share one Authorization header (facts measured in November 2026).
 */
export const webApiOptions = (apiUrl: string | undefined): webApi.WebClientOptions => ({
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: 10_000,
  logger: SILENT,
  // Of the undici that the app brings anyway: Node's own would be a second one, 4 MB of an idle process.
  fetch: (url, { body, ...init } = {}) =>
    // A form would be for files, which go another way (`slack-files.ts`).
    fetch(url, { ...init, ...(body !== undefined && { body: String(body) }), dispatcher }),
  ...(apiUrl && { slackApiUrl: apiUrl }),
})

/**
 * The calls to Slack's Web API that the app makes, for one workspace. All throw what `@slack/web-api` throws. `teamId` says of which
 * workspace things are, where the token is a whole organization's.
 */
export function createSlackClient(
  token: string,
  apiUrl: string | undefined,
  teamId?: string | undefined,
  observe?: ObserveCall | undefined,
  entityOf?: EntityOf | undefined,
  worded?: Worded | undefined,
) {
  const options = { ...webApiOptions(apiUrl), ...(teamId && { teamId }) }
  const client = new ObservedClient(token, observe, options, worded)
  const scopes = new LRUCache({
    max: 1,
    ttl: SCOPES_LAST_MS,
    async fetchMethod(_: string): Promise<ReadonlySet<string>> {
      const { response_metadata: about } = await client.auth.test()
      return new Set(about?.scopes ?? [])
    },
  })
  const idOf = (answer: { view?: { id?: string } }): string => answer.view?.id ?? ''

  return {
    ...createDirectory(client),
    ...messageCalls(client, entityOf),
    ...channelCalls(client),
    ...createSlackFiles(client, token, apiUrl, observe),
    openView: async (trigger_id: string, view: ModalView): Promise<string> =>
      idOf(await client.views.open({ trigger_id, view })),
    pushView: async (trigger_id: string, view: ModalView): Promise<string> =>
      idOf(await client.views.push({ trigger_id, view })),
    /** With a `hash`, only when the view still is the one that had it; else Slack says `hash_conflict`. Resolves with the new hash. */
    async updateView(view_id: string, view: ModalView, hash?: string): Promise<string | undefined> {
      const updated = await client.views.update({ view_id, view, ...(hash && { hash }) })
      return updated.view?.hash
    },
    async publishHome(user_id: string, blocks: KnownBlock[]): Promise<void> {
      const view: HomeView = { type: 'home', blocks }
      await client.views.publish({ user_id, view })
    },
    /** The ts of what was posted with a mark; undefined when it is not there. Needs the history scope of its kind of channel. */
    findPosted: createFindPosted(client),
    /** The channel of a person's direct messages with the app; undefined where there are none yet. */
    directChannelOf: (userId: string): Promise<string | undefined> => directChannelOf(client, userId),
    /** Fills the pane of a work object for whoever opened it: with the object, or with why there is nothing to see. */
    async presentEntity(trigger_id: string, shown: EntityShown): Promise<void> {
      await client.apiCall('entity.presentDetails', { trigger_id, ...shown })
    },
    /** Ends a step of a workflow, once; of one that is over already it says nothing. */
    async endStep(function_execution_id: string, end: StepEnd): Promise<void> {
      const told =
        'error' in end
          ? client.functions.completeError({ function_execution_id, error: end.error })
          : client.functions.completeSuccess({ function_execution_id, outputs: { ...end.outputs } })
      await told.catch((error: unknown) => {
        if (!isStepOver(error)) throw error
      })
    },
    /** Answers when the token works. */
    async check(): Promise<void> {
      await client.auth.test()
    },
    /** What the workspace has granted to the app, as of five minutes ago at most; empty where Slack does not say. */
    grantedScopes: (): Promise<ReadonlySet<string>> => scopes.forceFetch(token),
  }
}

function channelCalls(client: ObservedClient) {
  /** Whether any of these people are in a channel that the app sees; undefined if they aren't among its first 19,980 members. */
  async function isAnyInChannel(channel: string, userIds: ReadonlySet<string>): Promise<boolean | undefined> {
    let cursor: string | undefined
    for (let page = 0; page < MEMBER_PAGES; page += 1) {
      const found = await client.conversations.members({
        channel,
        limit: MEMBER_PAGE,
        ...(cursor && { cursor }),
      })
      if (found.members?.some((userId) => userIds.has(userId))) return true
      cursor = found.response_metadata?.next_cursor
      if (!cursor) return false
    }
    return undefined
  }

  return {
    /** What Slack says of a channel. */
    async channelOf(channel: string) {
      const { channel: found } = await client.conversations.info({ channel })
      return {
        /** Shared with another organization, or about to be. */
        isSharedOutside: Boolean(found?.is_ext_shared || found?.is_pending_ext_shared),
        /** Whether the app may write there: a direct message is one with it. */
        isMember: Boolean(found?.is_member || found?.is_im),
        isArchived: Boolean(found?.is_archived),
      }
    },
    isAnyInChannel,
    /** Whether a person is in a channel that the app sees; of the largest ones, among its first 19,980 members. */
    isInChannel: async (channel: string, userId: string): Promise<boolean> =>
      (await isAnyInChannel(channel, new Set([userId]))) === true,
    /** The message that a thread hangs on, as Slack has it; undefined when it is gone. Needs the history scope of its kind of channel. */
    async threadRoot({
      channelId: channel,
      threadTs = '',
    }: Required<Spot>): Promise<Readonly<Record<string, unknown>> | undefined> {
      const { messages } = await client.conversations.replies({ channel, ts: threadTs, limit: 1 })
      // As Slack sent it: whoever reads it checks what is there.
      return messages?.find(({ ts }) => ts === threadTs) as Record<string, unknown> | undefined
    },
  }
}

function messageCalls(client: ObservedClient, entityOf: EntityOf = () => undefined) {
  async function postMessage(
    where: { channel: string; thread_ts?: string },
    { text, blocks }: Message,
    { mark, beforeRequest }: PostOptions = {},
  ): Promise<webApi.ChatPostMessageResponse> {
    const entity = entityOf({ blocks })
    const send = (metadata: object) => {
      const carried = Object.keys(metadata).length > 0 && { metadata }
      const said = { ...where, ...carried, text, blocks, ...NO_UNFURL }
      // The library knows what each method answers, and says so only of its own functions, which take nothing but the arguments.
      return client.apiCall(
        'chat.postMessage',
        said,
        beforeRequest,
      ) as Promise<webApi.ChatPostMessageResponse>
    }
    const marked = { ...(mark && messageMetadata(mark)) }
    if (!entity) return send(marked)
    return send({ ...marked, entities: [entity] }).catch((error: unknown) => {
      // Installed by an older manifest, say: the card is worth more than what is opened from it.
      if (!isOfMetadata(error)) throw error
      return send(marked)
    })
  }

  return {
    /** For everyone in the channel, or in the thread. Resolves with the message's ts. */
    async post(
      { channelId: channel, threadTs }: Spot,
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
    /** To a person's direct messages with the app. */
    async postDirect(userId: string, message: Message, options?: PostOptions): Promise<Posted> {
      const { channel, ts } = await postMessage({ channel: userId }, message, options)
      return { channelId: channel ?? userId, ts: ts ?? '' }
    },
    async postEphemeral(
      { channelId: channel, threadTs }: Spot,
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
    /** Puts another message in the place of one that the app posted. */
    async edit(
      { channelId: channel, ts }: Posted,
      { text, blocks }: Message,
      { beforeRequest }: Pick<PostOptions, 'beforeRequest'> = {},
    ): Promise<void> {
      await client.apiCall('chat.update', { channel, ts, text, blocks }, beforeRequest)
    },
  }
}

/** Most workspaces of one organization that are asked for, a thousand at a time. */
const TEAM_PAGES = 100

/**
 * Whether a bot token still works, or with a workspace: whether that is among those which the organization has given to the app;
 * `unknown` when Slack cannot be asked. Where Slack refuses the list, its own word that the app was taken out counts.
 * (https://docs.slack.dev/reference/methods/auth.teams.list, November 2026)
 */
export async function probeToken(
  token: string,
  apiUrl: string | undefined,
  teamId?: string | undefined,
): Promise<'alive' | 'dead' | 'unknown'> {
  const { auth } = new ObservedClient(token, undefined, webApiOptions(apiUrl))
  try {
    if (teamId === undefined) {
      await auth.test()
      return 'alive'
    }
    let cursor = ''
    for (let page = 0; page < TEAM_PAGES; page += 1) {
      const { teams = [], response_metadata: more } = await auth.teams.list({
        limit: 1000,
        ...(cursor && { cursor }),
      })
      if (teams.some(({ id }) => id === teamId)) return 'alive'
      cursor = more?.next_cursor ?? ''
      if (!cursor) return 'dead'
    }
    return 'unknown'
  } catch (error) {
    const isRefused = teamId !== undefined && saidNo(error)
    return isDeadToken(error) || isRefused ? 'dead' : 'unknown'
  }
}
