import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createSocketAgent,
  fullJitterMs,
  isRecord,
  type Log,
  type ObserveCall,
  pause,
  rootCause,
} from '@signalman/runtime'
import { WebSocket } from 'ws'
import { ObservedClient } from '../client/observed-client.ts'
import { webApiOptions } from '../client/slack-client.ts'
import { retryAfterMs, slackErrorCode } from '../client/slack-errors.ts'
import { MAX_BODY_BYTES, parseObject, type SlackBody } from './body.ts'
import { createInFlight } from './deliveries.ts'

/** Two sockets, so that one still works if the network silently drops the other. */
const SOCKETS = 2
/** A socket that hasn't answered this many pings in a row is dead, even if the operating system considers it open. */
const MAX_MISSED_PINGS = 3
const CLOSE_LIMIT_MS = 1000
const TOO_MANY = 'too_many_websockets'
const TOO_MANY_FIX =
  'Slack allows an app ten sockets, in all its processes together: run at most four with Socket Mode, and give other deployments their own Slack app. Signalman will retry'

export type SocketTimes = typeof TIMES

const TIMES = {
  /** The time limit from connecting until Slack's hello. */
  helloMs: 10_000,
  pingMs: 10_000,
  /** How long a closing socket may take to acknowledge requests that Slack has already sent. */
  retireMs: 3000,
  /** A socket with a shorter life counts as a failed attempt, so the next one waits a little. */
  shortLifeMs: 1000,
  /** The longest pause between two attempts. */
  retryMs: 5000,
  /** The pause if Slack allows no more sockets while this process has one. */
  crowdedMs: 60_000,
  /** The pause if only the operator can help. */
  refusedMs: 60_000,
}

/**
 * What to do about an error of `apps.connections.open`, or a reason of a disconnect, that takes the operator. It can still end without a
 * restart: the setting may be changed back, and `invalid_auth` is also Slack's answer to an address that isn't allowed.
 */
const NEW_TOKEN =
  'SLACK_APP_TOKEN doesn’t work. Generate a new one (Basic Information → App-Level Tokens, with connections:write), and restart the app'
const IS_OFF = 'Socket Mode is off in the settings of the Slack app. Turn it on'
const FIXES: ReadonlyMap<string, string> = new Map([
  ['link_disabled', IS_OFF],
  ['socket_mode_disabled', IS_OFF],
  ['missing_scope', 'SLACK_APP_TOKEN lacks connections:write. Generate a new one, and restart the app'],
  ...[
    'account_inactive',
    'invalid_auth',
    'no_permission',
    'not_allowed_token_type',
    'not_authed',
    'team_disabled',
    'token_expired',
    'token_revoked',
    'user_removed_from_team',
  ].map((reason) => [reason, NEW_TOKEN] as const),
])

/** Slack refuses a WebSocket. `reason` is Slack's error code, or its reason for a disconnect. */
export class SocketsRefused extends Error {
  override readonly name = 'SocketsRefused'
  readonly reason: string
  constructor(reason: string) {
    super(`Slack refuses Socket Mode: ${reason}.`)
    this.reason = reason
  }
  /** What the operator has to do. Undefined if it may be temporary. */
  get fix(): string | undefined {
    return FIXES.get(this.reason)
  }
}

interface SocketDeps {
  /** Handles a request, whose body is as over HTTP. Resolves with the content of the acknowledgement. Rejects if Slack should send it again. */
  handle(body: SlackBody): Promise<unknown>
  log: Log
}

export type SocketMode = ReturnType<typeof startSocketMode>
type Socket = ReturnType<typeof createSocket>

/** A random time from half of this one. */
const spread = (ms: number): number => ms / 2 + fullJitterMs(1, { baseMs: ms / 2 })

/**
 * Keeps two WebSocket connections to Slack open (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). Before it
 * closes one, it opens another and waits for Slack's hello. It replaces a dropped one immediately, and retries failed attempts with
 * full jitter, once a minute if only the operator can help. Disposing of it acknowledges pending requests and closes all sockets.
 */
