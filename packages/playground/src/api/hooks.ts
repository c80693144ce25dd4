import type { FastifyInstance } from 'fastify'
import { type AnswerFault, applyAnswer } from '../answers.ts'
import { readFields } from '../body.ts'
import { isFields, parseJson, stringOf } from '../json.ts'
import { botOf } from '../people.ts'
import type { Fields } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { checkMessage } from '../strict/message.ts'
import { type Result, refusal, serve, success } from './call.ts'

/** `/hooks/…`: response URLs. 404 for a used or unknown address, 400 for a bad message. */
export function responseUrls(app: FastifyInstance, slack: Slack): void {
  app.post('/hooks/*', async (request, reply) => {
    const said = readFields('application/json', request.body)
    return serve(slack, request, reply, { kind: 'response_url', args: said ?? {} }, (asked, fault) =>
      asked && fault?.kind === 'refuse-block'
        ? { ...asked, status: 400 }
        : (asked ?? respond(slack, request.url, said)),
    )
  })
}

function respond(slack: Slack, path: string, said: Fields | undefined): Result {
  if (!said || Object.keys(said).length === 0)
    return { ...refusal('invalid_payload', ['The body must be a JSON object.']), status: 400 }
  const target = slack.tickets.spendResponsePath(path)
  if (typeof target === 'string') return { ...refusal(target), status: 404 }
  const wrong = applyAnswer(slack, target, said)
  return wrong ? { ...refusal(wrong.error, wrong.notes), status: 400 } : success({})
}

/**
 * Statuses of a webhook's refusals; 400 for the rest. They are answered as plain text.
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

/** The payload, as JSON or in the form field `payload`. */
function payloadOf(contentType: string, body: unknown): Fields | undefined {
  const fields = readFields(contentType, body)
  const payload = contentType.includes('form') ? parseJson(stringOf(fields?.payload) ?? '') : fields
  return isFields(payload) && Object.keys(payload).length > 0 ? payload : undefined
}

/** Why there is no webhook at this address: it was removed, its last part is wrong, or its workspace doesn't exist. */
function absent({ people, installs }: Slack, path: string): string {
  const [, , teamId = '', botId = ''] = path.split('/')
  if (people.workspaces.every(({ id }) => id !== teamId)) return 'no_team'
  const isNear = installs.hooks().some((one) => one.path.startsWith(`/services/${teamId}/${botId}/`))
  return isNear ? 'invalid_token' : 'no_service'
}

/** Posts as the webhook; undefined if it succeeded, otherwise Slack's code and how to fix it. */
function post(slack: Slack, path: string, said: Fields | undefined): AnswerFault | undefined {
  const { people, messages, installs, levels } = slack
  const hook = installs.hooks().find((one) => one.path === path)
  if (!hook)
    return { error: absent(slack, path), notes: ['There is no such webhook, or the app was removed.'] }
  if (!said)
    return { error: 'invalid_payload', notes: ['Send a JSON object, or a form whose `payload` is one.'] }
  const channel = people.channel(hook.channel)
  if (!channel) return { error: 'channel_not_found', notes: [] }
  if (channel.archived) return { error: 'channel_is_archived', notes: [] }
  const checked = checkMessage(said, { levels })
  if ('error' in checked) return checked
  const { userId } = botOf(channel.teamId)
  messages.post({
    ...checked,
    ...{ channel: channel.id, user: userId, app: true, subtype: 'bot_message' },
    ...{ facts: { username: people.find(userId)?.realName ?? '' }, mrkdwn: said.mrkdwn !== false },
    threadTs: stringOf(said.thread_ts) ?? null,
  })
  return undefined
}

/** `/services/…`: incoming webhooks, each for one channel. Other recipients in a payload are ignored. */
export function incomingWebhooks(app: FastifyInstance, slack: Slack): void {
  app.post('/services/*', async (request, reply) => {
    const said = payloadOf(request.headers['content-type'] ?? '', request.body)
    return serve(slack, request, reply, { kind: 'incoming_webhook', args: said ?? {} }, (asked) => {
      if (asked) return { ...asked, text: asked.verdict }
      const wrong = post(slack, request.url, said)
      if (!wrong) return { ...success({}), text: 'ok' }
      const status = STATUSES[wrong.error] ?? 400
      return { ...refusal(wrong.error, wrong.notes), status, text: wrong.error }
    })
  })
}
