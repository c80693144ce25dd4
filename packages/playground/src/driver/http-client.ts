import { Agent, request } from 'node:http'
import { text as readStream } from 'node:stream/consumers'
import type { ErrorResponse, EventPage, Outcome, Snapshot } from '../protocol/protocol.ts'

export type HttpClient = ReturnType<typeof createHttpClient>

const TIMEOUT_MS = 240_000

interface RequestInit {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

interface TextResponse {
  status: number | undefined
  text: string
}

/**
 * Sends requests over connections that stay open. A test sends thousands of requests, and `fetch` takes twice as much CPU time.
 */
function createSender(base: string): (path: string, init: RequestInit) => Promise<TextResponse> {
  const agent = new Agent({ keepAlive: true })
  return (path, { body, ...options }) =>
    new Promise((resolve, reject) => {
      const call = request(`${base}/${path}`, { agent, ...options })
      const timer = setTimeout(
        () => call.destroy(new Error(`${path}: the playground didn’t respond within ${TIMEOUT_MS / 1000} s`)),
        TIMEOUT_MS,
      )
      call.on('close', () => clearTimeout(timer))
      call.on('error', reject)
      call.on('response', (response) => {
        readStream(response).then((text) => resolve({ status: response.statusCode, text }), reject)
      })
      call.end(body)
    })
}

function parseResponse<T>({ status, text }: TextResponse, path: string): T {
  if (status !== 200) throw new Error(`${path}: ${readErrorMessage(text)} (status ${status})`)
  // Safe cast: the playground's tests check that responses match protocol.ts.
  return JSON.parse(text) as T
}

function readErrorMessage(text: string): string {
  try {
    // The playground's errors are JSON. Other responses are shown unchanged.
    return (JSON.parse(text) as ErrorResponse).message ?? text
  } catch {
    return text
  }
}

/**
 * The driver's HTTP client. Requests time out after 60 s. Any status other than 200 throws an Error with the playground's message.
 */
export function createHttpClient(url: string) {
  const base = `${url.replace(/\/$/, '')}/_playground`
  const sendRequest = createSender(base)
  const send = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
    parseResponse<T>(await sendRequest(path, init), path)
  const sendBody = <T>(path: string, body: string | Uint8Array, type?: string): Promise<T> =>
    send<T>(path, {
      method: 'POST',
      headers: { 'x-playground': '1', ...(type !== undefined && { 'content-type': type }) },
      body,
    })

  return {
    get: <T>(path: string): Promise<T> => send<T>(path),
    post: <T>(path: string, body: object): Promise<T> =>
      sendBody<T>(path, JSON.stringify(body), 'application/json'),
    upload: <T>(path: string, type: string, bytes: Uint8Array): Promise<T> => sendBody<T>(path, bytes, type),

    /** With `newest`, includes only this many messages per channel. */
    state(user: string, { newest }: { newest?: number } = {}): Promise<Snapshot> {
      const query = new URLSearchParams({ user })
      if (newest !== undefined) query.set('history', String(newest))
      return this.get<Snapshot>(`state?${query}`)
    },

    /** Long-polls for events. With `deliveries`, includes requests to and from the app. */
    events(user: string, after: number, waitMs: number, deliveries = false): Promise<EventPage> {
      const query = new URLSearchParams({ user, after: String(after), wait: String(waitMs) })
      if (!deliveries) query.set('deliveries', '0')
      return this.get<EventPage>(`events?${query}`)
    },

    act(path: string, body: object): Promise<Outcome> {
      return this.post<Outcome>(path, body)
    },
  }
}
