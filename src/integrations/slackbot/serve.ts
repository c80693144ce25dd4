import type { IncomingMessage } from 'node:http'
import type { EphemeralState } from '@signalman/durable'
import { createReference, DAY_MS, type Log } from '@signalman/runtime'
import type { HandleSlack, InFlight, Message, ReadSigned } from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import type { HandleRequest } from '../../bot/pipeline/pipeline.ts'
import { isOnlyForPeople } from '../../bot/pipeline/tool-line.ts'
import { readPressed } from '../../bot/request/buttons.ts'
import type { ToolAnswers } from '../../bot/request/tool-answers.ts'
import { type ResolveLine, splitCommand } from '../../bot/routes/resolve-line.ts'
import { buildSlackbotBlocks } from './cards.ts'
import { type CalledLine, createToolBox, type ToolBox } from './tools.ts'

/** How long a card's button is valid. */
const BUTTON_LIFETIME_MS = DAY_MS
/** The most messages in one request. No client sends more. */
const MAX_MESSAGES = 20
/**
 * The size of the cache of answers for repeated deliveries. Acts run once even without it, because their rows are in the database.
 */
const CACHE_BYTES = 8 * 1024 * 1024

interface SlackbotDeps {
  readSigned: ReadSigned
  verbs: Parameters<typeof createToolBox>[0]
  resolve: ResolveLine
  /** Handles a request as if Slack had sent it: with rate limits, permissions, and acts. */
  handleRequest: HandleRequest
  toolAnswers: ToolAnswers
  ephemeralState: Pick<EphemeralState, 'find' | 'saveOnce'>
  inFlight: Pick<InFlight, 'add'>
  version: string
  log: Log
  now: () => Date
}

/** The person who makes the call, from Slack's signed request. */
interface CallingPerson {
  userId: string
  workspaceId: string
  enterpriseId?: string
}

interface ToolCall {
  name: string
  arguments?: Record<string, unknown> | undefined
  _meta?: Record<string, unknown> | undefined
}

/** The HTTP answer to a request and to repeated deliveries of it. */
interface HttpAnswer {
  status: number
  type: string
  body: string
}

/**
 * Serves tools to Slackbot over MCP: one for each command that only reads, and `run` for the commands of Signalman's own buttons.
 * Supports the 2025 and 2026 revisions of MCP, without sessions. A call runs like a command that the person in Slack's metadata
 * typed: with the same permissions and audit log.
 */
export function createSlackbotEndpoint(deps: SlackbotDeps): HandleSlack {
  const { readSigned, inFlight } = deps
  /** Created on the first call, so that it doesn't slow down the start. */
  async function createHandler() {
    const { createMcpHandler, Server } = await import('@modelcontextprotocol/server')
    const toolBox = createToolBox(deps.verbs)
    return createMcpHandler(
      ({ authInfo }) => {
        const server = new Server(
          { name: 'signalman', version: deps.version },
          { capabilities: { tools: {} }, jsonSchemaValidator: NO_VALIDATOR },
        )
        server.setRequestHandler('tools/list', () => ({ tools: toolBox.tools.map((tool) => ({ ...tool })) }))
        server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
          explainErrors(deps, () => handleCall(deps, toolBox, params, `${authInfo?.token}:${mcpReq.id}`)),
        )
        return server
      },
      { keepAliveMs: 0, maxSubscriptions: 1 },
    )
  }
  let handler: ReturnType<typeof createHandler> | undefined

  async function answerRequest(raw: Buffer, request: IncomingMessage, key: string): Promise<HttpAnswer> {
    const body = parseBody(raw)
    if (body === undefined) return createErrorAnswer(400, -32700, 'The body is not JSON.')
    const messages = Array.isArray(body) ? body : [body]
    if (messages.length > MAX_MESSAGES)
      return createErrorAnswer(400, -32600, 'Too many calls in one request.')
    // A subscription would stay open without ever sending anything, because the tools never change.
    if (messages.some(isSubscription))
      return createErrorAnswer(200, -32601, 'Signalman has no subscriptions.')
    const headers = new Headers({ 'content-type': 'application/json' })
    for (const name of ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'])
      if (typeof request.headers[name] === 'string') headers.set(name, request.headers[name])
    handler ??= createHandler()
    const response = await (await handler).fetch(
      new Request('http://signalman/slack/mcp', { method: 'POST', headers, body: new Uint8Array(raw) }),
      {
        parsedBody: body,
        // Not a token. This is how the key of the delivery reaches `handleCall`, which needs it to recognize a repeated call.
        authInfo: { token: key, clientId: 'slack', scopes: [] },
      },
    )
    const type = response.headers.get('content-type') ?? 'application/json'
    return { status: response.status, type, body: await response.text() }
  }

  const answers = new LRUCache<string, HttpAnswer, { raw: Buffer; request: IncomingMessage }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ body }) => body.length + 1,
    fetchMethod: (key, _, { context }) => answerRequest(context.raw, context.request, key),
    // A call gets its answer even if it is evicted from the cache before it has finished.
    ignoreFetchAbort: true,
  })

  return async (request, response) => {
    const signed = await readSigned(request, response)
    if (!signed) return
    const answerPromise = answers.forceFetch(`slackbot:${signed.signature}`, {
      context: { raw: signed.raw, request },
    })
    inFlight.add(answerPromise)
    const { status, type, body } = await answerPromise
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
  }
}

/** Only questions to the caller are validated, and Signalman asks none. Without it, each call would create a validator of its own. */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('Signalman doesn’t ask Slackbot anything.')
  },
}

