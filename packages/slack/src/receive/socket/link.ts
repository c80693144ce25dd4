import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@signalman/runtime'
import { isRecord } from '@signalman/runtime'
import { WebSocket } from 'ws'
import { parseObject, type SlackBody } from '../body.ts'
import { createInFlight } from '../deliveries.ts'

interface LinkTimes {
  /** The time limit from connecting until Slack's hello. */
  helloMs: number
  pingMs: number
  /** After this long without a pong, a socket counts as dead, even if the operating system considers it open. */
  silentMs: number
  /** How long a closing socket may take to acknowledge requests that Slack has already sent. */
  retireMs: number
}

/** A WebSocket connection to Slack. */
export type SocketLink = Awaited<ReturnType<typeof openLink>>

/** Slack refuses a WebSocket. `reason` is Slack's error code, or its reason for a disconnect. */
export class SocketsRefused extends Error {
  override readonly name = 'SocketsRefused'
  readonly reason: string
  constructor(reason: string) {
    super(`Slack refuses Socket Mode: ${reason}.`)
    this.reason = reason
  }
}

/** The same limit as for HTTP. */
const MAX_BYTES = 4 * 1024 * 1024
const CLOSE_LIMIT_MS = 1000

export interface LinkDeps {
  /** Resolves with the content of the acknowledgement. Rejects if Slack should send the request again. */
  handle(envelope: Envelope): Promise<unknown>
  log: Log
  times: LinkTimes
  /** Aborts the wait for Slack's hello. */
  signal: AbortSignal
}

/** Opens a WebSocket and waits for Slack's hello. Throws SocketsRefused and network errors. */
export async function openLink(address: string, deps: LinkDeps) {
  const { handle, log, times, signal } = deps
  const socket = new WebSocket(address, { maxPayload: MAX_BYTES, handshakeTimeout: times.helloMs })
  const hello = Promise.withResolvers<number>()
  const ending = Promise.withResolvers<string>()
  const closed = Promise.withResolvers<void>()
  const unanswered = createInFlight()
  const heartbeat = createHeartbeat(socket, times)

  async function acknowledge(envelope: Envelope): Promise<void> {
    const response = await handle(envelope)
    if (socket.readyState === WebSocket.OPEN) socket.send(formatAcknowledgement(envelope, response))
    else log.warn({ event: 'acknowledgement-lost' }, 'A socket was closed before a request was acknowledged.')
  }

  socket.on('message', (data) => {
    const message = readSocketMessage(String(data))
    if (message?.kind === 'hello') hello.resolve(message.connections)
    if (message?.kind === 'disconnect') {
      hello.reject(new SocketsRefused(message.reason))
      ending.resolve(message.reason)
    }
    // Without an acknowledgement, Slack sends an event again, and shows an error for anything else. A request that arrives while
    // the socket is closing can't be acknowledged anymore, so it isn't started.
    if (message?.kind === 'request' && socket.readyState === WebSocket.OPEN)
      unanswered.add(
        acknowledge(message.envelope).catch((error: unknown) =>
          log.debug({ err: error }, 'A request was not acknowledged.'),
        ),
      )
  })
  socket.on('error', (error) => hello.reject(error))
  socket.on('close', (code) => {
    heartbeat.stop()
    hello.reject(new Error(`The socket was closed with ${code} before Slack said hello.`))
    ending.resolve(`closed with ${code}`)
    closed.resolve()
  })

  const cancel = () => hello.reject(new Error('The app is stopping.'))
  signal.addEventListener('abort', cancel, { once: true })
  const helloTimer = setTimeout(
    () => hello.reject(new Error('Slack did not say hello in time.')),
    times.helloMs,
  )
  try {
    const connections = await hello.promise
    return {
      /** The number of the app's sockets in all processes, including this one, when it opened. */
      connections,
      openedAtMs: performance.now(),
      /** Resolves with the reason when the socket is about to end, because Slack announced it or the socket was closed. */
      ending: ending.promise,
      closed: closed.promise,
      /** Whether the socket is open and had a recent pong. */
      isAlive: (): boolean => socket.readyState === WebSocket.OPEN && heartbeat.isRecent(),
      /** Acknowledges pending requests, then closes. */
      async retire(): Promise<void> {
        await waitForPending(socket, times.retireMs)
        await unanswered.waitUntilIdle(times.retireMs)
        await close(socket, closed.promise)
      },
    }
  } catch (error) {
    socket.terminate()
    throw error
  } finally {
    clearTimeout(helloTimer)
    signal.removeEventListener('abort', cancel)
  }
}

