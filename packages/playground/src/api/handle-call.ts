import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from '../protocol/answers.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import type { Delivery } from '../protocol/protocol.ts'
import { runInTraceFrom } from '../protocol/trace.ts'
import type { World } from '../state/world.ts'
import { type Faults, findBlockPointer } from './faults.ts'
import type { Args } from './method.ts'

export interface CallResult {
  status: number
  headers: Record<string, string>
  body: Fields
  /** Plain text to send instead of `body`. */
  text?: string
  verdict: string
  notes: string[]
}

export function errorResult(error: string, notes: string[] = [], retryAfter?: number): CallResult {
  const body: Fields = { ok: false, error }
  if (error === 'invalid_blocks') body.errors = notes
  if (notes.length > 0) body.response_metadata = { messages: notes.map((line) => `[ERROR] ${line}`) }
  return {
    status: retryAfter === undefined ? 200 : 429,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body,
    verdict: error,
    notes,
  }
}

export const okResult = (body: Fields): CallResult => ({
  status: 200,
  headers: {},
  body: { ok: true, ...body },
  verdict: 'ok',
  notes: [],
})

/** What Slack returns for a block type that isn't available in a workspace yet. */
function unsupportedBlockResult({ block }: Fault, args: Fields): CallResult {
  const note = `unsupported type: ${block} [json-pointer:${findBlockPointer(args, block)}]`
  return errorResult(args.view === undefined ? 'invalid_blocks' : 'invalid_arguments', [note])
}

/** The result to return for an injected fault; undefined if the method should run. */
function buildFaultResult(fault: Fault | undefined, args: Fields): CallResult | undefined {
  if (fault?.kind === 'refuse-block') return unsupportedBlockResult(fault, args)
  if (fault?.kind === 'error')
    return errorResult(fault.error ?? 'internal_error', ['Injected fault.'], fault.retryAfter)
  if (fault?.kind !== 'status') return undefined
  const { status = 500, error = 'internal_error', retryAfter } = fault
  const { headers } = errorResult(error, [], retryAfter)
  const notes = ['Injected fault.']
  return { status, headers, body: { ok: false, error }, verdict: `status ${status}`, notes }
}

function stringifyHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** Parses embedded JSON in the arguments, for display in the inspector. */
function parseForInspector(args: Args): Json {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[[{]/.test(value) ? (parseJson(value) ?? value) : value,
    ]),
  )
}

function logCall(world: World, request: FastifyRequest, kind: string, args: Args): Delivery {
  const headers = stringifyHeaders(request.headers)
  return world.journal.open({
    direction: 'from-app',
    kind,
    user: null,
    request: {
      method: request.method,
      url: world.url() + request.url,
      headers,
      body: parseForInspector(args),
    },
  })
}

async function sendResult(
  world: World,
  reply: FastifyReply,
  delivery: Delivery,
  fault: Fault | undefined,
  result: CallResult,
) {
  const { status, headers, text, verdict, notes } = result
  const body = text ?? result.body
  const isDropped = fault?.kind === 'drop-reply'
  world.journal.close(delivery, {
    response: isDropped ? null : { status, headers, body },
    verdict: isDropped ? 'dropped' : verdict,
    notes: isDropped ? ['Injected fault: the call was carried out, but its reply was dropped.'] : notes,
  })
  if (isDropped) {
    reply.hijack()
    reply.raw.socket?.destroy()
    return reply
  }
  return reply.code(status).headers(headers).send(body)
}

export type CallHandler = ReturnType<typeof createCallHandler>

interface CallHandlerOptions {
  world: World
  faults: Faults
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

/** Creates the function that handles all requests from the app: calls of the Web API, of a `response_url`, and of a webhook. */
export function createCallHandler({ world, faults, closing }: CallHandlerOptions) {
  async function delayForFault(fault: Fault | undefined): Promise<void> {
    if (fault?.kind !== 'delay' && fault?.kind !== 'drop-reply') return
    await sleep(fault.ms ?? 0, undefined, { signal: closing }).catch(() => undefined)
  }

  /**
   * Logs the request, applies an injected fault, and calls `run` in the trace of the `traceparent` header. If a fault replaces the
   * result, `run` gets the fault's result, so that it can send it in the endpoint's format.
   */
  return async function handleCall(
    request: FastifyRequest,
    reply: FastifyReply,
    { kind, args }: { kind: string; args: Args },
    run: (faultResult: CallResult | undefined, fault: Fault | undefined) => CallResult,
  ) {
    const delivery = logCall(world, request, kind, args)
    const fault = faults.consume(kind, args)
    await delayForFault(fault)
    const result = runInTraceFrom(request.headers.traceparent, () =>
      run(buildFaultResult(fault, args), fault),
    )
    return sendResult(world, reply, delivery, fault, result)
  }
}