export function startSocketMode(
  deps: SocketDeps & { fetchSocketUrl: () => Promise<string>; times?: Partial<SocketTimes> | undefined },
) {
  const { log, fetchSocketUrl } = deps
  const times = { ...TIMES, ...deps.times }
  const stopping = new AbortController()
  const { signal } = stopping
  const aborted = once(signal, 'abort').then(() => 'stopping')
  /** All sockets over which Slack may send something, including those that are being replaced. */
  const sockets = new Set<Socket>()
  /** `elsewhere` is how many sockets of the app Slack counted in other processes when the last one opened here. */
  const counts = { opened: 0, gaps: 0, elsewhere: 0 }
  /** Why the last attempt failed. Logged once, until a socket opens or the reason changes. */
  let problem: string | undefined
  const countAlive = (): number => [...sockets].filter((socket) => socket.isAlive()).length

  async function open(): Promise<Socket> {
    const address = await Promise.race([fetchSocketUrl(), aborted])
    signal.throwIfAborted()
    const socket = createSocket(address, { ...deps, times })
    const noHello = wait(times.helloMs, 'no hello', { ref: false })
    const connections = await Promise.race([socket.hello, socket.ending, noHello, aborted])
    if (typeof connections === 'string') {
      socket.terminate()
      throw new SocketsRefused(connections)
    }
    counts.opened += 1
    problem = undefined
    if (sockets.size === 0) log.info({ event: 'slack-connected' }, 'Socket Mode is connected.')
    sockets.add(socket)
    counts.elsewhere = Math.max(0, connections - sockets.size)
    void socket.closed.then(() => {
      sockets.delete(socket)
      if (sockets.size === 0 && !signal.aborted) counts.gaps += 1
    })
    return socket
  }

  /** Opens a socket in place of the last one, and resolves with whether it lasted when Slack is about to end it. */
  async function replaceSocket(slot: { socket?: Socket }): Promise<boolean> {
    const next = await open()
    const openedAtMs = performance.now()
    void slot.socket?.retire()
    slot.socket = next
    const reason = await Promise.race([next.ending, aborted])
    log.debug({ event: 'socket-ending', reason }, 'A socket to Slack is about to end.')
    if (FIXES.has(reason)) throw new SocketsRefused(reason)
    return performance.now() - openedAtMs >= times.shortLifeMs
  }

  /** Keeps one socket open. Never rejects. */
  async function keepOpen(): Promise<void> {
    const slot: { socket?: Socket } = {}
    for (let failures = 0; !signal.aborted; ) {
      let delayMs = 0
      try {
        failures = (await replaceSocket(slot)) ? 0 : failures + 1
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        delayMs = handleFailure(error, slot.socket)
      }
      const backOffMs = fullJitterMs(failures, { baseMs: 100, maxMs: times.retryMs })
      if (failures > 0) await pause(Math.max(delayMs, backOffMs), signal)
    }
  }

  function report(because: string, fix: string | undefined): void {
    if (problem === because) return
    problem = because
    if (fix !== undefined) log.error({ event: 'socket-mode-refused', reason: because }, `${fix}.`)
    else {
      const next = because === TOO_MANY ? TOO_MANY_FIX : 'Signalman will retry'
      log.warn({ because }, `Couldn’t open a socket to Slack (${because}). ${next}.`)
    }
  }

  /** Returns how long to wait at least. */
  function handleFailure(error: unknown, current: Socket | undefined): number {
    const { reason, fix } = error instanceof SocketsRefused ? error : { reason: rootCause(error) }
    report(reason, fix)
    if (fix !== undefined) return spread(times.refusedMs)
    if (reason !== TOO_MANY) return retryAfterMs(error) ?? 0
    // The app has ten sockets, in all processes together. The old one makes room for the next, unless it's the only one here.
    const others = countAlive() - Number(current?.isAlive() ?? false)
    if (others === 0) return 0
    if (current?.isAlive()) {
      void current.retire()
      return 0
    }
    return spread(times.crowdedMs)
  }

  const loops = Array.from({ length: SOCKETS }, keepOpen)
  return {
    /** Throws with the reason unless a socket is open and has recently answered a ping. */
    async check(): Promise<void> {
      if (countAlive() === 0)
        throw new Error(`No socket to Slack is open${problem === undefined ? '' : ` (${problem})`}.`)
    },
    /** The sockets over which Slack can reach the app now, those opened so far, and how often there was none. */
    counts: () => ({ open: countAlive(), ...counts }),
    async [Symbol.asyncDispose](): Promise<void> {
      stopping.abort()
      await Promise.all(loops)
      await Promise.all([...sockets].map((socket) => socket.retire()))
    },
  }
}

const connect = (address: string, handshakeTimeout: number): WebSocket =>
  new WebSocket(address, {
    maxPayload: MAX_BODY_BYTES,
    handshakeTimeout,
    ...(address.startsWith('wss:') && { agent: createSocketAgent() }),
  })

