import { createHmac } from 'node:crypto'
import type { RequestUrls } from '../manifest/manifest.ts'
import { deleteOldest } from '../protocol/ids.ts'
import type { Json } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import type { Delivery } from '../protocol/protocol.ts'
import { traceparent } from '../protocol/trace.ts'
import type { Journal } from '../state/journal.ts'
import { type RequestKind, requestUrl } from './address.ts'
import type { EnvelopeContent } from './connection.ts'
import { createHttpClient, failedResponse, type HttpResponse, type SignedRequest } from './http.ts'
import type { Sockets } from './sockets.ts'

export type { HttpResponse } from './http.ts'

const MAX_RESENDABLE = 500

export interface AppResponse {
  delivery: Delivery
  http: HttpResponse
  verdict: 'ok' | 'operation_timeout' | 'dispatch_failed'
}

export interface AppRequest extends RequestKind {
  user: string | null
  contentType: 'application/json' | 'application/x-www-form-urlencoded'
  body: string
  /** The body's content as JSON, for the inspector and for Socket Mode. */
  payload: Json
  retry?: { num: number; reason: string }
  /** Additional headers. They override headers that every request has, such as `accept`. */
  headers?: Readonly<Record<string, string>>
  /** By default, the timeout for acknowledgements. */
  timeoutMs?: number
}

export type AppClient = ReturnType<typeof createAppClient>

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

interface AppClientOptions {
  appUrl: string | undefined
  requestUrls: RequestUrls
  /** Set in Socket Mode, where requests are sent over these sockets instead of to URLs. */
  sockets: Sockets | undefined
  signingSecret: string
  ackTimeoutMs: number
  journal: Journal
  now: () => Date
}

/** In Socket Mode, the journal shows this instead of a URL. */
const SOCKET_LABEL = 'the app’s WebSocket'
const NO_URL = 'The manifest has no request_url for this, and --app-url is missing.'

/** Sends signed requests to the app over HTTP or Socket Mode, and waits up to 3 s for the response. */
export function createAppClient(options: AppClientOptions) {
  const { requestUrls, sockets, signingSecret, ackTimeoutMs, journal, now } = options
  let appUrl = options.appUrl
  const httpClient = createHttpClient(ackTimeoutMs)
  const sent = new Map<string, SignedRequest & { url: string | undefined; envelope: EnvelopeContent }>()
  const urlFor = (request: RequestKind) => (sockets ? SOCKET_LABEL : requestUrl(requestUrls, appUrl, request))

  function postToApp(
    url: string | undefined,
    signed: SignedRequest,
    request: EnvelopeContent & Pick<AppRequest, 'timeoutMs'>,
  ): Promise<HttpResponse> {
    if (sockets) return sockets.post(request)
    return url === undefined
      ? Promise.resolve(failedResponse('connection', NO_URL))
      : httpClient.post(url, signed, request.timeoutMs)
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
    async send(request: AppRequest, id?: string): Promise<AppResponse> {
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
  { contentType, body, retry, headers }: AppRequest,
  signingSecret: string,
  date: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(date.getTime() / 1000))
  return {
    'content-type': contentType,
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    accept: '*/*',
    ...traceparent(),
    ...headers,
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
