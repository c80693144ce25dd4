import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App, Receiver, ReceiverEvent } from '@slack/bolt'
import type { Log } from '../../log.ts'
import { parseBody, readBody, type SlackBody } from './body.ts'
import { createInFlight, type InFlight } from './in-flight.ts'
import { createReplays } from './replays.ts'
import { createVerifier } from './signature.ts'

export interface SlackReceiver extends Receiver {
  /** Answers one request to `/slack/events`. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Counts acknowledged work that still runs, because Bolt's own stop does not wait for it. */
  readonly inFlight: InFlight
}

/** What the receiver tells the listeners of a request, beyond its body. */
export interface Delivery {
  /** The same for every delivery of the same request: Slack's retries, a proxy's, an attacker's. */
  requestKey: string
}

/**
 * The way in from Slack: reads the body once, checks the signature strictly, parses once, answers a repeated request with
 * the first one's answer, and hands the rest to Bolt. Closes what Bolt's own HTTP receiver leaves open: timestamps in the
 * future, loose signature headers, bodies such as `null`, repeats.
 */
export function createReceiver(options: { signingSecret: string; log: Log; now: () => Date }): SlackReceiver {
  const verify = createVerifier(options.signingSecret, options.now)
  const replays = createReplays()
  const inFlight = createInFlight()
  let app: App | undefined

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return refuse(response, 405, 'Slack posts here.')
    const raw = await readBody(request)
    if (!raw) return refuse(response, 413, 'That is more than Slack ever sends.')
    const signed = {
      timestamp: headerOf(request, 'x-slack-request-timestamp'),
      signature: headerOf(request, 'x-slack-signature'),
      body: raw,
    }
    if (!verify(signed)) {
      options.log.warn(
        { event: 'signature-refused' },
        'A request without a valid Slack signature was refused.',
      )
      return refuse(response, 401, 'The signature does not fit: check the signing secret and the clock.')
    }
    const body = parseBody(request.headers['content-type'], raw)
    if (!body) return refuse(response, 400, 'The body is not a form or a JSON object.')
    if (body.type === 'url_verification') return send(response, { challenge: String(body.challenge) })
    if ('ssl_check' in body) return send(response, '')
    const requestKey = keyOf(body, raw)
    const answer = replays.once(requestKey, () => acknowledgement(body, requestKey, request))
    await answer.then(
      (said) => send(response, said),
      () => refuse(response, 503, 'That could not be done now: send it again.'),
    )
  }

  /** Runs the listeners and resolves with what they acknowledge; they go on running afterwards, counted. */
  function acknowledgement(body: SlackBody, requestKey: string, request: IncomingMessage): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const isPatient = isAwaited(body)
    const delivery: Delivery = { requestKey }
    const retry = Number(headerOf(request, 'x-slack-retry-num') ?? 0)
    const event: ReceiverEvent = {
      body,
      // Bolt acknowledges every event before its listeners run.
      ack: async (answer) => (isPatient ? undefined : resolve(answer ?? '')),
      customProperties: { ...delivery },
      ...(retry > 0 && { retryNum: retry }),
    }
    // When no listener acknowledges, Slack is answered all the same, so that the person is not told of a time-out.
    const listening = listen(event).then((isDone) => {
      if (isDone || !isPatient) resolve('')
      else reject(new Error('What Slack said could not be done.'))
    })
    inFlight.add(listening)
    return promise
  }

  async function listen(event: ReceiverEvent): Promise<boolean> {
    try {
      await app?.processEvent(event)
      return true
    } catch (error) {
      options.log.error({ err: error }, 'A listener failed.')
      return false
    }
  }

  return {
    handle,
    inFlight,
    init: (bolt) => {
      app = bolt
    },
    start: async () => undefined,
    stop: async () => undefined,
  }
}

/** Events that must not be lost: Slack is answered when what they ask for is done, and repeats those that failed. */
const AWAITED: readonly unknown[] = ['app_uninstalled', 'tokens_revoked']

function isAwaited({ event }: SlackBody): boolean {
  return typeof event === 'object' && event !== null && 'type' in event && AWAITED.includes(event.type)
}

/** Event ids survive Slack's retries, which are signed anew; anything else is repeated byte by byte or not at all. */
function keyOf(body: SlackBody, raw: Buffer): string {
  if (typeof body.event_id === 'string') return `event:${body.event_id}`
  return `body:${hash('sha256', raw, 'base64url')}`
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

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${reason}\n`)
}
