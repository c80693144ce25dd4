import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { LOOPBACK } from '../http/guard.ts'
import { createSecret } from '../protocol/ids.ts'
import type { PostBody } from '../protocol/protocol.ts'
import { APP_ID } from '../state/people.ts'
import { type Connection, createConnection, type EnvelopeContent, HOST } from './connection.ts'
import { failedResponse, type HttpResponse } from './http.ts'

/** The maximum number of sockets per app (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const MAX_SOCKETS = 10
/** The `approximate_connection_time` that Slack announces. */
const CONNECTION_SECONDS = 18_060
const TICKET_LIFETIME_MS = 30_000
/** The time between a `warning` and the end of the connection. */
const WARNING_DELAY_MS = 10_000

/** Whether a request asks for a WebSocket. Other upgrades are ignored: Java's HTTP client asks for HTTP/2 in every request. */
export const isWebSocketUpgrade = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

export type Sockets = ReturnType<typeof createSockets>

/** The single-use tickets in the URLs from `apps.connections.open`. They expire after 30 s. */
function createSocketTickets(now: () => Date) {
  const tickets = new Map<string, number>()
  return {
    issue(): string {
      const ticket = createSecret()
      tickets.set(ticket, now().getTime())
      return `/link/?ticket=${ticket}&app_id=${APP_ID}`
    },
    redeem({ url = '/', headers }: IncomingMessage): boolean {
      const { pathname, searchParams } = new URL(url, 'http://playground')
      const ticket = searchParams.get('ticket') ?? ''
      const issuedMs = tickets.get(ticket)
      tickets.delete(ticket)
      const isValid = issuedMs !== undefined && now().getTime() - issuedMs <= TICKET_LIFETIME_MS
      return LOOPBACK.test(headers.host ?? '') && pathname === '/link/' && isValid
    },
  }
}

/** The app's WebSockets in Socket Mode. Envelopes are sent round-robin. */
export function createSockets(ackTimeoutMs: number, now: () => Date) {
  const server = new WebSocketServer({ noServer: true })
  const connections = new Set<Connection>()
  const tickets = createSocketTickets(now)
  let lastIndex = 0

  function accept(socket: WebSocket): void {
    const isOverLimit = connections.size >= MAX_SOCKETS
    const connection = createConnection(socket, () => connections.delete(connection))
    if (isOverLimit) connection.disconnect('too_many_websockets', 0)
    else {
      connections.add(connection)
      const started = now().toISOString()
      connection.send({
        type: 'hello',
        num_connections: connections.size,
        connection_info: { app_id: APP_ID },
        debug_info: { host: HOST, started, build_number: 1, approximate_connection_time: CONNECTION_SECONDS },
      })
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (tickets.redeem(request)) server.handleUpgrade(request, socket, head, accept)
    else
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', () =>
        socket.destroy(),
      )
  }

  /** The next socket, preferably one that isn't about to close. */
  function nextConnection(): Connection | undefined {
    const openConnections = [...connections].filter((connection) => connection.isOpen())
    const remaining = openConnections.filter((connection) => !connection.isClosing())
    const candidates = remaining.length > 0 ? remaining : openConnections
    lastIndex += 1
    return candidates[lastIndex % candidates.length]
  }

  return {
    attach: (http: Server): void => void http.on('upgrade', upgrade),
    count: (): number => connections.size,
    issuePath: (): string => tickets.issue(),

    /** Sends an envelope over one of the sockets, and waits for its acknowledgement. Never throws. */
    post(content: EnvelopeContent): Promise<HttpResponse> {
      const connection = nextConnection()
      return connection
        ? connection.post(content, ackTimeoutMs)
        : Promise.resolve(failedResponse('connection', 'the app has no socket open'))
    },

    /** Disconnects or drops the oldest socket or all of them. Returns how many were affected. */
    disrupt({ kind, all, afterMs }: PostBody<'sockets'>): number {
      const targets = [...connections].slice(0, all ? connections.size : 1)
      for (const connection of targets) {
        if (kind === 'drop') connection.drop()
        else connection.disconnect(kind, afterMs ?? (kind === 'warning' ? WARNING_DELAY_MS : 0))
      }
      return targets.length
    },

    close(): void {
      for (const connection of connections) connection.drop()
      server.close()
    },
  }
}
