import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@signalman/runtime'

/** Everything that must work for the app to be ready, by name. Each check throws if it doesn't. */
export type ReadyChecks = Readonly<Record<string, () => Promise<void>>>

/** The timeout of the checks, because clients of `/readyz` wait about a second. */
const CHECK_TIMEOUT_MS = 900
const TIMEOUT_SLICE_MS = 100

/** Slack gives up after three seconds. A client that takes longer to send its request isn't Slack. */
const TIMEOUTS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 }
/**
 * Load balancers reuse a connection for 60 s. If the app closed it earlier, a request that is being sent on it would be lost.
 */
const KEEP_ALIVE_MS = 75_000
/** Each connection takes some kilobytes of memory, even if idle. */
const MAX_CONNECTIONS = 4096

export type HttpServer = ReturnType<typeof createHttpServer>

/**
 * The HTTP server for Slack's requests, `/healthz` (the process responds), and `/readyz` (it can do its work, answered within a
 * second). Disposing of it closes all connections.
 */
export function createHttpServer(deps: {
  /** Handlers by path. */
  handlers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>>
  readyChecks: ReadyChecks
  /** `isDraining` is set when the app begins to stop, and `isRefusing` later. From then on, requests get a 503. */
  stopping: Readonly<{ isRefusing: boolean; isDraining?: boolean }>
  log: Log
}) {
  const { handlers, readyChecks, stopping, log } = deps
  let readinessRequestedAtMs = Number.NEGATIVE_INFINITY
  /** The checks that worked when they last ran. One that has never worked isn't news: the start reports its problems itself. */
  const working = new Set<string>()
  const failing = new Set<string>()

  function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? ''
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
    return handler && !stopping.isRefusing
      ? handler(request, response)
      : answerHealthRequest(path, handler !== undefined, response)
  }

  async function answerHealthRequest(
    path: string,
    hasHandler: boolean,
    response: ServerResponse,
  ): Promise<void> {
    if (hasHandler) return sendJson(response, 503, { error: 'The app is stopping.' })
    if (path === '/healthz') return sendJson(response, 200, { status: 'alive' })
    if (path === '/readyz') return answerReadiness(response)
    sendJson(response, 404, { error: 'Not found.' })
  }

  /** Logs a check once when it stops working, and once when it works again. A stop makes checks fail, too, and isn't a problem. */
  function report(name: string, problem: string | undefined): void {
    if (problem === undefined) {
      working.add(name)
      if (failing.delete(name)) log.info({ check: name }, `Ready again: ${name}.`)
    } else if (working.delete(name) && !stopping.isDraining) {
      failing.add(name)
      log.warn({ check: name, because: problem }, `Not ready: ${name} (${problem}).`)
    }
  }

  async function answerReadiness(response: ServerResponse): Promise<void> {
    readinessRequestedAtMs = performance.now()
    const timeout = waitForTimeout()
    const checks = await Promise.all(
      Object.entries(readyChecks).map(
        async ([name, check]) => [name, await runReadinessCheck(check, timeout)] as const,
      ),
    )
    for (const [name, problem] of checks) report(name, problem)
    const isReady = checks.every(([, problem]) => problem === undefined)
    sendJson(response, isReady ? 200 : 503, {
      status: isReady ? 'ready' : 'not ready',
      // Anyone may read this, so the problem stands only in the log.
      ...Object.fromEntries(
        checks.map(([name, problem]) => [name, problem === undefined ? 'ok' : 'failing']),
      ),
    })
  }

  const server = createServer(TIMEOUTS, (request, response) => {
    route(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'An HTTP request failed.')
      if (!response.headersSent) sendJson(response, 500, { error: 'Something went wrong inside the app.' })
      else response.destroy()
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  return {
    server,
    /** Whether anything, such as a load balancer, has recently requested `/readyz`. */
    wasReadinessRequestedWithin: (ms: number): boolean => performance.now() - readinessRequestedAtMs < ms,
    /** Resolves once the server accepts connections. Throws Node's error if it can't use the port. */
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

/** Returns the problem, or undefined if there is none. */
const runReadinessCheck = (check: () => Promise<void>, timeout: Promise<void>): Promise<string | undefined> =>
  Promise.race([
    check().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    ),
    timeout.then(() => 'no answer in time'),
  ])

/**
 * Waits in slices, so that a pause of the process counts as one slice. After a pause, timers run before what has arrived is read. A
 * single timer would make a check fail that has succeeded.
 */
async function waitForTimeout(): Promise<void> {
  for (let waitedMs = 0; waitedMs < CHECK_TIMEOUT_MS; waitedMs += TIMEOUT_SLICE_MS)
    await pause(TIMEOUT_SLICE_MS, undefined, { ref: false })
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}
