import type { FastifyInstance } from 'fastify'
import { applyReply } from '../changes/app-replies.ts'
import { readFields } from '../http/body.ts'
import type { Fields } from '../protocol/json.ts'
import { isTrue } from '../protocol/json.ts'
import type { World } from '../state/world.ts'
import { type CallHandler, type CallResult, errorResult, okResult } from './call.ts'
import type { RateLimiter } from './rate-limits.ts'

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
    method: 'POST',
    url: '/hooks/*',
    handler: async (request, reply) => {
      const payload = readFields('application/json', request.body)
      const call = { kind: 'response_url', args: payload ?? {} }
      return handleCall(request, reply, call, (faultResult, fault) => {
        if (!faultResult) return handleResponseUrl(world, rateLimiter, request.url, payload)
        // Unlike the Web API, a response_url responds to rejected blocks with status 400.
        return fault?.kind === 'refuse-block' ? { ...faultResult, status: 400 } : faultResult
      })
    },
  })
}

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
