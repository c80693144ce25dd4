import type { FastifyInstance } from 'fastify'
import { applyReply } from '../changes/app-replies.ts'
import { readFields } from '../http/body.ts'
import type { Fields } from '../protocol/json.ts'
import { asString, isFields, isTrue, parseJson } from '../protocol/json.ts'
import { findAppAccess } from '../state/app-access.ts'
import type { Webhook } from '../state/installs.ts'
import { findThread } from '../state/messages.ts'
import { appBotIn } from '../state/people.ts'
import type { World } from '../state/world.ts'
import { checkMessage, type Rejection } from '../validation/message.ts'
import { ignoredArgsNotes, values } from './arguments.ts'
import { type CallHandler, type CallResult, errorResult, okResult } from './call.ts'
import type { DeclaredArgs } from './method.ts'
import type { RateLimiter } from './rate-limits.ts'
import { HTTP_METHODS } from './request.ts'

/**
 * Registers `/hooks/…`, the response URLs. Responds with 404 for an unknown, expired, or used-up URL, and with 400 for an invalid
 * message.
 */
export function registerResponseUrls(
  app: FastifyInstance,
  world: World,
  handleCall: CallHandler,
  rateLimiter: RateLimiter,
): void {
  app.route({
    method: HTTP_METHODS,
    url: '/hooks/*',
    handler: async (request, reply) => {
      const payload = readFields('application/json', request.body)
      const call = { kind: 'response_url', args: payload ?? {} }
      return handleCall(request, reply, call, (faultResult, fault) => {
        if (!faultResult)
          return withIgnoredArgs(
            handleResponseUrl(world, rateLimiter, request.url, payload),
            RESPONSE_URL,
            payload,
          )
        // Unlike the Web API, a response_url responds to rejected blocks with status 400.
        return fault?.kind === 'refuse-block' ? { ...faultResult, status: 400 } : faultResult
      })
    },
  })
}

/** The arguments of an incoming webhook and of a `response_url`. */
const WEBHOOK = values('text blocks attachments mrkdwn thread_ts')
const RESPONSE_URL: DeclaredArgs = {
  ...WEBHOOK,
  ...values('response_type replace_original delete_original'),
}

/** Adds a note for the inspector about the arguments that aren't read. */
const withIgnoredArgs = (
  result: CallResult,
  declared: DeclaredArgs,
  payload: Fields | undefined,
): CallResult => ({ ...result, notes: [...result.notes, ...ignoredArgsNotes(declared, payload ?? {})] })

/**
 * Counts a post in a channel, also those of chat.postMessage. If there were too many, returns Slack's response. Its body is the one in
 * yassineaboukir/sublert issue 46. (https://docs.slack.dev/apis/web-api/rate-limits, November 2026)
 */
function limitPost({ countPost }: RateLimiter, channelId: string): CallResult | undefined {
  const retry_after = countPost(channelId)
  if (retry_after === 0) return undefined
  const notes = [`Wait ${retry_after} s before posting to this channel.`]
  return {
    ...errorResult('rate_limited', notes, retry_after),
    body: { retry_after, ok: false, error: 'rate_limited' },
  }
}

/** Whether a reply is a new message that everyone in the channel sees. Slack documents no limit for private and replaced ones. */
const isPublicPost = ({ response_type, replace_original, delete_original }: Fields): boolean =>
  response_type === 'in_channel' && !isTrue(replace_original) && !isTrue(delete_original)

function handleResponseUrl(
  world: World,
  rateLimiter: RateLimiter,
  path: string,
  payload: Fields | undefined,
): CallResult {
  if (!payload || Object.keys(payload).length === 0)
    return { ...errorResult('invalid_payload', ['The body must be a JSON object.']), status: 400 }
  const target = world.tickets.findResponseTarget(path)
  if (typeof target === 'string') return { ...errorResult(target), status: 404 }
  const limited = isPublicPost(payload) ? limitPost(rateLimiter, target.channel) : undefined
  if (limited) return limited
  world.tickets.countResponse(path)
  const rejection = applyReply(world, target, payload)
  return rejection ? { ...errorResult(rejection.error, rejection.notes), status: 400 } : okResult({})
}

