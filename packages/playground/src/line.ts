import { createHmac } from 'node:crypto'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Journal } from './journal.ts'
import { parseJson } from './json.ts'
import type { Delivery, Json } from './protocol.ts'

const ANSWER_LIMIT_BYTES = 1024 * 1024
const KEPT = 500

/** What came back: status 0 when nothing did. */
export interface Answer {
  status: number
  headers: Record<string, string>
  text: string
  problem: 'none' | 'timeout' | 'connection'
}

export interface Told {
  delivery: Delivery
  answer: Answer
  /** `ok`, `operation_timeout` or `dispatch_failed`, as a person would read it. */
  verdict: 'ok' | 'operation_timeout' | 'dispatch_failed'
}

export interface Telling {
  kind: string
  user: string | null
  contentType: 'application/json' | 'application/x-www-form-urlencoded'
  body: string
  /** The same body for the inspector, readable. */
  readable: Json
  retry?: { num: number; reason: string }
}

export type Line = ReturnType<typeof createLine>

/**
 * Slack's signature of a request: `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body` under the signing secret.
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack, November 2026)
 */
export function sign(signingSecret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')}`
}

/** An answer's body, parsed when it says that it is JSON. */
export function readAnswer({ headers, text }: Answer): Json {
  return headers['content-type']?.includes('json') ? (parseJson(text) ?? text) : text
}

interface Options {
  appUrl: string
  signingSecret: string
  ackTimeoutMs: number
  journal: Journal
  now: () => Date
}

/** The way to the app: signs, posts to `/slack/events`, and gives up when there is no answer in 3 s. */
export function createLine({ appUrl, signingSecret, ackTimeoutMs, journal, now }: Options) {
  let target = appUrl
  const agent = new Agent({ keepAlive: false })
  const open = new Set<{ destroy(): void }>()
  const sent = new Map<string, { headers: Record<string, string>; body: string }>()

  function post(headers: Record<string, string>, body: string): Promise<Answer> {
    const url = new URL('/slack/events', target)
    return new Promise((resolve) => {
      const secure = url.protocol === 'https:'
      const call = (secure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        ...(!secure && { agent }),
      })
      open.add(call)
      const finish = (answer: Answer) => {
        clearTimeout(timer)
        open.delete(call)
        call.destroy()
        resolve(answer)
      }
      const fail = (problem: Answer['problem'], text = '') =>
        finish({ status: 0, headers: {}, text, problem })
      const timer = setTimeout(() => fail('timeout'), ackTimeoutMs)
      call.on('error', (error) => fail('connection', error.message))
      call.on('close', () => fail('connection', 'the connection closed without an answer'))
      call.on('response', (response) => {
        readBody(response).then(
          (text) =>
            finish({
              status: response.statusCode ?? 0,
              headers: flatHeaders(response),
              text,
              problem: 'none',
            }),
          (error: Error) => fail('connection', error.message),
        )
      })
      call.end(body)
    })
  }

  function headersFor({ contentType, body, retry }: Telling): Record<string, string> {
    const timestamp = String(Math.floor(now().getTime() / 1000))
    return {
      'content-type': contentType,
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      accept: '*/*',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': sign(signingSecret, timestamp, body),
      ...(retry && { 'x-slack-retry-num': String(retry.num), 'x-slack-retry-reason': retry.reason }),
    }
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
      notes: verdict === 'ok' ? [] : [explain(answer, ackTimeoutMs, target)],
    })
    return { delivery, answer, verdict }
  }

  function begin(
    { kind, user, readable, retry }: Omit<Telling, 'body' | 'contentType'>,
    id?: string,
  ): Delivery {
    const url = new URL('/slack/events', target).href
    return journal.open({
      ...(id !== undefined && { id }),
      direction: 'to-app',
      kind,
      user,
      request: { method: 'POST', url, headers: {}, body: readable },
      ...(retry && { retry: retry.num }),
    })
  }

  return {
    /** The app's base. */
    target: () => target,

    setTarget(url: string): void {
      target = url
    },

    /** Sends one signed request, known in the journal by `id` when one is given; never rejects. */
    async tell(telling: Telling, id?: string): Promise<Told> {
      const delivery = begin(telling, id)
      const headers = headersFor(telling)
      delivery.request.headers = headers
      sent.set(delivery.id, { headers, body: telling.body })
      const oldest = sent.keys().next().value
      if (sent.size > KEPT && oldest !== undefined) sent.delete(oldest)
      return record(delivery, await post(headers, telling.body))
    },

    /** Sends the very same signed request again, all at once; undefined when it is no longer kept. */
    async repeat(deliveryId: string, times: number): Promise<number[] | undefined> {
      const same = sent.get(deliveryId)
      const original = journal.list().find(({ id }) => id === deliveryId)
      if (!same || !original) return undefined
      return Promise.all(
        Array.from({ length: times }, async () => {
          const copy = begin({ kind: original.kind, user: original.user, readable: original.request.body })
          copy.request.headers = same.headers
          return record(copy, await post(same.headers, same.body)).answer.status
        }),
      )
    },

    close(): void {
      for (const call of open) call.destroy()
      agent.destroy()
    },
  }
}

function flatHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > ANSWER_LIMIT_BYTES) throw new Error('the answer is longer than 1 MiB')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function explain({ status, problem, text }: Answer, ackTimeoutMs: number, target: string): string {
  if (problem === 'timeout')
    return `The app did not answer within ${ackTimeoutMs} ms. Acknowledge first, then do the work.`
  if (problem === 'connection') return `No answer from ${target}: ${text}. Is the app running there?`
  return `The app answered with status ${status}; Slack takes only 200.`
}
