import type { FastifyInstance } from 'fastify'
import { applyReply } from '../changes/app-replies.ts'
import { readFields } from '../http/body.ts'
import type { Fields } from '../protocol/json.ts'
import type { World } from '../state/world.ts'
import { type CallHandler, type CallResult, errorResult, okResult } from './call.ts'

/**
 * Registers `/hooks/…`, the response URLs. Responds with 404 for an unknown, expired, or used-up URL, and with 400 for an invalid
 * message.
 */
export function registerResponseUrls(app: FastifyInstance, world: World, handleCall: CallHandler): void {
  app.route({
    method: 'POST',
    url: '/hooks/*',
    handler: async (request, reply) => {
      const payload = readFields('application/json', request.body)
      const call = { kind: 'response_url', args: payload ?? {} }
      return handleCall(
        request,
        reply,
        call,
        (faultResult) => faultResult ?? handleResponseUrl(world, request.url, payload),
      )
    },
  })
}

function handleResponseUrl(world: World, path: string, payload: Fields | undefined): CallResult {
  if (!payload || Object.keys(payload).length === 0)
    return { ...errorResult('invalid_payload', ['The body must be a JSON object.']), status: 400 }
  const target = world.tickets.findResponseTarget(path)
  if (typeof target === 'string') return { ...errorResult(target), status: 404 }
  world.tickets.countResponse(path)
  const rejection = applyReply(world, target, payload)
  return rejection ? { ...errorResult(rejection.error, rejection.notes), status: 400 } : okResult({})
}
