// This folder receives requests, over HTTP and Socket Mode.

import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '@signalman/runtime'
import { App, type Logger, LogLevel, type Receiver } from '@slack/bolt'
import { createReadBody, parseBody } from './body.ts'
import type { Deliveries } from './deliveries.ts'

/** Handles one HTTP request from Slack. */
export type HandleSlack = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Handles Slack's events, commands, and interactions over HTTP: verifies the signature, parses the body once, and passes it on. If
 * the headers show that a request isn't from Slack, it doesn't read the body. Rejects bodies that aren't objects.
 */
export function createReceiver(options: {
  signingSecret: string
  /** Called for each request without a valid signature. */
  onSignatureRefused: () => void
  log: Log
  now: () => Date
  deliveries: Pick<Deliveries, 'handle'>
}): HandleSlack {
  const { signingSecret, onSignatureRefused, log, now, deliveries } = options
  const isSigned = createIsSigned(signingSecret)
  const readBody = createReadBody()

  /** Since the last line in the log: anybody can send such requests, and mustn't fill the log. */
  let unlogged = 0
  let loggedAtMs = Number.NEGATIVE_INFINITY

  function refuseUnsigned(response: ServerResponse): void {
    onSignatureRefused()
    unlogged += 1
    if (now().getTime() - loggedAtMs >= LOG_EVERY_MS) {
      log.warn(
        { event: 'signature-refused', requests: unlogged },
        'Requests without a valid Slack signature were refused. If Slack sent them, SLACK_SIGNING_SECRET or the clock is wrong.',
      )
      unlogged = 0
      loggedAtMs = now().getTime()
    }
    refuse(response, 401, 'The signature is invalid. Check the signing secret and the clock.')
  }

  /** Returns the body if Slack has signed it. If not, responds and returns undefined. */
  async function readSigned(request: IncomingMessage, response: ServerResponse): Promise<Buffer | undefined> {
    if (request.method !== 'POST') return void refuse(response, 405, 'Only POST is allowed.')
    const timestamp = String(request.headers['x-slack-request-timestamp'])
    const signature = String(request.headers['x-slack-signature'])
    if (!SIGNATURE.test(signature) || !isRecent(timestamp, now())) return void refuseUnsigned(response)
    const body = await readBody(request)
    if (body === undefined) return void refuse(response, 413, 'The body is too large.')
    if (isSigned(body, timestamp, signature)) return body
    refuseUnsigned(response)
  }

  return async (request, response) => {
    const bytes = await readSigned(request, response)
    if (bytes === undefined) return
    const body = parseBody(request.headers['content-type'], bytes.toString())
    if (!body) return refuse(response, 400, 'The body is not a form or a JSON object.')
    if (body.type === 'url_verification') return answerChallenge(response, body.challenge)
    if ('ssl_check' in body) return send(response, '')
    // The signature can't be the ID, because Slack signs each delivery of a request with a new timestamp.
    const id = hash('sha256', bytes, 'base64url')
    try {
      send(response, await deliveries.handle({ transport: 'http', body, id }))
    } catch {
      refuse(response, 503, 'The request failed. Send it again.')
    }
  }
}

function send(response: ServerResponse, answer: unknown): void {
  if (typeof answer === 'string') response.end(answer)
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
}

function answerChallenge(response: ServerResponse, challenge: unknown): void {
  if (typeof challenge === 'string') send(response, { challenge })
  else refuse(response, 400, 'The challenge is not a string.')
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`)
}

const LOG_EVERY_MS = 60_000
const MAX_SKEW_SECONDS = 300
const SIGNATURE = /^v0=[0-9a-f]{64}$/
const TIMESTAMP = /^\d{1,12}$/

const isRecent = (timestamp: string, now: Date): boolean =>
  TIMESTAMP.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= MAX_SKEW_SECONDS

/**
 * Creates the check of Slack's signature (https://docs.slack.dev/authentication/verifying-requests-from-slack). Bolt's own check takes
 * ten times as long, because it makes three keys for each request.
 */
function createIsSigned(signingSecret: string) {
  const key = createSecretKey(signingSecret, 'utf8')
  return (body: Buffer, timestamp: string, signature: string): boolean => {
    const expected = createHmac('sha256', key).update(`v0:${timestamp}:`).update(body).digest()
    return timingSafeEqual(expected, Buffer.from(signature.slice('v0='.length), 'hex'))
  }
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