/** Everything that Slack sent before switching to another socket arrives before the pong. */
async function waitForPending(socket: WebSocket, limitMs: number): Promise<void> {
  if (socket.readyState !== WebSocket.OPEN) return
  const pingData = 'the last'
  const answered = new Promise<void>((resolve) => {
    socket.on('pong', (data) => String(data) === pingData && resolve())
    socket.on('close', () => resolve())
  })
  socket.ping(pingData)
  await Promise.race([answered, pause(limitMs, undefined, { ref: false })])
}

/** Closes the socket, and waits only briefly for the other side to close it, too. */
async function close(socket: WebSocket, closed: Promise<void>): Promise<void> {
  socket.close(1000)
  await Promise.race([closed, pause(CLOSE_LIMIT_MS, undefined, { ref: false })])
  socket.terminate()
  await closed
}

/**
 * Pings regularly once the socket is open, and ends a socket that doesn't answer. After a pause of the process, old pongs and
 * newly arrived ones are seen at the same moment, so it pings once more before it ends the socket.
 */
function createHeartbeat(socket: WebSocket, { pingMs, silentMs }: LinkTimes) {
  let pongAtMs = performance.now()
  let isSuspect = false
  let timer: NodeJS.Timeout | undefined
  const isRecent = () => performance.now() - pongAtMs < silentMs
  function checkPong(): void {
    if (!isRecent() && isSuspect) socket.terminate()
    isSuspect = !isRecent()
    if (socket.readyState === WebSocket.OPEN) socket.ping()
  }
  socket.on('open', () => {
    pongAtMs = performance.now()
    timer = setInterval(checkPong, pingMs)
    timer.unref()
  })
  socket.on('pong', () => {
    pongAtMs = performance.now()
  })
  return { isRecent, stop: () => clearInterval(timer) }
}

/** A message from Slack over a WebSocket (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
type SocketMessage =
  | { kind: 'hello'; connections: number }
  | { kind: 'disconnect'; reason: string }
  | { kind: 'request'; envelope: Envelope }

/** A request from Slack, as over HTTP, and how to acknowledge it. */
interface Envelope {
  id: string
  body: SlackBody
  retry: number
  /** True if the acknowledgement may have content, such as errors of a form or options of a menu. */
  acceptsResponse: boolean
}

const REQUEST_TYPES: readonly unknown[] = ['slash_commands', 'interactive', 'events_api']

/** Undefined for any other message, because newer types are ignored. */
function readSocketMessage(text: string): SocketMessage | undefined {
  const message = parseObject(text)
  if (!message) return undefined
  if (message.type === 'hello') return { kind: 'hello', connections: Number(message.num_connections) || 1 }
  if (message.type === 'disconnect')
    return { kind: 'disconnect', reason: String(message.reason ?? 'unknown') }
  const { envelope_id: id, payload } = message
  if (!REQUEST_TYPES.includes(message.type) || typeof id !== 'string' || !isRecord(payload)) return undefined
  const envelope = {
    id,
    body: payload,
    retry: Number(message.retry_attempt) || 0,
    acceptsResponse: message.accepts_response_payload === true,
  }
  return { kind: 'request', envelope }
}

/** The acknowledgement of a request, with the listener's response if Slack accepts one. */
function formatAcknowledgement({ id, acceptsResponse }: Envelope, response: unknown): string {
  const payload = typeof response === 'string' ? { text: response } : response
  const hasPayload = acceptsResponse && response !== '' && response !== undefined
  return JSON.stringify({ envelope_id: id, ...(hasPayload && { payload }) })
}

export interface SocketTimes extends LinkTimes {
  /** A socket with a shorter life counts as a failed attempt, so the next one waits a little. */
  shortLifeMs: number
  /** The longest pause between two attempts. */
  retryMs: number
  /** How long a process keeps only one socket after it closed the other to make room. */
  crowdedMs: number
  /** How often a process counts the app's processes. */
  countEveryMs: number
  /** When a socket is replaced to ask Slack again how many the app has, after a number that nobody can explain. */
  recountMs: number
}

export const SOCKET_TIMES: SocketTimes = {
  helloMs: 10_000,
  pingMs: 10_000,
  silentMs: 30_000,
  retireMs: 3000,
  shortLifeMs: 1000,
  retryMs: 5000,
  crowdedMs: 300_000,
  countEveryMs: 10_000,
  recountMs: 60_000,
}
