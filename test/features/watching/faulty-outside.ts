import type { Message } from '@signalman/slack'
import type { PostPermission } from '../../../src/bot/routes/command-context.ts'
import { ApiError, type ApiErrorKind } from '../../../src/service/errors.ts'
import { type HealthCheckPage, listings } from '../../../src/service/health-checks.ts'
import type { Random } from '../../random.ts'

// Stand-ins for Slack and the service, whose calls fail by a seed in each of the documented ways: refused, late, cut off, or carried out
// although the answer is lost. Both have periods in which they are faulty.

export const MINUTE_MS = 60_000
/** `GONE`: it was deleted. */
export type Status = 'HEALTHY' | 'UNHEALTHY' | 'INSTALLING' | 'GONE'

/** What the simulated world has in common. */
export interface Simulation {
  readonly random: Random
  readonly now: () => number
  readonly pass: (ms: number) => void
}

/** Says whether it's a time in which calls fail. */
export interface Weather {
  readonly isFaulty: () => boolean
  /** Since when calls have worked. */
  readonly goodSince: () => number
}

/** Up to four periods of up to eight minutes before `untilMs`. */
export function createWeather({ random, now }: Simulation, untilMs: number): Weather {
  const start = now()
  const periods = Array.from({ length: random.below(5) }, () => {
    const from = start + random.below(untilMs - start - 8 * MINUTE_MS)
    return { from, to: from + random.below(8 * MINUTE_MS) }
  })
  return {
    ...({ periods } as object),
    isFaulty: () => periods.some(({ from, to }) => from <= now() && now() < to),
    goodSince: () => Math.max(start, ...periods.flatMap(({ from, to }) => (from <= now() ? [to] : []))),
  }
}

const KINDS: readonly ApiErrorKind[] = [
  ...(['unauthorized', 'forbidden', 'rejected', 'rate-limited'] as const),
  ...(['unavailable', 'timeout', 'unreadable', 'cancelled'] as const),
]

/** Now and then, a call hangs until the poll gives up. */
const DELAYS_MS = [15_000, 15_000, 15_000, MINUTE_MS]

interface Query {
  status?: string
  offset?: number
  limit?: number
}

/** The service, with these checks. `stated` is what its answers last said about each check, since when, and whether it
 * was up since it was down. */
export function createFaultyService(simulation: Simulation, weather: Weather, names: readonly string[]) {
  const { random, now, pass } = simulation
  const statuses = new Map<string, Status>(names.map((name) => [name, 'HEALTHY']))
  const stated = new Map<string, { status: Status; since: number; wasUp: boolean }>()
  /** Each account has other checks, of the same names. */
  const token = { account: 0, digest: 0, isRevoked: false }
  const renamed = new Set<string>()
  const toUuid = (name: string) => (token.account === 0 ? name : `${name}-${token.account}`)
  const toName = (name: string) => (renamed.has(name) ? `${name}-renamed` : name)

  function state(name: string, status: Status): void {
    const before = stated.get(name)
    const wasUp = status === 'HEALTHY' || (status !== 'UNHEALTHY' && before?.wasUp === true)
    if (before?.status !== status) stated.set(name, { status, since: now(), wasUp })
  }
  const findName = (uuid: string) => names.find((name) => toUuid(name) === uuid) ?? uuid
  function fail(): void {
    const isFaulty = weather.isFaulty()
    if (token.isRevoked) throw new ApiError('unauthorized', 'The token was revoked.')
    const [often, longestMs] = isFaulty ? [3, random.oneOf(DELAYS_MS)] : [20, 1000]
    if (random.below(often) === 0) pass(random.below(longestMs))
    if (isFaulty && random.below(2) === 0)
      throw new ApiError(random.oneOf(KINDS), 'a fault', { retryAfterSeconds: random.below(60) })
  }
  function findPage({ status, offset = 0, limit = 100 }: Query): HealthCheckPage {
    const all = names.filter((name) => statuses.get(name) === status)
    const results = all
      .slice(offset, offset + limit)
      .map((name) => ({ uuid: toUuid(name), name: toName(name), status: status ?? '' }))
    const right = { total: all.length, results, unreadable: 0 }
    if (!weather.isFaulty()) return right
    switch (random.below(6)) {
      case 0:
        return { ...right, total: right.total + 1 }
      case 1:
        return { ...right, results: results.slice(1), unreadable: Math.min(1, results.length) }
      case 2:
        return { ...right, results: results.map((row) => ({ ...row, status: '' })) }
      default:
        return right
    }
  }
  const http = {
    async get(...[, , , query]: [unknown, unknown, unknown, Query]) {
      fail()
      const page = findPage(query)
      for (const { uuid, status } of page.results) if (status !== '') state(findName(uuid), status as Status)
      return page
    },
  }
  const healthChecks = {
    // Every request that this sends is answered with a page.
    ...listings(http as never),
    async get(uuid: string) {
      fail()
      const name = names.find((one) => toUuid(one) === uuid)
      const status = name === undefined ? 'GONE' : (statuses.get(name) ?? 'HEALTHY')
      if (name !== undefined) state(name, status)
      if (name === undefined || status === 'GONE')
        throw new ApiError('not-found', 'There is no such check.', { status: 404 })
      return { uuid, name: toName(name), status }
    },
  }
  return {
    api: {
      healthChecks,
      get account() {
        return `token ${token.digest}`
      },
    },
    ...{ statuses, stated, token, renamed },
  }
}

