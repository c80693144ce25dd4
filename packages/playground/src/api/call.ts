// This folder: the Web API.

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodScopes } from '../platform/methods.ts'
import type { Fault } from '../protocol/answers.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import type { Delivery } from '../protocol/protocol.ts'
import { runInTraceFrom } from '../protocol/trace.ts'
import { createCaller, type Install } from '../state/installs.ts'
import type { World } from '../state/world.ts'
import { channelMethods } from './channels.ts'
import { chatMethods } from './chat.ts'
import { conversationMethods } from './conversations.ts'
import type { Faults } from './faults.ts'
import { fileMethods } from './files.ts'
import { groupMethods } from './groups.ts'
import { ApiError, type Args, type RunMethod } from './method.ts'
import { exchangeCode, type OAuth, openConnection, type SocketMode } from './oauth.ts'
import { peopleMethods } from './people.ts'
import { readWebRequest } from './request.ts'
import { neededScopes } from './scopes.ts'
import { viewMethods } from './views.ts'

interface WebApi {
  world: World
  oauth: OAuth
  socketMode: SocketMode
}

interface WebApiOptions extends WebApi {
  handleCall: CallHandler
}

const METHODS: Record<string, RunMethod> = {
  ...peopleMethods,
  ...conversationMethods,
  ...channelMethods,
  ...chatMethods,
  ...viewMethods,
  ...fileMethods,
  ...groupMethods,
}

interface TokenlessMethod {
  run(api: WebApi, token: string, args: Args): Fields
}

/** Methods that need no bot token, or no token at all. */
const WITHOUT_BOT_TOKEN: Record<string, TokenlessMethod> = {
  'apps.connections.open': {
    run: ({ world, socketMode }, token) => openConnection(world, socketMode, token),
  },
  'oauth.v2.access': {
    run: ({ world, oauth }, _token, args) => exchangeCode(world, oauth, args),
  },
}

export interface CallResult {
  status: number
  headers: Record<string, string>
  body: Fields
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

/** Explains an unknown method: either it's misspelt, or the playground doesn't support it. */
const explainUnknown = (name: string): string =>
  `The playground doesn't know ${name}. The README says which methods it has.`

/** Slack repeats the unknown method's name as `req_method`. */
function unknownMethodResult(name: string): CallResult {
  const result = errorResult('unknown_method', [explainUnknown(name)])
  return { ...result, body: { ...result.body, req_method: name } }
}

function runMethod(api: WebApi, name: string, token: string, args: Args): CallResult {
  const tokenless = Object.hasOwn(WITHOUT_BOT_TOKEN, name) ? WITHOUT_BOT_TOKEN[name] : undefined
  if (tokenless) return catchApiErrors(() => okResult(tokenless.run(api, token, args)))
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (!method) return unknownMethodResult(name)
  if (token === api.socketMode.appToken)
    return errorResult('not_allowed_token_type', [
      `Slack accepts ${name} only with a bot or user token, not with an app token.`,
    ])
  const install = api.world.installs.authenticate(token)
  if (typeof install === 'string') return errorResult(install)
  return catchApiErrors(() => runWithInstall(api, name, method, install, args))
}

function runWithInstall(
  { world }: WebApi,
  name: string,
  run: RunMethod,
  install: Install,
  args: Args,
): CallResult {
  const needed = neededScopes(world, name, args)
  const missing = needed.find((scopes) => !scopes.some((scope) => install.scopes.includes(scope)))
  if (missing) return missingScopeResult(missing, install.scopes)
  return okResult(run({ args, caller: createCaller(install), world }))
}

/** Slack's response headers with the token's scopes, and the scopes that the method accepts. None if the token is invalid. */
function scopeHeaders({ installs }: World, name: string, token: string): Record<string, string> {
  const install = installs.authenticate(token)
  if (typeof install === 'string') return {}
  const accepted = methodScopes(name)
  return {
    'x-oauth-scopes': install.scopes.join(','),
    ...(accepted.length > 0 && { 'x-accepted-oauth-scopes': accepted.join(',') }),
  }
}

function missingScopeResult(needed: readonly string[], provided: readonly string[]): CallResult {
  const result = errorResult('missing_scope')
  const scopes = { needed: needed.join(','), provided: provided.join(',') }
  return {
    ...result,
    body: { ...result.body, ...scopes },
    notes: [`The token lacks ${needed.join(' or ')}. Add it to the manifest's scopes.`],
  }
}

/** Converts an ApiError to a result. */
function catchApiErrors(run: () => CallResult): CallResult {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return errorResult(error.code, error.notes)
  }
}

/** The result to return for an injected fault; undefined if the method should run. */
function buildFaultResult(fault: Fault | undefined): CallResult | undefined {
  if (fault?.kind === 'refuse-blocks') return errorResult('invalid_blocks', ['Injected fault.'])
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

/** Parses embedded JSON in the arguments, for the journal. */
function parseForJournal(args: Args): Json {
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
      body: parseForJournal(args),
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
  const { status, headers, body, verdict, notes } = result
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
    run: (faultResult: CallResult | undefined) => CallResult,
  ) {
    const delivery = logCall(world, request, kind, args)
    const fault = faults.consume(kind, args)
    await delayForFault(fault)
    const result = runInTraceFrom(request.headers.traceparent, () => run(buildFaultResult(fault)))
    return sendResult(world, reply, delivery, fault, result)
  }
}

/** Registers `/api/{method}`, the Web API. Accepts forms and JSON. */
export function registerWebApi(app: FastifyInstance, { handleCall, ...api }: WebApiOptions): void {
  const { world } = api
  app.route<{ Params: { '*': string }; Querystring: Fields }>({
    method: ['GET', 'POST'],
    url: '/api/*',
    handler: (request, reply) => {
      const name = request.params['*']
      const { args, token } = readWebRequest(request)
      return handleCall(request, reply, { kind: name, args: args ?? {} }, (faultResult) => {
        const result = args
          ? (faultResult ?? runMethod(api, name, token, args))
          : errorResult('invalid_post_type', ['The body is neither a form nor a JSON object.'])
        return { ...result, headers: { ...scopeHeaders(world, name, token), ...result.headers } }
      })
    },
  })
}
