import { setTimeout as sleep } from 'node:timers/promises'
import { methodScopes } from '@signalman/slack/platform'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readBody } from '../body.ts'
import { findRefusedBlock } from '../faults.ts'
import { createCaller } from '../installs.ts'
import { parseJson } from '../json.ts'
import type { Delivery, Fault, Fields, Json } from '../protocol.ts'
import type { Slack } from '../slack.ts'
import { runInTraceFrom } from '../trace.ts'
import { assistantMethods } from './assistant.ts'
import { blockMethods } from './blocks.ts'
import { bookmarkMethods } from './bookmarks.ts'
import { channelMethods } from './channels.ts'
import { chatMethods } from './chat.ts'
import { conversationMethods } from './conversations.ts'
import { entityMethods } from './entity.ts'
import { fileMethods } from './files.ts'
import { functionMethods } from './functions.ts'
import { groupMethods } from './groups.ts'
import { validateManifest } from './manifests.ts'
import { exchangeCode, oauthMethods, openConnection } from './oauth.ts'
import { peopleMethods } from './people.ts'
import { reactionMethods } from './reactions.ts'
import { ApiRefusal, type Args, type Method } from './reply.ts'
import { scheduleMethods } from './schedule.ts'
import { neededScopes } from './scopes.ts'
import { streamMethods } from './streams.ts'
import { teamMethods } from './teams.ts'
import { unfurlMethods } from './unfurl.ts'
import { MISSING_METHODS, RETIRED_METHODS, USER_TOKEN_METHODS } from './unsupported-methods.ts'
import { viewMethods } from './views.ts'

export interface Result {
  status: number
  headers: Record<string, string>
  body: Fields
  /** Sent instead of the body. */
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
const WITHOUT_BOT_TOKEN: Record<string, (slack: Slack, token: string, args: Args) => Result> = {
  'api.test': (_slack, _token, args) => (args.error ? refuse(String(args.error)) : succeed({ args })),
  'apps.connections.open': (slack, token) => toResult(() => openConnection(slack, token)),
  'apps.manifest.validate': (_slack, token, args) => toResult(() => validateManifest(token, args)),
  'oauth.v2.access': (slack, _token, args) => toResult(() => exchangeCode(slack, args)),
}

export const METHOD_NAMES: readonly string[] = [...Object.keys(WITHOUT_BOT_TOKEN), ...Object.keys(METHODS)]

export function refuse(error: string, notes: string[] = [], retryAfter?: number): Result {
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

/** The result for a refusal that a method threw, with the refusal's additional fields. */
function refusalResult({ code, notes, retryAfter, extraFields }: ApiRefusal): Result {
  const result = refuse(code, notes, retryAfter)
  return { ...result, body: { ...result.body, ...extraFields } }
}

export const succeed = (body: Fields): Result => ({
  status: 200,
  headers: {},
  body: { ok: true, ...body },
  verdict: 'ok',
  notes: [],
})

/** The result in a workspace that doesn't support a type of block yet. */
function unsupportedBlock({ block }: Fault, args: Fields): Result {
  const note = `unsupported type: ${block} [json-pointer:${findRefusedBlock(args, block)}]`
  return refuse(args.view === undefined ? 'invalid_blocks' : 'invalid_arguments', [note])
}

/** The result that an injected fault replaces the call with; undefined if the call should run. */
function toFaultResult(fault: Fault | undefined, args: Fields): Result | undefined {
  if (fault?.kind === 'refuse-block') return unsupportedBlock(fault, args)
  if (fault?.kind === 'error')
    return refuse(fault.error ?? 'internal_error', ['Injected fault.'], fault.retryAfter)
  if (fault?.kind !== 'status') return undefined
  const { status = 500, error = 'internal_error', retryAfter } = fault
  const { headers } = refuse(error, [], retryAfter)
  const notes = ['Injected fault.']
  return { status, headers, body: { ok: false, error }, verdict: `status ${status}`, notes }
}

/** Explains an unknown method: the playground doesn't support it, or Slack doesn't have it. */
const explainUnknown = (name: string): string =>
  MISSING_METHODS.has(name)
    ? `Slack has ${name}, but the playground doesn't support it. See docs/coverage.md.`
    : `Slack's library has no method ${name}. Check the spelling at https://docs.slack.dev/reference/methods.`

function runMethod(slack: Slack, name: string, token: string, args: Args): Result {
  const handler = Object.hasOwn(WITHOUT_BOT_TOKEN, name) ? WITHOUT_BOT_TOKEN[name] : undefined
  if (handler) return handler(slack, token, args)
  const retired = RETIRED_METHODS.get(name)
  if (retired) return refuse(retired.error, [retired.explanation])
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined
  if (!method && !USER_TOKEN_METHODS.has(name)) return refuse('unknown_method', [explainUnknown(name)])
  const install = slack.installs.authenticate(token)
  if (typeof install === 'string') return refuse(install)
  if (!method)
    return refuse('not_allowed_token_type', [
      `Slack accepts ${name} only with a user token, not with a bot token.`,
    ])
  const needed = neededScopes(slack, name, args)
  const missing = needed.find((scopes) => !scopes.some((scope) => install.scopes.includes(scope)))
  if (missing) return missingScope(missing, install.scopes)
  const waitSeconds = slack.rates.call(name, install.id)
  if (waitSeconds > 0)
    return refuse(
      'ratelimited',
      [`${name} has reached the limit of its tier. Wait ${waitSeconds} s.`],
      waitSeconds,
    )
  return toResult(() => method(slack, args, createCaller(slack.installs, install)))
}

/** The headers with the token's scopes and the scopes that the method accepts, for every valid token. */
function scopeHeaders({ installs }: Slack, name: string, token: string): Record<string, string> {
  const install = installs.authenticate(token)
  if (typeof install === 'string') return {}
  const accepted = methodScopes(name)
  return {
    'x-oauth-scopes': install.scopes.join(','),
    ...(accepted.length > 0 && { 'x-accepted-oauth-scopes': accepted.join(',') }),
  }
}

function missingScope(needed: readonly string[], provided: readonly string[]): Result {
  const refused = refuse('missing_scope')
  const scopes = { needed: needed.join(','), provided: provided.join(',') }
  return {
    ...refused,
    body: { ...refused.body, ...scopes },
    notes: [`The token lacks ${needed.join(' or ')}. Add it to the manifest's scopes.`],
  }
}

function toResult(run: () => Fields): Result {
  try {
    return succeed(run())
  } catch (error) {
    if (error instanceof ApiRefusal) return refusalResult(error)
    throw error
  }
}

function textHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** The arguments for the inspector, with embedded JSON parsed. */
function toReadable(args: Args): Json {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' && /^[[{]/.test(value) ? (parseJson(value) ?? value) : value,
    ]),
  )
}

