import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Log } from '../../log.ts'

/** A part that must work for the app to be ready: its name, and a check that throws when it does not. */
export type ReadyChecks = Readonly<Record<string, () => Promise<void>>>

/** The HTTP server: Slack's requests, `/healthz` (the process answers) and `/readyz` (it can do its work). */
export function createHttpServer(parts: {
  /** Path → what answers there. */
  handlers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>>
  ready: ReadyChecks
  /** True once the app is about to stop: then it only says so. */
  isStopping: () => boolean
  log: Log
}): Server {
  const { handlers, ready, isStopping, log } = parts

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?', 1)[0] ?? ''
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined
    if (handler && isStopping()) return sendJson(response, 503, { error: 'Signalman is about to stop.' })
    if (handler) return handler(request, response)
    if (path === '/healthz') return sendJson(response, 200, { status: 'alive' })
    if (path === '/readyz') return readiness(response)
    sendJson(response, 404, { error: 'There is nothing at this address.' })
  }

  async function readiness(response: ServerResponse): Promise<void> {
    const checks = await Promise.all(
      Object.entries(ready).map(async ([name, check]) => [name, await outcomeOf(check)] as const),
    )
    const isReady = checks.every(([, outcome]) => outcome === 'ok')
    sendJson(response, isReady ? 200 : 503, {
      status: isReady ? 'ready' : 'not ready',
      ...Object.fromEntries(checks),
    })
  }

  return createServer((request, response) => {
    route(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'An HTTP request failed.')
      if (!response.headersSent) sendJson(response, 500, { error: 'Something went wrong inside Signalman.' })
      else response.destroy()
    })
  })
}

async function outcomeOf(check: () => Promise<void>): Promise<'ok' | 'failing'> {
  try {
    await check()
    return 'ok'
  } catch {
    return 'failing'
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}
