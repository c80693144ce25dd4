import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDriver } from '../src/driver.ts'
import { type PlaygroundOptions, startPlayground } from '../src/program/start.ts'
import type { Fields, Json } from '../src/protocol/json.ts'
import { isFields } from '../src/protocol/json.ts'
import { preferredPort } from './preferred-port.ts'

/** A request that the test app received. */
export interface AppRequest {
  headers: IncomingMessage['headers']
  raw: string
  /** A command's fields, an interaction's payload, or an event's envelope. */
  body: Fields
}

/** The test app's response to a request. */
type Reply = { status?: number; json?: Json; text?: string }
/** Handles a request to the test app. `count` is 1 for the first request. Returns the response, or `silent` to never respond. */
export type Handler = (sent: AppRequest, count: number) => Reply | 'silent' | Promise<Reply | 'silent'>

export const SECRET = 'a-signing-secret'
export const MANIFEST = new URL('manifest.yml', import.meta.url).pathname
/** A manifest that uses most features. */
export const FULL_MANIFEST = new URL('full-manifest.yml', import.meta.url).pathname
function toFields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function parseBody(raw: string, contentType: string): Fields {
  if (contentType.includes('json')) return JSON.parse(raw)
  const form = new URLSearchParams(raw)
  const payload = form.get('payload')
  return payload === null ? Object.fromEntries(form) : JSON.parse(payload)
}

async function serve(
  handler: Handler,
  sent: AppRequest[],
  request: IncomingMessage,
  response: ServerResponse,
) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const raw = Buffer.concat(chunks).toString('utf8')
  const received = {
    headers: request.headers,
    raw,
    body: parseBody(raw, request.headers['content-type'] ?? ''),
  }
  const count = sent.push(received)
  const reply = await handler(received, count)
  if (reply === 'silent') return
  const body = reply.json === undefined ? (reply.text ?? '') : JSON.stringify(reply.json)
  const type = reply.json === undefined ? 'text/plain' : 'application/json'
  response.writeHead(reply.status ?? 200, { 'content-type': type }).end(body)
}

/** Returns the `id` of an object in a response, or an empty string. */
export const readId = (value: Json | undefined): string => (isFields(value) ? String(value.id) : '')

/** Returns the events that the test app received. */
export const receivedEvents = ({ sent }: { sent: readonly AppRequest[] }): Fields[] =>
  sent.flatMap(({ body }) => (isFields(body.event) ? [body.event] : []))

/** Starts a playground, a driver, and a test app. Disposing of the result stops them. */
export async function startWorld(handler: Handler = () => ({}), options: Partial<PlaygroundOptions> = {}) {
  const sent: AppRequest[] = []
  let current = handler
  const server = createServer((request, response) => {
    serve((received, count) => current(received, count), sent, request, response).catch((error: Error) => {
      response.writeHead(500).end(error.message)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Safe cast: servers that listen on TCP have an address object.
  const { port } = server.address() as AddressInfo
  const start = (playgroundPort: number) =>
    startPlayground({
      appUrl: `http://127.0.0.1:${port}`,
      signingSecret: SECRET,
      manifestPath: MANIFEST,
      port: playgroundPort,
      ...options,
      // Slack's limit of 3 s is too short on a busy machine.
      limits: { ackTimeoutMs: 15_000, ...options.limits },
    })
  const playground = await start(preferredPort.current)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || preferredPort.current === 0) throw error
      return start(0)
    })
    .catch((error: unknown) => {
      server.close()
      throw error
    })

  async function api(method: string, args: object = {}, token = playground.botToken): Promise<Fields> {
    const type = 'application/json; charset=utf-8'
    const headers = { 'content-type': type, ...(token && { authorization: `Bearer ${token}` }) }
    const response = await fetch(playground.apiUrl + method, {
      method: 'POST',
      headers,
      body: JSON.stringify(args),
    })
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      ...toFields(await response.json()),
    }
  }

  /** Posts to a `response_url`. Returns the status and the body's fields. */
  async function respond(url: Json | undefined, body: object): Promise<Fields> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(String(url), { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, ...toFields(await response.json()) }
  }

  /** Waits until the app receives an event of this type, and returns it. */
  async function waitForEvent(type: string): Promise<Fields> {
    const find = () => receivedEvents({ sent }).find((event) => event.type === type)
    await eventually(type, () => find() !== undefined)
    return find() ?? {}
  }

  /** Waits until a condition is true. */
  async function eventually(description: string, condition: () => boolean): Promise<void> {
    await slack.member.until(description, condition)
  }

  const slack = createDriver(playground.url)
  return {
    playground,
    slack,
    /** The requests that the playground sent to the test app, oldest first. */
    sent,
    api,
    respond,
    eventually,
    waitForEvent,
    /** Replaces the test app's handler. */
    setHandler(next: Handler): void {
      current = next
    },
    async [Symbol.asyncDispose]() {
      await playground[Symbol.asyncDispose]()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The OAuth credentials of every playground. */
export const CLIENT = { client_id: 'playground-client', client_secret: 'playground-client-secret' }

/** Submits the form of the authorize page, for Workshop unless `fields` say otherwise. Returns the URL that it redirects to. */
export async function authorize(
  { playground }: Pick<World, 'playground'>,
  fields: Record<string, string> = {},
): Promise<URL> {
  const answer = await fetch(`${playground.url}/oauth/v2/authorize`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      client_id: CLIENT.client_id,
      scope: 'commands,chat:write',
      state: 'a-state',
      as: 'T0WORKSHOP U0WSADMIN1',
      decision: 'allow',
      ...fields,
    }),
  })
  return new URL(answer.headers.get('location') ?? '')
}

/** Exchanges the code that the authorize page redirected with. */
export const exchange = ({ api }: Pick<World, 'api'>, redirectUrl: URL): Promise<Fields> =>
  api('oauth.v2.access', { ...CLIENT, code: redirectUrl.searchParams.get('code') }, '')

export type World = Awaited<ReturnType<typeof startWorld>>

/** Creates a clock that moves only when a test advances it. */
export function createClock() {
  let ms = Date.UTC(2026, 10, 20, 12)
  return {
    now: () => new Date(ms),
    advance(byMs: number): void {
      ms += byMs
    },
  }
}
