import { createHmac } from 'node:crypto'
import { forgetOldest } from '../ids.ts'
import type { Journal } from '../journal.ts'
import { parseJson } from '../json.ts'
import type { RequestUrls } from '../manifest/manifest.ts'
import type { Delivery, Json } from '../protocol.ts'
import { traceparent } from '../trace.ts'
import { type Addressed, addressOf } from './address.ts'
import { type Answer, createHttpPost, failed, type Signed } from './http.ts'
import type { Enveloped, Sockets } from './sockets.ts'

export type { Answer } from './http.ts'

const KEPT = 500

export interface Told {
  delivery: Delivery
  answer: Answer
  /** `ok`, `operation_timeout`, or `dispatch_failed`, in words. */
  verdict: 'ok' | 'operation_timeout' | 'dispatch_failed'
}

export interface Telling extends Addressed {
  user: string | null
  contentType: 'application/json' | 'application/x-www-form-urlencoded'
  body: string
  /** The same body for the inspector, readable. */
  readable: Json
  retry?: { num: number; reason: string }
  /** In addition to Slack's own headers, or instead of them. */
  headers?: Readonly<Record<string, string>>
  /** How long the answer may take; by default as long as an acknowledgement. */
  patienceMs?: number
}

export type Line = ReturnType<typeof createLine>

/**
 * Slack's signature of a request: `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body` under the signing secret.
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack, November 2026)
 */
export function sign(signingSecret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`
}

/** An answer's body, parsed if it declares itself as JSON. */
export function readAnswer({ headers, text }: Answer): Json {
  return headers['content-type']?.includes('json') ? (parseJson(text) ?? text) : text
}

interface Options {
  appUrl: string | undefined
  requestUrls: RequestUrls
  /** Where requests go in Socket Mode, instead of to addresses. */
  sockets: Sockets | undefined
  signingSecret: string
  ackTimeoutMs: number
  journal: Journal
  now: () => Date
}

/** What the journal shows as the address of an app in Socket Mode. */
const SOCKET = 'its WebSocket'
const NO_ADDRESS = 'The manifest has no request_url for this, and no --app-url is given.'

/** Sends to the app: signs requests, posts them to the manifest's addresses, and stops waiting after 3 s. */
export function createLine(options: Options) {
  const { requestUrls, sockets, signingSecret, ackTimeoutMs, journal, now } = options
  let appUrl = options.appUrl
  const http = createHttpPost(ackTimeoutMs)
  const sent = new Map<string, Signed & { url: string | undefined; enveloped: Enveloped }>()
  const urlOf = (request: Addressed) => (sockets ? SOCKET : addressOf(requestUrls, appUrl, request))

  function post(
    url: string | undefined,
    signed: Signed,
    enveloped: Enveloped & Pick<Telling, 'patienceMs'>,
  ): Promise<Answer> {
    if (sockets) return sockets.post(enveloped)
    return url === undefined
      ? Promise.resolve(failed('connection', NO_ADDRESS))
      : http.post(url, signed, enveloped.patienceMs)
  }

  function record(delivery: Delivery, answer: Answer): Told {
    const verdict =
      answer.problem === 'timeout' ? 'operation_timeout' : answer.status === 200 ? 'ok' : 'dispatch_failed'
    journal.close(delivery, {
      response:
        answer.status === 0
          ? null
          : { status: answer.status, headers: answer.headers, body: readAnswer(answer) },
      verdict,
      notes: verdict === 'ok' ? [] : [explain(answer, ackTimeoutMs, delivery.request.url)],
    })
    return { delivery, answer, verdict }
  }

  return {
    /** The app's own host, where people are sent back to; undefined if neither an option nor the manifest has it. */
    origin(): string | undefined {
      const any = appUrl ?? requestUrls.events ?? requestUrls.interactivity
      return any === undefined ? undefined : new URL(any).origin
    },

    setTarget(url: string): void {
      appUrl = url
    },

    /** Sends one signed request, with this `id` in the journal if one is given. Never rejects. */
    async tell(telling: Telling, id?: string): Promise<Told> {
      const url = urlOf(telling)
      const delivery = begun(journal, telling, url, id)
      const headers = sockets ? {} : headersFor(telling, signingSecret, now())
      delivery.request.headers = headers
      sent.set(delivery.id, { url, headers, body: telling.body, enveloped: telling })
      forgetOldest(sent, KEPT)
      return record(delivery, await post(url, { headers, body: telling.body }, telling))
    },

    /** Sends exactly the same signed request again, all copies at once; undefined if it is no longer stored. */
    async repeat(deliveryId: string, times: number): Promise<number[] | undefined> {
      const same = sent.get(deliveryId)
      const original = journal.list().find(({ id }) => id === deliveryId)
      if (!same || !original) return undefined
      const { kind, user, request } = original
      return Promise.all(
        Array.from({ length: times }, async () => {
          const copy = begun(journal, { kind, user, readable: request.body }, same.url)
          copy.request.headers = same.headers
          return record(copy, await post(same.url, same, same.enveloped)).answer.status
        }),
      )
    },

    close(): void {
      http.close()
    },
  }
}

function begun(
  journal: Journal,
  { kind, user, readable, retry }: Pick<Telling, 'kind' | 'user' | 'readable' | 'retry'>,
  url: string | undefined,
  id?: string,
): Delivery {
  return journal.open({
    ...(id !== undefined && { id }),
    direction: 'to-app',
    kind,
    user,
    request: { method: 'POST', url: url ?? 'nowhere', headers: {}, body: readable },
    ...(retry && { retry: retry.num }),
  })
}

function headersFor(
  { contentType, body, retry, headers }: Telling,
  signingSecret: string,
  at: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
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

function explain({ status, problem, text }: Answer, ackTimeoutMs: number, url: string): string {
  if (problem === 'timeout')
    return `The app did not answer within ${ackTimeoutMs} ms. Acknowledge first, then do the work.`
  if (problem === 'connection') return `No answer from ${url}: ${text}. Is the app running there?`
  return `The app answered with status ${status}; Slack takes only 200.`
}
