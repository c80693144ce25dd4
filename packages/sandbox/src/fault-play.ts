import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from './faults.ts'
import { errorObject } from './refusal.ts'

/** Applies the part of a fault that comes before the work. Returns true if the request is finished without doing any work. */
export async function applyBefore(
  fault: Fault,
  request: FastifyRequest,
  reply: FastifyReply,
  { closing, replaced }: { closing: AbortSignal; replaced: AbortSignal },
) {
  if (fault.kind === 'drip') return false
  if (fault.kind === 'hold') {
    await once(AbortSignal.any([closing, replaced]), 'abort')
    if (closing.aborted) reply.hijack()
    return closing.aborted
  }
  if (fault.kind === 'hang' && fault.ms === undefined) {
    reply.hijack()
    return true
  }
  if (fault.ms && !(await passes(fault.ms, closing))) {
    reply.hijack()
    return true
  }
  if (fault.kind === 'hang' || fault.kind === 'reset') {
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

export function drip(reply: FastifyReply, payload: unknown, ms: number, closing: AbortSignal): Readable {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '')
  reply.header('content-length', bytes.length)
  async function* slowly() {
    for (const byte of bytes) {
      if (!(await passes(ms, closing))) return
      yield Buffer.of(byte)
    }
  }
  return Readable.from(slowly(), { objectMode: false })
}

/** Waits. Returns false if the sandbox was closed meanwhile. */
async function passes(ms: number, closing: AbortSignal): Promise<boolean> {
  await wait(ms, undefined, { signal: closing }).catch(() => {})
  return !closing.aborted
}
