import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '@signalman/runtime'
import { createBodies, giveBack, parseBody } from './body.ts'
import type { Deliveries } from './deliveries.ts'

/** Answers one request to `/slack/events`. */
export type HandleSlack = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * The way in from Slack by HTTP: reads the body once, checks the signature strictly, parses once, and hands it on. Closes
 * what Bolt's own HTTP receiver leaves open: timestamps in the future, loose signature headers, bodies such as `null`. What
 * its headers show not to be Slack's is refused before its body is read.
 */
export function createReceiver(options: {
  signingSecret: string
  deliveries: Pick<Deliveries, 'take'>
  /** Hears of each request without a valid signature. */
  signatureRefused: () => void
  log: Log
  now: () => Date
}): HandleSlack {
  const { deliveries, log, signatureRefused } = options

  function refuseUnsigned(response: ServerResponse): void {
    signatureRefused()
    log.warn({ event: 'signature-refused' }, 'A request without a valid Slack signature was refused.')
    refuse(response, 401, 'The signature does not fit: check the signing secret and the clock.')
  }

  const verifier = createVerifier(options.signingSecret, options.now)
  const bodies = createBodies()
  return async (request, response) => {
    if (request.method !== 'POST') return refuse(response, 405, 'Slack posts here.')
    const headers = {
      timestamp: headerOf(request, 'x-slack-request-timestamp'),
      signature: headerOf(request, 'x-slack-signature'),
    }
    if (!verifier.isPlausible(headers)) return refuseUnsigned(response)
    const raw = await bodies.read(request)
    if (!raw) return refuse(response, 413, 'That is more than Slack ever sends.')
    if (!verifier.fits(headers, raw)) {
      giveBack(raw)
      return refuseUnsigned(response)
    }
    const body = parseBody(request.headers['content-type'], raw)
    if (!body) return refuse(response, 400, 'The body is not a form or a JSON object.')
    if (body.type === 'url_verification') return takeChallenge(response, body.challenge)
    if ('ssl_check' in body) return send(response, '')
    const retry = Number(headerOf(request, 'x-slack-retry-num') ?? 0)
    await deliveries.take({ way: 'http', body, raw, retry }).then(
      (said) => send(response, said),
      () => refuse(response, 503, 'That could not be done now: send it again.'),
    )
  }
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
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

function takeChallenge(response: ServerResponse, challenge: unknown): void {
  if (typeof challenge === 'string') send(response, { challenge })
  else refuse(response, 400, 'The challenge is not a text.')
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`)
}

const MAX_SKEW_SECONDS = 300
const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^\d{1,12}$/

/** The headers that are checked. */
interface SignatureHeaders {
  timestamp: string | undefined
  signature: string | undefined
}

/** Source: https://docs.slack.dev/authentication/verifying-requests-from-slack (read November 2026). */
interface Verifier {
  /** False when the headers alone show that it is not Slack's: one is missing, or the time is off by more than 300 s. */
  isPlausible(headers: SignatureHeaders): boolean
  /** Whether the signature in plausible headers is Slack's, over exactly these bytes. */
  fits(headers: SignatureHeaders, body: Buffer): boolean
}

function createVerifier(signingSecret: string, now: () => Date): Verifier {
  // The key is made once: Node would import a plain buffer again for every request.
  const key = createSecretKey(Buffer.from(signingSecret))
  return {
    isPlausible({ timestamp = '', signature = '' }) {
      if (!TIMESTAMP.test(timestamp) || !SIGNATURE.test(signature)) return false
      return Math.abs(now().getTime() / 1000 - Number(timestamp)) <= MAX_SKEW_SECONDS
    },
    fits({ timestamp, signature = '' }, body) {
      // Compared as text: a digest as bytes has a buffer of its own, which costs as much as the digest.
      const signed = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest('hex')
      const [expected, given] = [Buffer.from(`v0=${signed}`), Buffer.from(signature)]
      return given.length === expected.length && timingSafeEqual(expected, given)
    },
  }
}
