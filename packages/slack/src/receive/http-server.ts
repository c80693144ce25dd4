import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@signalman/runtime'

/** A part that must work for the app to be ready: its name, and a check that throws when it does not. */
export type ReadyChecks = Readonly<Record<string, () => Promise<void>>>

/** After that long, those who ask `/readyz` give up. */
const READY_WITHIN_MS = 900

/** Slack gives up after three seconds: a sender that has not sent its request by then is somebody else. */
const PATIENCE = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 }
/** Load balancers reuse a connection for 60 s: closed before that, it loses the request that is just being sent on it. */
const KEEP_ALIVE_MS = 75_000
/** Each connection takes some kilobytes, whatever is sent on it. */
const MOST_CONNECTIONS = 4096

export type Front = ReturnType<typeof createHttpServer>

/**
 * The HTTP server: Slack's requests, `/healthz` (the process answers) and `/readyz` (it can do its work, said within a second).
 * Disposing of it ends every connection, and listens no longer.
 */
export function createHttpServer(parts: {
  /** From a path to its handler. */
  handlers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>>
  ready: ReadyChecks
  /** Once the app stops, requests are answered with that only. */
  stopping: Readonly<{ isRefusing: boolean }>
  log: Log
}) {
  const { handlers, ready, stopping, log } = parts
  let askedAtMs = Number.NEGATIVE_INFINITY

  function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? ''
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
    return handler && !stopping.isRefusing
      ? handler(request, response)
      : answerItself(path, handler !== undefined, response)
  }

  async function answerItself(path: string, isHandled: boolean, response: ServerResponse): Promise<void> {
    if (isHandled) return sendJson(response, 503, { error: 'The app is about to stop.' })
    if (path === '/healthz') return sendJson(response, 200, { status: 'alive' })
    if (path === '/readyz') return readiness(response)
    sendJson(response, 404, { error: 'There is nothing at this address.' })
  }

  async function readiness(response: ServerResponse): Promise<void> {
    askedAtMs = performance.now()
    const checks = await Promise.all(
      Object.entries(ready).map(async ([name, check]) => [name, await runReadinessCheck(check)] as const),
    )
    const isReady = checks.every(([, outcome]) => outcome === 'ok')
    sendJson(response, isReady ? 200 : 503, {
      status: isReady ? 'ready' : 'not ready',
      ...Object.fromEntries(checks),
    })
  }

  const server = createServer(PATIENCE, (request, response) => {
    route(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'An HTTP request failed.')
      if (!response.headersSent) sendJson(response, 500, { error: 'Something went wrong inside the app.' })
      else response.destroy()
    })
  })
  server.maxConnections = MOST_CONNECTIONS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return {
    server,
    /** Whether a load balancer, for instance, has asked for the readiness lately. */
    readinessAskedWithin: (ms: number): boolean => performance.now() - askedAtMs < ms,
    /** Resolves once it takes connections; throws what Node says of a port that it cannot have. */
    async listen(port: number, host: string): Promise<void> {
      server.listen(port, host)
      await once(server, 'listening')
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.close()
      server.closeAllConnections()
    },
  }
}

const runReadinessCheck = (check: () => Promise<void>): Promise<'ok' | 'failing'> =>
  Promise.race([
    check().then(
      () => 'ok' as const,
      () => 'failing' as const,
    ),
    pause(READY_WITHIN_MS, 'failing' as const, { ref: false }),
  ])

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}
