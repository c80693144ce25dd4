import { setTimeout as sleep } from 'node:timers/promises'
import { methodScopes } from '@signalman/slack/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readBody } from '../http/body.ts'
import type { Fault } from '../protocol/answers.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import type { Delivery } from '../protocol/protocol.ts'
import { runInTraceFrom } from '../protocol/trace.ts'
import { createCaller } from '../state/installs.ts'
import type { Slack } from '../state/world.ts'
import { assistantMethods } from './assistant.ts'
import { blockMethods } from './blocks.ts'
import { bookmarkMethods } from './bookmarks.ts'
import { channelMethods } from './channels.ts'
import { chatMethods } from './chat.ts'
import { conversationMethods } from './conversations.ts'
import { entityMethods } from './entity.ts'
import { findBlockPointer } from './faults.ts'
import { fileMethods } from './files.ts'
import { functionMethods } from './functions.ts'
import { groupMethods } from './groups.ts'
import { validateManifest } from './manifests.ts'
import { ApiError, type Args, type Method } from './method.ts'
import { exchangeCode, oauthMethods, openConnection } from './oauth.ts'
import { peopleMethods } from './people.ts'
import { reactionMethods } from './reactions.ts'
import { scheduleMethods } from './schedule.ts'
import { neededScopes } from './scopes.ts'
import { streamMethods } from './streams.ts'
import { teamMethods } from './teams.ts'
import { unfurlMethods } from './unfurl.ts'
import { MISSING_METHODS, RETIRED_METHODS, USER_TOKEN_METHODS } from './unsupported-methods.ts'
import { viewMethods } from './views.ts'

export interface CallResult {
  status: number
  headers: Record<string, string>
  body: Fields
  /** Plain text to send instead of `body`. */
  text?: string
  verdict: string
  notes: string[]
}

const METHODS: Record<string, Method> = {
  ...peopleMethods,
  ...conversationMethods,
  ...channelMethods,
  ...reactionMethods,
  ...teamMethods,
  ...scheduleMethods,
  ...streamMethods,
  ...assistantMethods,
  ...chatMethods,
  ...viewMethods,
  ...fileMethods,
  ...oauthMethods,
  ...blockMethods,
  ...functionMethods,
  ...entityMethods,
  ...unfurlMethods,
  ...bookmarkMethods,
  ...groupMethods,
}

/** Methods that need no bot token, or no token at all. */
const WITHOUT_BOT_TOKEN: Record<string, (slack: Slack, token: string, args: Args) => CallResult> = {
  'api.test': (_slack, _token, args) => (args.error ? errorResult(String(args.error)) : okResult({ args })),
  'apps.connections.open': (slack, token) => runToResult(() => openConnection(slack, token)),
  'apps.manifest.validate': (_slack, token, args) => runToResult(() => validateManifest(token, args)),
  'oauth.v2.access': (slack, _token, args) => runToResult(() => exchangeCode(slack, args)),
}

export const METHOD_NAMES: readonly string[] = [...Object.keys(WITHOUT_BOT_TOKEN), ...Object.keys(METHODS)]

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

