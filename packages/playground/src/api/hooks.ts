import type { FastifyInstance } from 'fastify'
import { applyAnswer } from '../answers.ts'
import { readFields } from '../body.ts'
import { asString, isFields, parseJson } from '../json.ts'
import { appBotIn } from '../people.ts'
import type { Fields } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { checkMessage, type Rejection } from '../strict/message.ts'
import { type Result, refuse, serve, succeed } from './call.ts'

/** `/hooks/…`: response URLs. Answers 404 for a used or unknown URL, and 400 for an invalid message. */
export function registerResponseUrls(app: FastifyInstance, slack: Slack): void {
  app.post('/hooks/*', async (request, reply) => {
    const payload = readFields('application/json', request.body)
    return serve(
      slack,
      request,
      reply,
      { kind: 'response_url', args: payload ?? {} },
      (faultResult, fault) =>
        faultResult && fault?.kind === 'refuse-block'
          ? { ...faultResult, status: 400 }
          : (faultResult ?? respond(slack, request.url, payload)),
    )
  })
}

function respond(slack: Slack, path: string, payload: Fields | undefined): Result {
  if (!payload || Object.keys(payload).length === 0)
    return { ...refuse('invalid_payload', ['The body must be a JSON object.']), status: 400 }
  const target = slack.tickets.redeemResponsePath(path)
  if (typeof target === 'string') return { ...refuse(target), status: 404 }
  const rejection = applyAnswer(slack, target, payload)
  return rejection ? { ...refuse(rejection.error, rejection.notes), status: 400 } : succeed({})
}

/**
 * HTTP statuses of a webhook's errors; 400 for all other errors. The body is the error as plain text.
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks;
 * https://api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks; November 2026)
 */
const STATUSES: Readonly<Record<string, number>> = {
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

/** Slack's error for an unknown webhook URL: it was removed, its last part is wrong, or its workspace doesn't exist. */
function unknownWebhookError({ people, installs }: Slack, path: string): string {
  const [, , teamId = '', botId = ''] = path.split('/')
  if (people.workspaces.every(({ id }) => id !== teamId)) return 'no_team'
  const hasOtherToken = installs
    .webhooks()
    .some((webhook) => webhook.path.startsWith(`/services/${teamId}/${botId}/`))
  return hasOtherToken ? 'invalid_token' : 'no_service'
}

/** Posts through a webhook. Returns undefined, or Slack's error and how to fix it. */
function postToWebhook(slack: Slack, path: string, payload: Fields | undefined): Rejection | undefined {
  const { people, messages, installs, levels } = slack
  const webhook = installs.webhooks().find((candidate) => candidate.path === path)
  if (!webhook)
    return {
      error: unknownWebhookError(slack, path),
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
  const checked = checkMessage(payload, { levels })
  if ('error' in checked) return checked
  const { userId } = appBotIn(channel.teamId)
  messages.post({
    ...checked,
    channel: channel.id,
    user: userId,
    app: true,
    subtype: 'bot_message',
    subtypeDetails: { username: people.find(userId)?.realName ?? '' },
    mrkdwn: payload.mrkdwn !== false,
    threadTs: asString(payload.thread_ts) ?? null,
  })
  return undefined
}

/** `/services/…`: incoming webhooks, each for one channel. A different channel in the payload is ignored. */
export function registerIncomingWebhooks(app: FastifyInstance, slack: Slack): void {
  app.post('/services/*', async (request, reply) => {
    const payload = readPayload(request.headers['content-type'] ?? '', request.body)
    return serve(slack, request, reply, { kind: 'incoming_webhook', args: payload ?? {} }, (faultResult) => {
      if (faultResult) return { ...faultResult, text: faultResult.verdict }
      const rejection = postToWebhook(slack, request.url, payload)
      if (!rejection) return { ...succeed({}), text: 'ok' }
      const status = STATUSES[rejection.error] ?? 400
      return { ...refuse(rejection.error, rejection.notes), status, text: rejection.error }
    })
  })
}