/**
 * The HTTP statuses for a webhook's errors, if not 400. The body is the error as plain text.
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks;
 * https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks; November 2026)
 */
const WEBHOOK_STATUSES: Readonly<Record<string, number>> = {
  invalid_token: 403,
  no_service: 404,
  no_team: 404,
  channel_not_found: 404,
  channel_is_archived: 410,
}

/** Reads the payload from a JSON body or from the form field `payload`. */
function readPayload(contentType: string, body: unknown): Fields | undefined {
  const fields = readFields(contentType, body)
  const payload = contentType.includes('form') ? parseJson(asString(fields?.payload) ?? '') : fields
  return isFields(payload) && Object.keys(payload).length > 0 ? payload : undefined
}

/**
 * Returns Slack's error for an unknown webhook URL: `no_team`, `invalid_token` (if only the last part is wrong), or `no_service`.
 */
function unknownWebhookError({ people, installs }: World, path: string): string {
  const [, , teamId = '', botId = ''] = path.split('/')
  if (people.workspaces.every(({ id }) => id !== teamId)) return 'no_team'
  const hasOtherToken = installs
    .webhooks()
    .some((webhook) => webhook.path.startsWith(`/services/${teamId}/${botId}/`))
  return hasOtherToken ? 'invalid_token' : 'no_service'
}

/** Posts a message through a webhook. Returns Slack's error if the message is rejected. */
function postToWebhook(
  world: World,
  webhook: Webhook | undefined,
  path: string,
  payload: Fields | undefined,
): Rejection | undefined {
  const { people, messages, levels } = world
  if (!webhook)
    return {
      error: unknownWebhookError(world, path),
      notes: ["This webhook doesn't exist, or the app was removed."],
    }
  if (!payload)
    return {
      error: 'invalid_payload',
      notes: ['Send a JSON object, or a form with a JSON object in `payload`.'],
    }
  const channel = people.channel(webhook.channel)
  if (!channel) return { error: 'channel_not_found', notes: [] }
  if (channel.archived) return { error: 'channel_is_archived', notes: [] }
  const checked = checkMessage(payload, { levels, access: findAppAccess(world, channel.teamId) })
  if ('error' in checked) return checked
  const threadTs = asString(payload.thread_ts) ?? ''
  const thread = threadTs === '' ? { threadTs: null } : findThread(messages, channel.id, threadTs)
  if ('error' in thread) return { error: thread.error, notes: [] }
  const { userId } = appBotIn(channel.teamId)
  messages.post({
    ...checked,
    channel: channel.id,
    user: userId,
    app: true,
    subtype: 'bot_message',
    subtypeDetails: { username: people.find(userId)?.realName ?? '' },
    mrkdwn: isTrue(payload.mrkdwn ?? true),
    threadTs: thread.threadTs,
  })
  return undefined
}

/** Registers `/services/…`, the incoming webhooks. Each one posts in its own channel and ignores a `channel` in the payload. */
export function registerIncomingWebhooks(
  app: FastifyInstance,
  world: World,
  handleCall: CallHandler,
  rateLimiter: RateLimiter,
): void {
  app.route({
    method: HTTP_METHODS,
    url: '/services/*',
    handler: async (request, reply) => {
      const payload = readPayload(request.headers['content-type'] ?? '', request.body)
      const call = { kind: 'incoming_webhook', args: payload ?? {} }
      return handleCall(request, reply, call, (faultResult) => {
        if (faultResult) return { ...faultResult, text: faultResult.verdict }
        return withIgnoredArgs(answerWebhook(world, rateLimiter, request.url, payload), WEBHOOK, payload)
      })
    },
  })
}

function answerWebhook(
  world: World,
  rateLimiter: RateLimiter,
  path: string,
  payload: Fields | undefined,
): CallResult {
  const webhook = world.installs.webhooks().find((candidate) => candidate.path === path)
  const limited = webhook && limitPost(rateLimiter, webhook.channel)
  if (limited) return limited
  const rejection = postToWebhook(world, webhook, path, payload)
  if (!rejection) return { ...okResult({}), text: 'ok' }
  const status = WEBHOOK_STATUSES[rejection.error] ?? 400
  return { ...errorResult(rejection.error, rejection.notes), status, text: rejection.error }
}
