import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '@signalman/runtime'
import { App, type Logger, LogLevel, type Receiver } from '@slack/bolt'
import { createReadBody, freeMemory, parseBody } from './body.ts'
import type { Deliveries } from './deliveries.ts'

/** Handles one HTTP request from Slack. */
export type HandleSlack = (request: IncomingMessage, response: ServerResponse) => Promise<void>

interface SignedOptions {
  signingSecret: string
  /** Called for each request without a valid signature. */
  onSignatureRefused: () => void
  log: Log
  now: () => Date
}

/** A request with Slack's signature. */
interface Signed {
  /** Slack's HMAC of the bytes and the timestamp. */
  signature: string
  raw: Buffer
}

/** Reads a signed request. If it rejects the request, it responds, and resolves with undefined. */
export type ReadSigned = (request: IncomingMessage, response: ServerResponse) => Promise<Signed | undefined>

/**
 * Reads requests from Slack and verifies their signatures strictly. Unlike Bolt's own HTTP receiver, it rejects timestamps in the
 * future and malformed signature headers. If the headers show that a request isn't from Slack, it doesn't read the body.
 */
export function createReadSigned({ signingSecret, onSignatureRefused, log, now }: SignedOptions): ReadSigned {
  // Created once, because Node would import a plain buffer again for every request.
  const key = createSecretKey(Buffer.from(signingSecret))
  const readBody = createReadBody()

  function refuseUnsigned(response: ServerResponse): void {
    onSignatureRefused()
    log.warn({ event: 'signature-refused' }, 'A request without a valid Slack signature was refused.')
    refuse(response, 401, 'The signature is invalid. Check the signing secret and the clock.')
  }

  return async (request, response) => {
    if (request.method !== 'POST') return void refuse(response, 405, 'Only POST is allowed.')
    const timestamp = readHeader(request, 'x-slack-request-timestamp') ?? ''
    const signature = readHeader(request, 'x-slack-signature') ?? ''
    if (!SIGNATURE.test(signature) || !isRecent(timestamp, now())) return void refuseUnsigned(response)
    const raw = await readBody(request)
    if (!raw) return void refuse(response, 413, 'The body is too large.')
    if (isSignedWith(key, `v0:${timestamp}:`, raw, signature)) return { signature, raw }
    freeMemory(raw)
    refuseUnsigned(response)
  }
}

/** Handles Slack's events, commands, and interactions: parses each once and passes it on. Rejects bodies that aren't objects. */
export function createReceiver(
  options: SignedOptions & { deliveries: Pick<Deliveries, 'handle'> },
): HandleSlack {
  const { deliveries } = options
  const readSigned = createReadSigned(options)
  return async (request, response) => {
    const signed = await readSigned(request, response)
    if (!signed) return
    const body = parseBody(request.headers['content-type'], signed.raw)
    if (!body) return refuse(response, 400, 'The body is not a form or a JSON object.')
    if (body.type === 'url_verification') return answerChallenge(response, body.challenge)
    if ('ssl_check' in body) return send(response, '')
    const retry = Number(readHeader(request, 'x-slack-retry-num') ?? 0)
    // The signature can't be the ID, because Slack signs each delivery of a request with a new timestamp.
    const id = hash('sha256', signed.raw, 'base64url')
    await deliveries.handle({ transport: 'http', body, id, retry }).then(
      (answer) => send(response, answer),
      () => refuse(response, 503, 'The request failed. Send it again.'),
    )
  }
}

function readHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : undefined
}

function send(response: ServerResponse, answer: unknown): void {
  if (typeof answer === 'string') {
    response.writeHead(200, { 'content-length': Buffer.byteLength(answer) }).end(answer)
    return
  }
  const json = JSON.stringify(answer)
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) })
    .end(json)
}

function answerChallenge(response: ServerResponse, challenge: unknown): void {
  if (typeof challenge === 'string') send(response, { challenge })
  else refuse(response, 400, 'The challenge is not a string.')
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`)
}

const MAX_SKEW_SECONDS = 300
const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^\d{1,12}$/

const isRecent = (timestamp: string, now: Date): boolean =>
  TIMESTAMP.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= MAX_SKEW_SECONDS

/**
 * Whether the signature is Slack's for exactly these bytes. Source:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack (read November 2026).
 */
function isSignedWith(key: KeyObject, prefix: string, body: Buffer, signature: string): boolean {
  // Compared as text, because a buffer for the digest would take as long to allocate as the digest to compute.
  const signed = createHmac('sha256', key).update(prefix).update(body).digest('hex')
  // The format was checked first, so both have the same length.
  return timingSafeEqual(Buffer.from(`v0=${signed}`), Buffer.from(signature))
}

/**
 * A Bolt app with our own receiver. The caller adds listeners. Listeners get no client, because `authorize` returns no token:
 * Bolt would keep a client per token forever.
 */
export function createBolt(receiver: Receiver, log: Log): App {
  const app = new App({
    receiver,
    authorize: async () => ({}),
    // Otherwise, Bolt would create a client for each workflow step.
    attachFunctionToken: false,
    convoStore: false,
    ignoreSelf: false,
    logger: boltLogger(log),
  })
  // The receiver logs the error, and responds so that Slack sends the request again if that may help.
  app.error((error) => Promise.reject(error))
  return app
}

/** At debug level Bolt may log whole requests, so only its warnings and errors are logged. */
function boltLogger(log: Log): Logger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (...messages) => log.warn({ from: 'bolt' }, String(messages[0])),
    error: (...messages) => log.error({ from: 'bolt' }, String(messages[0])),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  }
}