/** The result for an ApiError, including the error's extra fields. */
function apiErrorResult({ code, notes, retryAfter, extraFields }: ApiError): CallResult {
  const result = errorResult(code, notes, retryAfter)
  return { ...result, body: { ...result.body, ...extraFields } }
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

/** Explains an unknown method: either the playground doesn't support it, or Slack has no such method. */
const explainUnknown = (name: string): string =>
  MISSING_METHODS.has(name)
    ? `Slack has ${name}, but the playground doesn't support it. See docs/coverage.md.`
    : `Slack's library has no method ${name}. Check the spelling at https://docs.slack.dev/reference/methods.`

function runMethod(slack: Slack, name: string, token: string, args: Args): CallResult {
  const handler = Object.hasOwn(WITHOUT_BOT_TOKEN, name) ? WITHOUT_BOT_TOKEN[name] : undefined
  if (handler) return handler(slack, token, args)
  const retired = RETIRED_METHODS.get(name)
  if (retired) return errorResult(retired.error, [retired.explanation])
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (!method && !USER_TOKEN_METHODS.has(name)) return errorResult('unknown_method', [explainUnknown(name)])
  const install = slack.installs.authenticate(token)
  if (typeof install === 'string') return errorResult(install)
  if (!method)
    return errorResult('not_allowed_token_type', [
      `Slack accepts ${name} only with a user token, not with a bot token.`,
    ])
  const needed = neededScopes(slack, name, args)
  const missing = needed.find((scopes) => !scopes.some((scope) => install.scopes.includes(scope)))
  if (missing) return missingScopeResult(missing, install.scopes)
  const waitSeconds = slack.rateLimiter.countCall(name, install.id)
  if (waitSeconds > 0)
    return errorResult(
      'ratelimited',
      [`${name} has reached the limit of its tier. Wait ${waitSeconds} s.`],
      waitSeconds,
    )
  return runToResult(() => method(slack, args, createCaller(slack.installs, install)))
}

/** Slack's response headers with the token's scopes, and the scopes that the method accepts. None if the token is invalid. */
function scopeHeaders({ installs }: Slack, name: string, token: string): Record<string, string> {
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

function runToResult(run: () => Fields): CallResult {
  try {
    return okResult(run())
  } catch (error) {
    if (error instanceof ApiError) return apiErrorResult(error)
    throw error
  }
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

function logCall(slack: Slack, request: FastifyRequest, kind: string, args: Args): Delivery {
  const headers = stringifyHeaders(request.headers)
  return slack.journal.open({
    direction: 'from-app',
    kind,
    user: null,
    request: {
      method: request.method,
      url: slack.url() + request.url,
      headers,
      body: parseForInspector(args),
    },
  })
}

async function sendResult(
  slack: Slack,
  reply: FastifyReply,
  delivery: Delivery,
  fault: Fault | undefined,
  result: CallResult,
) {
  const { status, headers, text, verdict, notes } = result
  const body = text ?? result.body
  const isDropped = fault?.kind === 'drop-reply'
  slack.journal.close(delivery, {
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

async function delayForFault(slack: Slack, fault: Fault | undefined): Promise<void> {
  if (fault?.kind !== 'delay' && fault?.kind !== 'drop-reply') return
  await sleep(fault.ms ?? 0, undefined, { signal: slack.closing }).catch(() => undefined)
}

/**
 * Handles a request from the app: logs it, applies an injected fault, and calls `run` in the trace of the `traceparent` header. If a
 * fault replaces the result, `run` gets the fault's result, so that it can send it in the endpoint's format.
 */
export async function handleCall(
  slack: Slack,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, args }: { kind: string; args: Args },
  run: (faultResult: CallResult | undefined, fault: Fault | undefined) => CallResult,
) {
  const delivery = logCall(slack, request, kind, args)
  const fault = slack.faults.consume(kind, args)
  await delayForFault(slack, fault)
  const result = runInTraceFrom(request.headers.traceparent, () => run(buildFaultResult(fault, args), fault))
  return sendResult(slack, reply, delivery, fault, result)
}

/**
 * Reads the app's client ID and secret from the `Authorization` header, where oauth.v2.access accepts them
 * (https://docs.slack.dev/authentication/installing-with-oauth, November 2026).
 */
function readBasicCredentials(authorization = ''): Fields {
  const [, basic] = /^Basic\s+(\S+)$/i.exec(authorization) ?? []
  const [, client_id, client_secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString()) ?? []
  return client_id === undefined || client_secret === undefined ? {} : { client_id, client_secret }
}

/** Registers `/api/{method}`, the Web API. Accepts forms and JSON. */
export function registerWebApi(app: FastifyInstance, slack: Slack): void {
  app.route<{ Params: { method: string }; Querystring: Record<string, string> }>({
    method: ['GET', 'POST'],
    url: '/api/:method',
    handler: async (request, reply) => {
      const name = request.params.method
      const body = await readBody(request.headers['content-type'] ?? '', request.body)
      const { token: tokenArgument, ...args } = {
        ...readBasicCredentials(request.headers.authorization),
        ...request.query,
        ...(typeof body === 'string' ? {} : body),
      }
      const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
      const token = bearer ?? (typeof tokenArgument === 'string' ? tokenArgument : '')
      return handleCall(slack, request, reply, { kind: name, args }, (faultResult) => {
        const result =
          typeof body === 'string'
            ? errorResult(body, [
                "The body isn't a form or a JSON object, or doesn't match its content type.",
              ])
            : (faultResult ?? runMethod(slack, name, token, args))
        return { ...result, headers: { ...scopeHeaders(slack, name, token), ...result.headers } }
      })
    },
  })
}
