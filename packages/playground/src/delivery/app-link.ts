// This folder: requests to the app, over HTTP and WebSockets.

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { VERIFICATION_TOKEN } from '../payloads/payload.ts'
import type { EventName } from '../protocol/event-names.ts'
import { createId, createSecret, deleteOldest } from '../protocol/ids.ts'
import type { Fields, Json } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import type { Delivery, Outcome } from '../protocol/protocol.ts'
import { traceparent } from '../protocol/trace.ts'
import type { Journal } from '../state/journal.ts'
import { APP_ID } from '../state/people.ts'
import { BOTS } from '../state/seed.ts'
import type { World } from '../state/world.ts'
import { type RequestKind, requestUrl } from './address.ts'
import type { EnvelopeContent } from './connection.ts'
import { ERROR_MESSAGES } from './errors.ts'
import { createHttpClient, failedResponse, type HttpResponse, type SignedRequest } from './http.ts'
import type { Sockets } from './sockets.ts'

/** The installation that an event is for, as in the event's envelope. */
export interface Audience {
  teamId: string
  enterpriseId: string | null
  /** False after the app was removed. The envelope's `authorizations` is then empty. */
  isInstalled: boolean
  /** Whether the event is from a channel shared with another organization. */
  isShared?: boolean
}

interface AppEvent {
  name: EventName
  /** The person who caused the event, if any. */
  user?: string
  /** The envelope's `event`. */
  event: Fields
}

export interface AppResponse {
  delivery: Delivery
  http: HttpResponse
  verdict: 'ok' | 'operation_timeout' | 'dispatch_failed'
}

export interface AppRequest extends RequestKind {
  user: string | null
  contentType: 'application/json' | 'application/x-www-form-urlencoded'
  body: string
  /** The body's content as JSON, for the journal and for Socket Mode. */
  payload: Json
  retry?: { num: number; reason: string }
}

/** The way to the app: sends it events and requests. */
export type AppLink = ReturnType<typeof createAppLink>

/**
 * Slack's signature of a request: `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body` under the signing secret.
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack, November 2026)
 */