/** Opens a WebSocket as the app does, and closes it at once, because Slack could send a request over it. Rejects if it doesn't open. */
export async function tryToOpen(address: string): Promise<void> {
  const socket = connect(address, TIMES.helloMs)
  try {
    await once(socket, 'open')
  } finally {
    socket.on('error', () => undefined).terminate()
  }
}

/** A WebSocket to Slack that acknowledges each request with what `handle` returns. */
function createSocket(address: string, { handle, log, times }: SocketDeps & { times: SocketTimes }) {
  const socket = connect(address, times.helloMs)
  const hello = Promise.withResolvers<number>()
  const ending = Promise.withResolvers<string>()
  const closed = Promise.withResolvers<void>()
  const unanswered = createInFlight()
  let missedPings = 0
  let isRetiring = false
  const timer = setInterval(() => {
    if (missedPings >= MAX_MISSED_PINGS) socket.terminate()
    if (socket.readyState !== WebSocket.OPEN) return
    missedPings += 1
    socket.ping()
  }, times.pingMs)
  timer.unref()

  async function acknowledge(message: SlackBody, body: SlackBody): Promise<void> {
    const answer = await handle(body)
    const payload = typeof answer === 'string' ? { text: answer } : answer
    const hasPayload = message.accepts_response_payload === true && answer !== '' && answer !== undefined
    if (socket.readyState !== WebSocket.OPEN) throw new Error('The socket was closed.')
    socket.send(JSON.stringify({ envelope_id: message.envelope_id, ...(hasPayload && { payload }) }))
  }

  socket.on('message', (data) => {
    const message = parseObject(String(data)) ?? {}
    const { type, payload } = message
    if (type === 'hello') hello.resolve(Number(message.num_connections) || 0)
    else if (type === 'disconnect') ending.resolve(String(message.reason ?? 'unknown'))
    // Without an acknowledgement, Slack sends an event again, and shows an error for anything else. A request that arrives while
    // the socket is closing can't be acknowledged anymore, so it isn't started.
    else if (isRecord(payload) && 'envelope_id' in message && socket.readyState === WebSocket.OPEN)
      unanswered.add(
        acknowledge(message, payload).catch((error: unknown) =>
          log.warn({ because: rootCause(error) }, 'A request over a socket was not acknowledged.'),
        ),
      )
  })
  socket.on('pong', () => {
    missedPings = 0
  })
  socket.on('error', (error) => ending.resolve(rootCause(error)))
  socket.on('close', (code) => {
    clearInterval(timer)
    ending.resolve(`closed with ${code}`)
    closed.resolve()
  })

  /** Everything that Slack sent before it switched to another socket arrives before the pong. */
  async function receiveRest(): Promise<void> {
    const last = Promise.withResolvers<void>()
    socket.on('pong', (data) => String(data) === 'last' && last.resolve())
    if (socket.readyState === WebSocket.OPEN) socket.ping('last')
    await Promise.race([last.promise, closed.promise, wait(times.retireMs, undefined, { ref: false })])
  }

  return {
    /** Resolves with the number of sockets of the app in all processes, including this one. */
    hello: hello.promise,
    /** Resolves with the reason when the socket is about to end, because Slack announced it or the socket was closed. */
    ending: ending.promise,
    closed: closed.promise,
    isAlive: (): boolean =>
      socket.readyState === WebSocket.OPEN && missedPings < MAX_MISSED_PINGS && !isRetiring,
    terminate: (): void => socket.terminate(),
    /** Acknowledges pending requests, then closes. */
    async retire(): Promise<void> {
      isRetiring = true
      await receiveRest()
      await unanswered.waitUntilIdle(times.retireMs)
      socket.close(1000)
      await Promise.race([closed.promise, wait(CLOSE_LIMIT_MS, undefined, { ref: false })])
      socket.terminate()
      await closed.promise
    },
  }
}

/** Requests the URL of a WebSocket from Slack. Throws SocketsRefused, or an error of `@slack/web-api` if a retry may help. */
export function createFetchSocketUrl(
  appToken: string,
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
): () => Promise<string> {
  const client = new ObservedClient(appToken, observe, webApiOptions(apiUrl))
  const ownHost = apiUrl ? new URL(apiUrl).host : undefined
  return async () => {
    const { url = '' } = await client.apps.connections.open({}).catch((error: unknown) => {
      const refused = new SocketsRefused(slackErrorCode(error) ?? '')
      throw refused.fix === undefined ? error : refused
    })
    const address = URL.parse(url)
    if (address?.protocol === 'wss:' || (address?.protocol === 'ws:' && address.host === ownHost)) return url
    // The URL is a credential, so it's never part of an error.
    throw new Error('Slack returned an address that isn’t wss://.')
  }
}