function logCall(slack: Slack, request: FastifyRequest, kind: string, args: Args): Delivery {
  const headers = textHeaders(request.headers)
  return slack.journal.open({
    direction: 'from-app',
    kind,
    user: null,
    request: { method: request.method, url: slack.url() + request.url, headers, body: toReadable(args) },
  })
}

async function sendAnswer(
  slack: Slack,
  reply: FastifyReply,
  delivery: Delivery,
  fault: Fault | undefined,
  result: Result,
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
 * Answers an API call: logs it, delays it if a fault says so, and runs it in the trace from its `traceparent` header. `run` gets the
 * injected fault, and the result that the fault replaces the call with, if any.
 */
export async function serve(
  slack: Slack,
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, args }: { kind: string; args: Args },
  run: (faultResult: Result | undefined, fault: Fault | undefined) => Result,
) {
  const delivery = logCall(slack, request, kind, args)
  const fault = slack.faults.take(kind, args)
  await delayForFault(slack, fault)
  const result = runInTraceFrom(request.headers.traceparent, () => run(toFaultResult(fault, args), fault))
  return sendAnswer(slack, reply, delivery, fault, result)
}

/**
 * The app's client ID and secret, which oauth.v2.access accepts in the header
 * (https://docs.slack.dev/authentication/installing-with-oauth, November 2026).
 */
function readBasicCredentials(authorization = ''): Fields {
  const [, basic] = /^Basic\s+(\S+)$/i.exec(authorization) ?? []
  const [, client_id, client_secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString()) ?? []
  return client_id === undefined || client_secret === undefined ? {} : { client_id, client_secret }
}

/** `/api/{method}`: the Web API, for forms and JSON. */
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
      return serve(slack, request, reply, { kind: name, args }, (faultResult) => {
        const result =
          typeof body === 'string'
            ? refuse(body, ["The body isn't a form or a JSON object, or doesn't match its content type."])
            : (faultResult ?? runMethod(slack, name, token, args))
        return { ...result, headers: { ...scopeHeaders(slack, name, token), ...result.headers } }
      })
    },
  })
}
