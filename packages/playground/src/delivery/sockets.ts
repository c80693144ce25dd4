import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { LOOPBACK } from '../guard.ts'
import { createSecret } from '../ids.ts'
import { APP_ID } from '../people.ts'
import type { Post } from '../protocol.ts'
import { type Answer, failed } from './http.ts'
import { createLink, type Enveloped, HOST, type Link } from './link.ts'

export type { Enveloped } from './link.ts'

/** Sockets of one app (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const AT_MOST = 10
/** How long Slack says that a connection lasts, in seconds. */
const LIFE_SECONDS = 18_060
const TICKET_LIFE_MS = 30_000
/** From the warning to the end of the connection. */
const WARNING_MS = 10_000

/** Some clients, such as Java's, offer HTTP/2 with every request. A request that doesn't offer WebSocket is answered as usual. */
export const wantsSocket = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket'

export type Sockets = ReturnType<typeof createSockets>

/** The tickets in the addresses from `apps.connections.open`: each works once, for 30 s. */
function createInvitations(now: () => Date) {
  const tickets = new Map<string, number>()
  return {
    issue(): string {
      const ticket = createSecret()
      tickets.set(ticket, now().getTime())
      return `/link/?ticket=${ticket}&app_id=${APP_ID}`
    },
    spend({ url = '/', headers }: IncomingMessage): boolean {
      const { pathname, searchParams } = new URL(url, 'http://playground')
      const ticket = searchParams.get('ticket') ?? ''
      const bornMs = tickets.get(ticket)
      tickets.delete(ticket)
      const isFresh = bornMs !== undefined && now().getTime() - bornMs <= TICKET_LIFE_MS
      return LOOPBACK.test(headers.host ?? '') && pathname === '/link/' && isFresh
    },
  }
}

/** The app's WebSockets: each envelope goes to one of them, in turn. */
export function createSockets(ackTimeoutMs: number, now: () => Date) {
  const server = new WebSocketServer({ noServer: true })
  const links = new Set<Link>()
  const invitations = createInvitations(now)
  let turn = 0

  function welcome(socket: WebSocket): void {
    const isOneTooMany = links.size >= AT_MOST
    const link = createLink(socket, () => links.delete(link))
    if (isOneTooMany) link.dismiss('too_many_websockets', 0)
    else {
      links.add(link)
      const started = now().toISOString()
      link.say({
        type: 'hello',
        num_connections: links.size,
        connection_info: { app_id: APP_ID },
        debug_info: { host: HOST, started, build_number: 1, approximate_connection_time: LIFE_SECONDS },
      })
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (invitations.spend(request)) server.handleUpgrade(request, socket, head, welcome)
    else
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n', () =>
        socket.destroy(),
      )
  }

  /** The next one in turn, preferring those that aren't about to end. */
  function next(): Link | undefined {
    const open = [...links].filter((link) => link.isOpen())
    const staying = open.filter((link) => !link.isLeaving())
    const choice = staying.length > 0 ? staying : open
    turn += 1
    return choice[turn % choice.length]
  }

  return {
    attach: (http: Server): void => void http.on('upgrade', upgrade),
    count: (): number => links.size,
    issuePath: (): string => invitations.issue(),

    /** Sends one envelope and waits for its acknowledgement; never rejects. */
    post(given: Enveloped): Promise<Answer> {
      const link = next()
      return link
        ? link.post(given, ackTimeoutMs)
        : Promise.resolve(failed('connection', 'the app has no socket open'))
    },

    /** Does to the oldest socket, or to all of them, what Slack does from time to time; returns how many. */
    trouble({ kind, all, afterMs }: Post<'sockets'>): number {
      const chosen = [...links].slice(0, all ? links.size : 1)
      for (const link of chosen) {
        if (kind === 'drop') link.drop()
        else link.dismiss(kind, afterMs ?? (kind === 'warning' ? WARNING_MS : 0))
      }
      return chosen.length
    },

    close(): void {
      for (const link of links) link.drop()
      server.close()
    },
  }
}
