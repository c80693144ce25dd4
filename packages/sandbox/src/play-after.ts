import type { FastifyReply, FastifyRequest } from 'fastify'
import { drip } from './fault-play.ts'
import type { Fault } from './faults.ts'

/** The part of a fault that applies after the work: returns the payload to send instead of `payload`. */
export function applyAfter(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  closing: AbortSignal,
) {
  switch (fault.kind) {
    case 'drop-reply':
      request.raw.socket.destroy()
      return payload
    case 'drip':
      return drip(reply, payload, fault.ms ?? 0, closing)
    case 'status':
    case 'body':
      return replace(reply, payload, fault)
    default:
      return payload
  }
}

function replace(reply: FastifyReply, payload: unknown, fault: Fault): unknown {
  if (fault.status !== undefined) reply.code(fault.status)
  reply.headers(fault.headers ?? {})
  if (fault.body === undefined) return payload
  reply.removeHeader('content-length')
  return typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body)
}
