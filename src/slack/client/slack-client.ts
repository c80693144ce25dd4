import { webApi } from '@slack/bolt'
import type { HomeView, KnownBlock, ModalView } from '@slack/types'
import type { Message } from '../../blocks/message.ts'
import { type ObserveCall, observed } from '../../domain/outgoing-call.ts'
import { directChannelOf } from './direct-channel.ts'
import { createDirectory, type Directory } from './directory.ts'
import { createFindPosted, type PostedWhere } from './find-posted.ts'
import { messageMetadata } from './message-mark.ts'
import { createSlackFiles, type SlackFiles } from './slack-files.ts'

/** A channel, and a thread in it. */
export interface Spot {
  channelId: string
  threadTs?: string | undefined
}

/** A message that was posted: enough to edit it. */
export interface Posted {
  channelId: string
  ts: string
}

export interface ChannelFacts {
  /** Shared with another organization, or about to be. */
  isSharedOutside: boolean
  /** Whether the app may write there: a direct message is one with it. */
  isMember: boolean
  isArchived: boolean
}

/** The calls to Slack's Web API that the app makes, for one workspace. All throw what `@slack/web-api` throws. */
export interface SlackClient extends Directory, SlackFiles {
  openView(triggerId: string, view: ModalView): Promise<string>
  pushView(triggerId: string, view: ModalView): Promise<string>
  /** With a `hash`, only when the view still is the one that had it; else Slack says `hash_conflict`. */
  updateView(viewId: string, view: ModalView, hash?: string): Promise<void>
  publishHome(userId: string, blocks: KnownBlock[]): Promise<void>
  postEphemeral(at: Spot, userId: string, message: Message): Promise<void>
  /** For everyone in the channel, or in the thread. Resolves with the message's ts. With a mark it can be found by that. */
  post(at: Spot, message: Message, mark?: string): Promise<string>
  /** The ts of what was posted with a mark; undefined when it is not there. Needs the history scope of its kind of channel. */
  findPosted(where: PostedWhere): Promise<string | undefined>
  /** What Slack says of a channel. */
  channelOf(channelId: string): Promise<ChannelFacts>
  /** To a person's direct messages with the app. With a mark it can be found by that. */
  postDirect(userId: string, message: Message, mark?: string): Promise<Posted>
  /** The channel of a person's direct messages with the app; undefined where there are none yet. */
  directChannelOf(userId: string): Promise<string | undefined>
  /** Puts another message in the place of one that the app posted. */
  edit(posted: Posted, message: Message): Promise<void>
  /** The message that a thread hangs on, as Slack has it; undefined when it is gone. Needs the history scope of its kind of channel. */
  threadRoot(at: Required<Spot>): Promise<Readonly<Record<string, unknown>> | undefined>
  /** What the workspace has granted to the app, as of five minutes ago at most; empty where Slack does not say. */
  grantedScopes(): Promise<ReadonlySet<string>>
  /** Answers when the token works. */
  check(): Promise<void>
}

const SCOPES_LAST_MS = 300_000

/** Keeps the library from writing to the console past our log; it throws its errors as well. */
export const SILENT: NonNullable<webApi.WebClientOptions['logger']> = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  setName() {},
  getLevel: () => webApi.LogLevel.ERROR,
}

const NO_UNFURL = { unfurl_links: false, unfurl_media: false } as const

/**
 * Nothing is repeated by the library: a post whose reply was lost would be posted again, and a trigger works once.
 * `clientOptions.headers` stays unset: clients would share one Authorization header (facts measured in November 2026).
 * `teamId` says of which workspace things are, where the token is a whole organization's.
 */
