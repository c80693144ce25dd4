import type { Message } from '../../../../packages/slack/src/blocks/message.ts'
import type { PostedMessage } from '../../../../packages/slack/src/client/slack-client.ts'
import type { Store } from '../../../../src/app/store.ts'
import { createPosts, type PostTimes } from '../../../../src/bot/posts/post-once.ts'
import type { PostDeps } from '../../../../src/bot/posts/post-or-edit.ts'
import type { Poster } from '../../../../src/bot/posts/poster.ts'
import type { WatchRenderer } from '../../../../src/features/watching/renderer.ts'
import type { CardModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { createLog } from '../../../../src/log.ts'
import { ApiError } from '../../../../src/service/errors.ts'
import type { HealthCheck, HealthCheckPage, HealthCheckQuery } from '../../../../src/service/health-checks.ts'
import type { Api } from '../../../../src/service/service.ts'

/** Creates a fake service. Tests set the statuses of its checks. While `state.failure` is set, every call fails. */
export function createFakeChecks(uuids: readonly string[]) {
  const statuses = new Map(uuids.map((uuid) => [uuid, 'HEALTHY']))
  const state = { failure: undefined as 'unavailable' | 'unauthorized' | undefined }
  const throwIfFailing = (): void => {
    if (state.failure) throw new ApiError(state.failure, 'down')
  }

  /** The names of renamed checks, by UUID. */
  const names = new Map<string, string>()
  const buildCheck = (uuid: string): HealthCheck => ({
    uuid,
    name: names.get(uuid) ?? `check-${uuid}`,
    status: statuses.get(uuid) ?? '',
    target: `https://${uuid}.example.com/`,
  })

  function listPage({ status, limit = 100, offset = 0 }: HealthCheckQuery): HealthCheckPage {
    throwIfFailing()
    const all = [...statuses].filter(([, checkStatus]) => status === undefined || checkStatus === status)
    const results = all.slice(offset, offset + limit).map(([uuid]) => buildCheck(uuid))
    return { total: all.length, results, unreadable: 0 }
  }

  const healthChecks = {
    list: async (query: HealthCheckQuery = {}) => listPage(query),
    async listIfChanged(
      limit: number,
      isWanted: (uuid: string, status: string) => boolean,
      { digest }: { digest: string | undefined },
    ) {
      const { total, results } = listPage({ limit })
      const currentDigest = JSON.stringify(results)
      const wantedResults = results.filter(({ uuid, status }) => isWanted(uuid, status))
      const value = { total, results: wantedResults, isComplete: results.length >= total }
      return { digest: currentDigest, value: currentDigest === digest ? undefined : value }
    },
    async *listAll(query: HealthCheckQuery = {}) {
      for (let offset = 0; offset === 0 || offset < statuses.size; offset += 500)
        yield listPage({ ...query, limit: 500, offset })
    },
    async get(uuid: string) {
      throwIfFailing()
      if (!statuses.has(uuid)) throw new ApiError('not-found', 'gone')
      return buildCheck(uuid)
    },
  }
  // Cast: watching uses nothing else.
  return { statuses, state, names, api: { healthChecks } as unknown as Api }
}

/** How the next call to Slack fails. Calls after it succeed. */
export type SlackTrouble = 'lost-reply' | 'limited' | 'broken' | undefined

/** Renders each model as JSON in the text of its message, so that tests can read it. */
export const modelRenderer: WatchRenderer = {
  card: (model) => ({ text: JSON.stringify(model), blocks: [] }),
  digest: (model) => ({ text: JSON.stringify(model), blocks: [] }),
  maintenance: (model) => ({ text: JSON.stringify(model), blocks: [] }),
  paused: (model) => ({ text: JSON.stringify(model), blocks: [] }),
}

/** The dependencies of posting. The consent checks always allow a post. */
export const createPostParts = (
  { recordedSteps: steps, postAttempts: attempts }: Pick<Store, 'recordedSteps' | 'postAttempts'>,
  poster: Poster,
  times: Partial<PostTimes> = {},
): PostDeps => ({
  poster,
  posts: createPosts({ attempts, log: createLog('silent'), times }),
  steps,
  mayPost: async () => 'yes',
  reportError: () => undefined,
})

export interface ChannelMessage {
  channelId: string
  postId: string
  model: CardModel
}

/** A page about to be sent. */
export interface Page {
  channelId: string
  who: string
}

/** Fake Slack channels with their messages. */
export function createFakeChannels() {
  const messages = new Map<string, ChannelMessage>()
  const state = {
    trouble: undefined as SlackTrouble,
    /** Every call fails. */
    isUnavailable: false,
    limited: 0,
    onCall: undefined as ((called: Page) => Promise<void>) | undefined,
  }
  const archived = new Set<string>()
  const channelsWithRejectedToken = new Set<string>()
  const counters = { refusals: 0 }
  /** How often each card was posted, and how often its message was deleted. */
  const posted = new Map<string, number>()
  const deletions = new Map<string, number>()
  /** The pages: who was paged, and after how many minutes. */
  const pagedPeople: string[] = []
  const calls: { method: 'post' | 'edit'; cardId: string }[] = []
  let lastTs = 0

  const increment = (counts: Map<string, number>, cardId: string): void =>
    void counts.set(cardId, (counts.get(cardId) ?? 0) + 1)

  /** Makes the call, or fails as set in `state.trouble`. With `lost-reply`, makes the call and then fails. */
  function callSlack<T>(work: () => T): T {
    const { trouble } = state
    state.trouble = undefined
    if (state.isUnavailable) throw new Error('A request error occurred: connect ECONNREFUSED')
    if (trouble === 'limited') throw Object.assign(new Error('A rate limit was exceeded'), { retryAfter: 2 })
    if (trouble === 'broken') throw new Error('A request error occurred: socket hang up')
    const result = work()
    if (trouble !== 'lost-reply') return result
    throw new Error('A request error occurred: no reply')
  }

  const nextTs = (): string => {
    lastTs += 1
    return `${lastTs}.0`
  }
  const parseModel = ({ text }: Message): CardModel => JSON.parse(text)

  async function sendMessage(channelId: string, model: CardModel, postId: string): Promise<string> {
    const { page } = model
    const who = page?.mentions.map(({ id }) => id).join(' ') ?? ''
    if (page && !['limited', 'broken'].includes(state.trouble ?? '')) await state.onCall?.({ channelId, who })
    return callSlack(() => {
      const ts = nextTs()
      messages.set(ts, { channelId, model, postId })
      increment(posted, model.cardId)
      calls.push({ method: 'post', cardId: model.cardId })
      if (page) pagedPeople.push(who)
      return ts
    })
  }

  const direct: { readonly to: string; readonly text: string }[] = []

  async function sendDirect(to: string, message: Message, postId: string): Promise<PostedMessage> {
    if (!message.text.includes('"cardId"')) {
      direct.push({ to, text: message.text })
      return { channelId: `D${to}`, ts: nextTs() }
    }
    return { channelId: `D${to}`, ts: await sendMessage(`D${to}`, parseModel(message), postId) }
  }

  const poster: Poster = {
    async post({ target: { channelId, threadTs }, to }, message, { postId = '' } = {}) {
      if (to !== undefined) return sendDirect(to, message, postId)
      if (threadTs !== undefined) throw new Error('An API error occurred: thread_not_found')
      const model = parseModel(message)
      if (archived.has(channelId)) {
        counters.refusals += 1
        throw new Error('An API error occurred: is_archived')
      }
      if (channelsWithRejectedToken.has(channelId)) throw new Error('An API error occurred: token_revoked')
      return { channelId, ts: await sendMessage(channelId, model, postId) }
    },
    async find({ target, to }, { postId }) {
      const channelId = to === undefined ? target.channelId : `D${to}`
      if (to === undefined && target.threadTs !== undefined)
        throw new Error('An API error occurred: thread_not_found')
      return callSlack(() => {
        const found = [...messages].find(
          ([, message]) => message.channelId === channelId && message.postId === postId,
        )
        return found && { channelId, ts: found[0] }
      })
    },
    async edit({ channelId }, ts, message) {
      const before = messages.get(ts)
      if (!before) throw new Error('An API error occurred: message_not_found')
      return callSlack(() => {
        const model = parseModel(message)
        messages.set(ts, { channelId, model, postId: before.postId })
        calls.push({ method: 'edit', cardId: model.cardId })
      })
    },
  }

  return {
    poster,
    messages,
    state,
    archived,
    channelsWithRejectedToken,
    /** Direct messages, oldest first. */
    direct,
    /** How many posts to archived channels were refused. */
    get refusals() {
      return counters.refusals
    },
    posted,
    deletions,
    calls,
    pagedPeople,
    /** Deletes the oldest message, as a person could. */
    deleteOldest(): void {
      const [oldest] = messages
      if (!oldest) return
      messages.delete(oldest[0])
      increment(deletions, oldest[1].model.cardId)
    },
  }
}
