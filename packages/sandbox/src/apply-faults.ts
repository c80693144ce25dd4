import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from './faults.ts'
import { errorObject } from './http-error.ts'

/** Applies a fault before the request handler runs. Returns true if the handler must not run. */
export async function applyBeforeHandler(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  { closing, replaced }: { closing: AbortSignal; replaced: AbortSignal },
) {
  if (fault.kind === 'hold') {
    await once(AbortSignal.any([closing, replaced]), 'abort')
    if (closing.aborted) reply.hijack()
    return closing.aborted
  }
  if (fault.kind === 'hang') {
    // Fastify sends nothing for a hijacked reply.
    reply.hijack()
    return true
  }
  if (fault.ms && !(await waitUnlessClosed(fault.ms, closing))) {
    reply.hijack()
    return true
  }
  if (fault.kind === 'reset') {
    reply.hijack()
    request.raw.socket.resetAndDestroy()
    return true
  }
  if (fault.kind !== 'status') return false
  reply.code(fault.status ?? 500)
  await reply.send(
    errorObject(reply.statusCode, [{ message: `The sandbox was configured to answer ${reply.statusCode}.` }]),
  )
  return true
}

/** Applies a fault after the request handler ran. Returns the payload to send instead of `payload`. */
export function applyAfterHandler(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
) {
  switch (fault.kind) {
    case 'drop-reply':
      request.raw.socket.destroy()
      return payload
    case 'status':
    case 'body':
      return replaceResponse(reply, payload, fault)
    default:
      return payload
  }
}

function replaceResponse(reply: FastifyReply, payload: unknown, fault: Fault): unknown {
  if (fault.status !== undefined) reply.code(fault.status)
  reply.headers(fault.headers ?? {})
  if (fault.body === undefined) return payload
  return typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body)
}

/** Resolves to false if the sandbox was closed in the meantime. */
async function waitUnlessClosed(ms: number, closing: AbortSignal): Promise<boolean> {
  await wait(ms, undefined, { signal: closing }).catch(() => {})
  return !closing.aborted
}