export function sign(signingSecret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`
}

/** The response's body, parsed if its content type is JSON. */
export function parseResponseBody({ headers, text }: HttpResponse): Json {
  return headers['content-type']?.includes('json') ? (parseJson(text) ?? text) : text
}

function buildEnvelope(
  { now }: Pick<World, 'now'>,
  { teamId, enterpriseId, isInstalled, isShared = false }: Audience,
  event: Fields,
): Fields {
  const authorization = {
    enterprise_id: enterpriseId,
    team_id: teamId,
    user_id: BOTS[teamId]?.userId ?? '',
    is_bot: true,
    is_enterprise_install: false,
  }
  return {
    token: VERIFICATION_TOKEN,
    team_id: teamId,
    ...(enterpriseId && { enterprise_id: enterpriseId }),
    context_team_id: teamId,
    context_enterprise_id: enterpriseId,
    api_app_id: APP_ID,
    event,
    type: 'event_callback',
    event_id: createId('Ev'),
    event_time: Math.floor(now().getTime() / 1000),
    authorizations: isInstalled ? [authorization] : [],
    is_ext_shared_channel: isShared,
    event_context: `4-${createSecret()}`,
  }
}

/** The `x-slack-retry-reason` header, by the problem with the previous attempt. */
const RETRY_REASONS = {
  timeout: 'http_timeout',
  connection: 'connection_failed',
  none: 'http_error',
} as const

/** Whether to stop sending the event, because the app responded with a 2xx status. */
const isAccepted = ({ http }: AppResponse): boolean => http.status >= 200 && http.status < 300

interface AppLinkOptions {
  world: Pick<World, 'manifest' | 'log' | 'journal' | 'now'>
  appUrl: string | undefined
  /** Set in Socket Mode, where requests are sent over these sockets instead of to URLs. */
  sockets: Sockets | undefined
  signingSecret: string
  ackTimeoutMs: number
  /** The delay before each retry of an event, in ms. */
  eventRetryMs: readonly number[]
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

/** The number of requests that can be sent again. */
const MAX_RESENDABLE = 500
/** In Socket Mode, the journal shows this instead of a URL. */
const SOCKET_LABEL = 'the app’s WebSocket'
const NO_URL = 'The manifest has no request_url for this, and --app-url is missing.'

/** Sends signed requests over HTTP or Socket Mode, logs them in the journal, and waits up to 3 s for the response. */
function createSender({ world, sockets, signingSecret, ackTimeoutMs, ...options }: AppLinkOptions) {
  const { journal, now } = world
  const { requestUrls } = world.manifest
  let appUrl = options.appUrl
  const httpClient = createHttpClient(ackTimeoutMs)
  const sent = new Map<string, SignedRequest & { url: string | undefined; envelope: EnvelopeContent }>()
  const urlFor = (request: RequestKind) => (sockets ? SOCKET_LABEL : requestUrl(requestUrls, appUrl, request))

  function postToApp(
    url: string | undefined,
    signed: SignedRequest,
    request: EnvelopeContent,
  ): Promise<HttpResponse> {
    if (sockets) return sockets.post(request)
    return url === undefined
      ? Promise.resolve(failedResponse('connection', NO_URL))
      : httpClient.post(url, signed)
  }

  function finishDelivery(delivery: Delivery, http: HttpResponse): AppResponse {
    const verdict = toVerdict(http)
    journal.close(delivery, {
      response:
        http.status === 0
          ? null
          : { status: http.status, headers: http.headers, body: parseResponseBody(http) },
      verdict,
      notes: verdict === 'ok' ? [] : [describeFailure(http, ackTimeoutMs, delivery.request.url)],
    })
    return { delivery, http, verdict }
  }

  return {
    /** The app's origin, for OAuth redirects; undefined if neither `appUrl` nor a request URL in the manifest is set. */
    origin(): string | undefined {
      const url = appUrl ?? requestUrls.events ?? requestUrls.interactivity
      return url === undefined ? undefined : new URL(url).origin
    },

    setTarget(url: string): void {
      appUrl = url
    },

    /** Sends a signed request, and logs it in the journal under `id`. Never throws: failures are in the response's `verdict`. */
    async request(request: AppRequest, id?: string): Promise<AppResponse> {
      const url = urlFor(request)
      const delivery = openDelivery(journal, request, url, id)
      const headers = sockets ? {} : createHeaders(request, signingSecret, now())
      delivery.request.headers = headers
      sent.set(delivery.id, { url, headers, body: request.body, envelope: request })
      deleteOldest(sent, MAX_RESENDABLE)
      return finishDelivery(delivery, await postToApp(url, { headers, body: request.body }, request))
    },

    /**
     * Sends copies of an earlier request in parallel, with the same signature. Returns undefined if the request is no longer
     * stored.
     */
    async resend(deliveryId: string, times: number): Promise<number[] | undefined> {
      const original = sent.get(deliveryId)
      const delivery = journal.list().find(({ id }) => id === deliveryId)
      if (!original || !delivery) return undefined
      const { kind, user, request } = delivery
      return Promise.all(
        Array.from({ length: times }, async () => {
          const copy = openDelivery(journal, { kind, user, payload: request.body }, original.url)
          copy.request.headers = original.headers
          return finishDelivery(copy, await postToApp(original.url, original, original.envelope)).http.status
        }),
      )
    },

    close(): void {
      httpClient.close()
    },
  }
}

export function createAppLink(options: AppLinkOptions) {
  const { world, eventRetryMs, closing } = options
  const sender = createSender(options)

  async function retry(request: AppRequest, firstResponse: AppResponse): Promise<void> {
    let lastResponse = firstResponse
    for (const [index, waitMs] of eventRetryMs.entries()) {
      await sleep(waitMs, undefined, { signal: closing, ref: false }).catch(() => undefined)
      if (closing.aborted) return
      const reason = RETRY_REASONS[lastResponse.http.problem]
      lastResponse = await sender.request({ ...request, retry: { num: index + 1, reason } })
      if (isAccepted(lastResponse)) return
    }
  }

  return {
    ...sender,

    /**
     * Sends an event, if the manifest subscribes to it. Resolves after the first attempt. If that fails, the link retries in the
     * background, with shorter delays than Slack (none, 1 minute, and 5 minutes).
     */
    async dispatch({ name, user, event }: AppEvent, audience: Audience): Promise<Outcome> {
      const seq = world.log.seq
      if (!world.manifest.botEvents.includes(name)) return { ok: true, deliveryId: null, seq }
      // Retries send the same payload.
      const payload = buildEnvelope(world, audience, event)
      const body = JSON.stringify(payload)
      const request: AppRequest = {
        kind: `event:${name}`,
        user: user ?? null,
        contentType: 'application/json',
        body,
        payload,
      }
      const response = await sender.request(request)
      if (isAccepted(response)) return { ok: true, deliveryId: response.delivery.id, seq }
      void retry(request, response)
      const error = response.verdict === 'ok' ? 'dispatch_failed' : response.verdict
      return { ok: false, deliveryId: response.delivery.id, seq, error, message: ERROR_MESSAGES[error] }
    },
  }
}

function toVerdict({ problem, status }: HttpResponse): AppResponse['verdict'] {
  if (problem === 'timeout') return 'operation_timeout'
  return status === 200 ? 'ok' : 'dispatch_failed'
}

function openDelivery(
  journal: Journal,
  { kind, user, payload, retry }: Pick<AppRequest, 'kind' | 'user' | 'payload' | 'retry'>,
  url: string | undefined,
  id?: string,
): Delivery {
  return journal.open({
    ...(id !== undefined && { id }),
    direction: 'to-app',
    kind,
    user,
    request: { method: 'POST', url: url ?? 'no request URL', headers: {}, body: payload },
    ...(retry && { retry: retry.num }),
  })
}

function createHeaders(
  { contentType, body, retry }: AppRequest,
  signingSecret: string,
  date: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(date.getTime() / 1000))
  return {
    'content-type': contentType,
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    accept: '*/*',
    ...traceparent(),
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': sign(signingSecret, timestamp, body),
    ...(retry && { 'x-slack-retry-num': String(retry.num), 'x-slack-retry-reason': retry.reason }),
  }
}

function describeFailure({ status, problem, text }: HttpResponse, ackTimeoutMs: number, url: string): string {
  if (problem === 'timeout')
    return `The app didn't answer within ${ackTimeoutMs} ms. Acknowledge first, then do the work.`
  if (text === NO_URL) return NO_URL
  if (problem === 'connection') return `No answer from ${url}: ${text}. Is the app running?`
  return `The app answered with status ${status}, but Slack accepts only 200.`
}
