import { setTimeout as pause } from 'node:timers/promises'
import { fullJitterMs, type Log, type ObserveCall, rootCause } from '@signalman/runtime'
import { ObservedClient } from '../../client/observed-client.ts'
import { webApiOptions } from '../../client/slack-client.ts'
import { errorCode, retryAfterMs } from '../../client/slack-errors.ts'
import { type LinkDeps, SOCKET_TIMES, type SocketLink, SocketsRefused, type SocketTimes } from './link.ts'
import {
  createForeignSockets,
  createPool,
  createSocketShare,
  explainFix,
  type ForeignSockets,
  isPermanentReason,
  type Pool,
  type SocketShare,
} from './pool.ts'

/** Two sockets, so that one still works if the network silently drops the other. */
const SOCKETS_PER_PROCESS = 2

export type SocketMode = ReturnType<typeof startSocketMode>

interface SocketModeDeps extends Pick<LinkDeps, 'handle' | 'log'> {
  fetchSocketUrl: () => Promise<string>
  /** The number of the app's processes, which share ten sockets. */
  countProcesses: () => Promise<number>
  /** Called when another deployment starts or stops using the same app-level token, with the number of its sockets. */
  onForeignSockets?: ((count: number) => void) | undefined
  times?: Partial<SocketTimes> | undefined
}

/**
 * Keeps two WebSocket connections to Slack open. Before it closes one, it opens another and waits for Slack's hello. It replaces a
 * dropped one immediately, and retries failed attempts with full jitter until Slack returns a permanent error. If more than four
 * processes share the ten sockets that Slack allows an app, each has only one. Disposing of it acknowledges pending requests and
 * closes all sockets.
 */
export function startSocketMode(deps: SocketModeDeps) {
  const { log } = deps
  const times = { ...SOCKET_TIMES, ...deps.times }
  const stopping = new AbortController()
  const { signal } = stopping
  const pool = createPool({ ...deps, times, signal })
  let refusal: string | undefined
  function giveUp(reason: string): void {
    refusal = reason
    log.error({ event: 'socket-mode-refused', reason }, `${explainFix(reason)}.`)
    stopping.abort()
  }
  const foreign = createForeignSockets({ log, recountMs: times.recountMs, onChange: deps.onForeignSockets })
  const share = createSocketShare(deps.countProcesses, log, times.countEveryMs)
  const sockets = Array.from({ length: SOCKETS_PER_PROCESS }, (_, index) =>
    keepSocketOpen({ pool, times, log, signal, giveUp, share, foreign, index }),
  )

  async function close(): Promise<void> {
    share[Symbol.dispose]()
    stopping.abort()
    await Promise.all(sockets)
    await pool.retireAll()
  }

  return {
    /** Throws with the reason unless a socket is open and has recently answered a ping. */
    async check(): Promise<void> {
      if (refusal !== undefined) throw new SocketsRefused(refusal)
      if (!pool.isAnyAlive()) throw new Error('No socket to Slack is open.')
    },
    counts: () => ({ ...pool.counts(), foreign: foreign.count }),
    [Symbol.asyncDispose]: close,
  }
}

/** The limit of sockets per app, over all processes (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const SOCKETS_PER_APP = 10

interface SocketDeps {
  /** 0 for the socket that every process has. The others are closed if the app has too many processes. */
  index: number
  share: SocketShare
  foreign: ForeignSockets
  pool: Pool
  times: SocketTimes
  log: Log
  /** Stops keeping the socket open. */
  signal: AbortSignal
  /** Called when Slack has returned a permanent error. */
  giveUp(reason: string): void
}

/** Keeps one socket open until the signal aborts. Opens a new one before the old one stops working. Never rejects. */
async function keepSocketOpen(deps: SocketDeps): Promise<void> {
  const { pool, times, signal, share, foreign, index } = deps
  const sleep = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
  let current: SocketLink | undefined
  let failures = 0
  while (!signal.aborted) {
    if (!share.allows(index)) {
      pool.release(current)
      current = undefined
      await share.changed(signal)
      continue
    }
    try {
      const fresh = await pool.open()
      foreign.note(fresh.connections, pool.totalCount, share.processes())
      pool.release(current)
      current = fresh
      if (closeIfTooMany(pool, fresh)) await sleep(crowdedPauseMs(times))
      else failures = (await waitUntilEnding(deps, fresh)) ? 0 : failures + 1
      if (failures > 0) await sleep(backOffMs(failures, times))
    } catch (error) {
      failures += 1
      // Slack allows no more sockets, so the old one is closed before a new one is opened.
      if (isTooMany(error)) pool.release(current)
      if (!signal.aborted) await sleep(handleFailure(deps, error, failures))
    }
  }
}