const slackError = (error: string) =>
  Object.assign(new Error(`An API error occurred: ${error}`), {
    code: 'slack_webapi_platform_error',
    data: { error },
  })
const rateLimited = (retryAfter: number) =>
  Object.assign(new Error('A rate limit has been reached.'), {
    ...{ code: 'slack_webapi_rate_limited_error', retryAfter },
  })
const noResponse = () =>
  Object.assign(new Error('A request error occurred.'), { code: 'slack_webapi_request_error' })

export interface SlackMessage {
  readonly ts: string
  readonly postId: string
  readonly at: number
  readonly threadTs: string | undefined
  /** Whose DM it is in. */
  readonly to: string | undefined
  text: string
  json: string
}

interface Destination {
  readonly target: { readonly channelId: string; readonly threadTs?: string | undefined }
  readonly to?: string | undefined
}

/** The owner of the watch, and an admin. */
export const OWNER = 'U9'
const ADMIN = 'U8'

/** Slack, with the messages that it has accepted. `onShown` is called for each message and each edit. */
export function createFaultySlack(
  simulation: Simulation,
  weather: Weather,
  onShown: (message: SlackMessage) => void,
) {
  const { random, now, pass } = simulation
  const messages: SlackMessage[] = []
  const state = {
    isShared: false,
    isArchived: false,
    isMember: true,
    /** Slack doesn't say who reads the channel: the app lacks a scope. */
    isHidden: false,
    isGroupEmpty: false,
    hasOwnerLeft: false,
    /** U1 has left. */
    isGone: false,
  }

  function fail(): void {
    if (!weather.isFaulty()) return
    if (random.below(3) === 0) pass(random.below(8000))
    switch (random.below(5)) {
      case 0:
        throw rateLimited(1 + random.below(30))
      case 1:
        throw slackError(
          random.oneOf(['internal_error', 'service_unavailable', 'fatal_error', 'invalid_auth']),
        )
      case 2:
        throw noResponse()
    }
  }
  /** Carries a call out, and then may lose its answer. */
  function write<T>(content: Message, isDirect: boolean, carryOut: () => T): T {
    fail()
    if (!isDirect && state.isArchived) throw slackError('is_archived')
    if (!isDirect && !state.isMember) throw slackError('not_in_channel')
    if (weather.isFaulty() && content.blocks.length > 0 && random.below(8) === 0)
      throw slackError('invalid_blocks')
    const done = carryOut()
    if (weather.isFaulty() && random.below(4) === 0)
      throw random.below(2) === 0 ? noResponse() : slackError('internal_error')
    return done
  }
  const poster = {
    async post({ target, to }: Destination, content: Message, options: { postId?: string } = {}) {
      return write(content, to !== undefined, () => {
        const { postId = '' } = options
        const message = {
          ...{
            ts: String(messages.length + 1),
            postId,
            at: now(),
            threadTs: to ? undefined : target.threadTs,
            to,
          },
          ...{ text: content.text, json: JSON.stringify(content.blocks) },
        }
        messages.push(message)
        onShown(message)
        return { channelId: to ?? target.channelId, ts: message.ts }
      })
    },
    async edit(_: unknown, ts: string, content: Message): Promise<void> {
      write(content, false, () => {
        const message = messages.find((one) => one.ts === ts)
        if (!message) throw slackError('message_not_found')
        Object.assign(message, { text: content.text, json: JSON.stringify(content.blocks) })
        onShown(message)
      })
    },
    async find({ target, to }: Destination, { postId }: { postId: string }) {
      fail()
      const message = messages.find((one) => one.postId === postId)
      return message && { channelId: to ?? target.channelId, ts: message.ts }
    },
  }
  const lookUp = async (): Promise<undefined> => {
    fail()
    return undefined
  }
  const reachability = {
    explainPerson: (_: unknown, userId: string) =>
      lookUp().then(() => (userId === OWNER && state.hasOwnerLeft ? 'has left' : undefined)),
    lookUp: <One>(_: unknown, recipients: readonly One[]) =>
      lookUp().then(
        () =>
          state.isGroupEmpty
            ? { reachable: [], not: recipients.map((one) => ({ one, reason: 'has nobody' })), unknown: [] }
            : { reachable: recipients, not: [], unknown: [] },
        (error: unknown) => ({ reachable: [], not: [], unknown: recipients.map((one) => ({ one, error })) }),
      ),
    async *listReachable() {
      await lookUp()
      yield [ADMIN]
    },
  }
  const mayPost = async (): Promise<PostPermission> => {
    await lookUp()
    if (state.isHidden) return 'readers-unknown'
    if (state.isShared) return 'shared-outside'
    if (state.isArchived) return 'archived'
    return state.isMember ? 'yes' : 'not-in-channel'
  }
  const clients = {
    async forWorkspace() {
      await lookUp()
      const { isShared: isSharedOutside, isMember, isArchived } = state
      const channel = { publicName: undefined, isSharedOutside, isMember, isArchived }
      const readChannel = async () => {
        if (state.isHidden) throw slackError('missing_scope')
        return channel
      }
      return { readChannel, listChannels: async function* () {} }
    },
  }
  return { messages, poster, reachability, clients, mayPost, state }
}