export function createSlackClient(
  token: string,
  apiUrl: string | undefined,
  teamId?: string | undefined,
  observe?: ObserveCall | undefined,
): SlackClient {
  const client = new ObservedClient(token, observe, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: 10_000,
    // Of one workspace: a flood of answers to it takes no more of this process's sockets; the library's own limit is 100.
    maxRequestConcurrency: 20,
    logger: SILENT,
    ...(teamId && { teamId }),
    ...(apiUrl && { slackApiUrl: apiUrl }),
  })
  const idOf = (answer: { view?: { id?: string } }): string => answer.view?.id ?? ''
  return {
    ...createDirectory(client),
    ...createSlackFiles(client, token, apiUrl, observe),
    openView: async (trigger_id, view) => idOf(await client.views.open({ trigger_id, view })),
    pushView: async (trigger_id, view) => idOf(await client.views.push({ trigger_id, view })),
    async updateView(view_id, view, hash) {
      await client.views.update({ view_id, view, ...(hash && { hash }) })
    },
    async publishHome(user_id, blocks) {
      const view: HomeView = { type: 'home', blocks }
      await client.views.publish({ user_id, view })
    },
    async postEphemeral({ channelId: channel, threadTs }, user, { text, blocks }) {
      await client.chat.postEphemeral({
        channel,
        user,
        text,
        blocks,
        ...(threadTs && { thread_ts: threadTs }),
      })
    },
    async post({ channelId: channel, threadTs }, { text, blocks }, mark) {
      const where = {
        channel,
        ...(threadTs && { thread_ts: threadTs }),
        ...(mark && { metadata: messageMetadata(mark) }),
      }
      const { ts } = await client.chat.postMessage({ ...where, text, blocks, ...NO_UNFURL })
      return ts ?? ''
    },
    findPosted: createFindPosted(client),
    directChannelOf: (userId) => directChannelOf(client, userId),
    async channelOf(channel) {
      const { channel: found } = await client.conversations.info({ channel })
      return {
        isSharedOutside: Boolean(found?.is_ext_shared || found?.is_pending_ext_shared),
        isMember: Boolean(found?.is_member || found?.is_im),
        isArchived: Boolean(found?.is_archived),
      }
    },
    async postDirect(userId, { text, blocks }, mark) {
      const where = { channel: userId, ...(mark && { metadata: messageMetadata(mark) }) }
      const { channel, ts } = await client.chat.postMessage({ ...where, text, blocks, ...NO_UNFURL })
      return { channelId: channel ?? userId, ts: ts ?? '' }
    },
    async edit({ channelId: channel, ts }, { text, blocks }) {
      await client.chat.update({ channel, ts, text, blocks })
    },
    async threadRoot({ channelId: channel, threadTs = '' }) {
      const { messages } = await client.conversations.replies({ channel, ts: threadTs, limit: 1 })
      // As Slack sent it: whoever reads it checks what is there.
      return messages?.find(({ ts }) => ts === threadTs) as Record<string, unknown> | undefined
    },
    async check() {
      await client.auth.test()
    },
    grantedScopes: keptFor(SCOPES_LAST_MS, async () => {
      const { response_metadata: about } = await client.auth.test()
      return new Set(about?.scopes ?? [])
    }),
  }
}

/** Asks again once an answer is older than that, and after a failure. */
function keptFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let kept: { answer: Promise<T>; atMs: number } | undefined
  return () => {
    if (kept && performance.now() - kept.atMs < ms) return kept.answer
    const fresh = { answer: ask(), atMs: performance.now() }
    kept = fresh
    fresh.answer.catch(() => {
      if (kept === fresh) kept = undefined
    })
    return fresh.answer
  }
}

/** Tells of every call of the Web API, by method, and what Slack said. */
export class ObservedClient extends webApi.WebClient {
  readonly #observe: ObserveCall | undefined

  constructor(token: string, observe: ObserveCall | undefined, options: webApi.WebClientOptions) {
    super(token, options)
    this.#observe = observe
  }

  override apiCall(method: string, options?: Record<string, unknown>): Promise<webApi.WebAPICallResult> {
    const call = { to: 'slack' as const, method }
    return observed(this.#observe, call, () => super.apiCall(method, options), slackCode)
  }
}

/** The form of Slack's codes. Of any other text nothing is repeated: it may hold what was sent. */
const CODE = /^[a-z][a-z0-9_]{0,63}$/

/** Slack's own code, or what kept it from saying one. */
function slackCode(error: unknown): string {
  if (error instanceof webApi.WebAPIPlatformError)
    return CODE.test(error.data.error) ? error.data.error : 'refused'
  if (error instanceof webApi.WebAPIRateLimitedError) return 'ratelimited'
  return error instanceof webApi.WebAPIHTTPError ? `status ${error.statusCode}` : 'unreachable'
}

/** Slack's words for a token that no longer works. (https://docs.slack.dev/reference/methods/auth.test, November 2026) */
const DEAD_TOKEN = /\b(?:account_inactive|token_revoked|token_expired|invalid_auth)\b/

/** Whether a bot token still works; `unknown` when Slack cannot be asked. */
export async function probeToken(
  token: string,
  apiUrl: string | undefined,
): Promise<'alive' | 'dead' | 'unknown'> {
  try {
    await createSlackClient(token, apiUrl).check()
    return 'alive'
  } catch (error) {
    return error instanceof Error && DEAD_TOKEN.test(error.message) ? 'dead' : 'unknown'
  }
}