/** Closes the new socket if the app uses all ten and this process has another one. */
function closeIfTooMany(pool: Pool, link: SocketLink): boolean {
  const hasTooManySockets = link.connections >= SOCKETS_PER_APP && pool.currentCount > 1
  if (hasTooManySockets) pool.release(link)
  return hasTooManySockets
}

/**
 * Waits until a link needs to be replaced. False if it didn't last long enough. Throws SocketsRefused if Slack refuses the app.
 */
async function waitUntilEnding(
  { log, times, signal, share, foreign, index }: SocketDeps,
  link: SocketLink,
): Promise<boolean> {
  const raceOver = new AbortController()
  const reason = await Promise.race([
    link.ending,
    waitUntilDisallowed(share, index, AbortSignal.any([signal, raceOver.signal])),
    ...(foreign.needsRecount() ? [waitToRecount(times, raceOver.signal)] : []),
  ])
  raceOver.abort()
  log.debug({ event: 'socket-ending', reason }, 'A socket to Slack is about to end.')
  if (isPermanentReason(reason)) throw new SocketsRefused(reason)
  return performance.now() - link.openedAtMs >= times.shortLifeMs
}

/** Resolves when the socket should be replaced, because only a new one brings a new number from Slack. */
const waitToRecount = (times: SocketTimes, signal: AbortSignal): Promise<string> =>
  pause(times.recountMs, 'recount', { signal, ref: false }).catch(() => 'over')

/** Resolves when this process may no longer have the socket, or when the signal aborts. */
async function waitUntilDisallowed(share: SocketShare, index: number, signal: AbortSignal): Promise<string> {
  while (!signal.aborted && share.allows(index)) await share.changed(signal)
  return 'no longer allowed'
}

/** Returns how long to wait after a failed attempt. Logs the failure, and gives up if Slack's error is permanent. */
function handleFailure({ pool, times, log, giveUp }: SocketDeps, error: unknown, failures: number): number {
  const reason = findPermanentReason(error)
  if (reason !== undefined) giveUp(reason)
  else if (isTooMany(error)) log.debug({ event: 'too-many-sockets' }, 'Slack allows no more sockets.')
  else
    log.warn(
      { because: rootCause(error) },
      `Couldn’t open a socket to Slack (${rootCause(error)}). Signalman will retry.`,
    )
  if (isTooMany(error) && pool.currentCount > 0) return crowdedPauseMs(times)
  return Math.max(retryAfterMs(error) ?? 0, backOffMs(failures, times))
}

const backOffMs = (failures: number, { retryMs }: SocketTimes): number =>
  fullJitterMs(failures, { baseMs: 100, maxMs: retryMs })

/** A random pause of at least half of `crowdedMs`, so that the processes don't all retry at the same time. */
const crowdedPauseMs = (times: SocketTimes): number =>
  times.crowdedMs / 2 + fullJitterMs(1, { baseMs: times.crowdedMs / 2 })

const isTooMany = (error: unknown): boolean =>
  error instanceof SocketsRefused && error.reason === 'too_many_websockets'

const findPermanentReason = (error: unknown): string | undefined =>
  error instanceof SocketsRefused && isPermanentReason(error.reason) ? error.reason : undefined

/** Requests the URL of a WebSocket from Slack. Throws SocketsRefused, or an error of `@slack/web-api` if a retry may help. */
export function createFetchSocketUrl(
  appToken: string,
  apiUrl: string | undefined,
  observe?: ObserveCall | undefined,
): () => Promise<string> {
  const client = new ObservedClient(appToken, observe, webApiOptions(apiUrl))
  const ownHost = apiUrl ? new URL(apiUrl).host : undefined
  return async () => {
    try {
      const { url = '' } = await client.apps.connections.open({})
      const address = URL.parse(url)
      if (address?.protocol === 'wss:' || (address?.protocol === 'ws:' && address.host === ownHost))
        return url
      // The URL is a credential, so it's never part of an error.
      throw new Error('Slack returned an address that isn’t wss://.')
    } catch (error) {
      const code = errorCode(error)
      throw code !== undefined && isPermanentReason(code) ? new SocketsRefused(code) : error
    }
  }
}