async function handleCall(deps: SlackbotDeps, toolBox: ToolBox, call: ToolCall, requestKey: string) {
  const person = readPerson(call._meta)
  if (!person) return textResult(UNKNOWN_PERSON, { isError: true })
  const calledLine = toolBox.buildLine(call.name, call.arguments ?? {})
  const line = calledLine && (await findLine(deps, person, calledLine))
  if (!calledLine || line === undefined) return textResult(UNKNOWN_TOOL, { isError: true })
  const isFromButton =
    calledLine.offer !== undefined &&
    (await hasValidProof(deps, person, { ...calledLine, offer: calledLine.offer }))
  const { toolAnswers, handleRequest } = deps
  const message = await toolAnswers.waitForAnswer((callId) =>
    handleRequest(
      {
        kind: 'tool',
        ...splitCommand(line),
        isFromButton,
        origin: { ...person, via: 'Slackbot', surface: { kind: 'tool', callId } },
      },
      requestKey,
      async () => undefined,
    ),
  )
  if (!message) return textResult(NO_ANSWER, { isError: true })
  if (message === 'timed-out') return textResult(ANSWER_COMES_LATER)
  const blocks = await buildBlocks(deps, person, message).catch((err: unknown) => {
    // Not thrown, because the call succeeded and its text is complete.
    deps.log.warn({ err }, 'An answer was sent to Slackbot without its card.')
    return undefined
  })
  return { ...textResult(message.text), ...(blocks && { _meta: { slack: { blocks } } }) }
}

/** Turns an error into an answer. Errors are thrown only before the request is accepted, so nothing was done. */
async function explainErrors<T>({ log }: SlackbotDeps, work: () => Promise<T>) {
  try {
    return await work()
  } catch (err) {
    const reference = createReference()
    log.error({ reference, err }, 'A call from Slackbot failed.')
    return textResult(
      `Signalman couldn’t start this, so nothing was done. Try again in a minute. Reference: ${reference}`,
      { isError: true },
    )
  }
}

const buildBlocks = (deps: SlackbotDeps, person: CallingPerson, message: Message): Promise<object[]> =>
  buildSlackbotBlocks(message, async (value): Promise<CalledLine | undefined> => {
    const line = await findLine(deps, person, { line: value })
    const resolved = line === undefined ? undefined : deps.resolve(splitCommand(line))
    // Slackbot can't show windows, and some commands are only for people.
    if (!resolved || !('verb' in resolved) || resolved.verb.opensModal === true || isOnlyForPeople(resolved))
      return undefined
    return resolved.isAct
      ? { line: value, offer: await storeButtonProof(deps, person, value) }
      : { line: value }
  })

/** The text that is stored for a button. Only the app can store it, so it proves that the app showed the button to this person. */
const buttonProof = ({ userId }: CallingPerson, line: string): string => `slackbot ${userId} ${line}`

const storeButtonProof = (
  { ephemeralState, now }: SlackbotDeps,
  person: CallingPerson,
  line: string,
): Promise<string> =>
  ephemeralState.saveOnce({
    workspaceId: person.workspaceId,
    body: buttonProof(person, line),
    now: now(),
    ttlMs: BUTTON_LIFETIME_MS,
  })

async function hasValidProof(
  { ephemeralState, now }: SlackbotDeps,
  person: CallingPerson,
  { line, offer: proofId }: Required<CalledLine>,
): Promise<boolean> {
  return (await ephemeralState.find(person.workspaceId, proofId, now())) === buttonProof(person, line)
}

/** Returns the line of a button. If it was too long for the button, it is read from the database. */
async function findLine(
  { ephemeralState, now }: SlackbotDeps,
  { workspaceId }: CallingPerson,
  { line }: CalledLine,
): Promise<string | undefined> {
  const pressed = readPressed(line)
  if (!pressed) return undefined
  if ('line' in pressed) return line
  const storedLine = await ephemeralState.find(workspaceId, pressed.storedLineId, now())
  return typeof storedLine === 'string' && storedLine.startsWith('/') ? storedLine : undefined
}

/** Reads the person from Slack's metadata. An argument that names someone is only text. */
function readPerson(meta: Record<string, unknown> = {}): CallingPerson | undefined {
  const { user_id, team_id, enterprise_id } = (meta.slack ?? {}) as Record<string, unknown>
  if (!isId(user_id, /^[UW][A-Z0-9]{2,30}$/) || !isId(team_id, /^T[A-Z0-9]{2,30}$/)) return undefined
  return {
    userId: user_id,
    workspaceId: team_id,
    ...(isId(enterprise_id, /^E[A-Z0-9]{2,30}$/) && { enterpriseId: enterprise_id }),
  }
}

const isId = (value: unknown, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value)

const textResult = (text: string, { isError = false } = {}) => ({
  content: [{ type: 'text' as const, text }],
  ...(isError && { isError }),
})

const UNKNOWN_PERSON = 'Slack didn’t say who is asking, or from which workspace. Nothing was done.'
const UNKNOWN_TOOL = 'This tool doesn’t exist, or it doesn’t take these arguments. Nothing was done.'
const NO_ANSWER =
  'There’s no answer, because Signalman got too many requests at the same time or has already handled this one. Check what changed before you ask again.'
const ANSWER_COMES_LATER =
  'This is taking longer. Signalman will send the result to the person in a direct message.'

function parseBody(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString())
  } catch {
    return undefined
  }
}

const isSubscription = (message: unknown): boolean =>
  typeof message === 'object' &&
  message !== null &&
  'method' in message &&
  message.method === 'subscriptions/listen'

const createErrorAnswer = (status: number, code: number, message: string): HttpAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }),
})
