import { setTimeout as pause } from 'node:timers/promises'
import { fullJitterMs, type Log, rootOf } from '@signalman/runtime'
import { retryAfterMs } from '../../client/slack-answer.ts'
import { LinkRefused, type SocketLink, type SocketTimes } from './link.ts'
import { isFinalReason, type Pool, type SocketShare, SocketsRefused } from './pool.ts'

/** Sockets of one app, over all processes (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const SOCKETS_PER_APP = 10

interface SocketParts {
  /** 0 for the socket that every process has; the others are closed when the app has too many processes. */
  index: number
  share: SocketShare
  pool: Pool
  times: SocketTimes
  log: Log
  /** Ends the keeping. */
  signal: AbortSignal
  /** Called when Slack has said that asking again is no use. */
  giveUp(reason: string): void
}

/** Keeps one socket open until the signal: opens a fresh one before the old one stops working. Never rejects. */
export async function keepSocketOpen(parts: SocketParts): Promise<void> {
  const { pool, times, signal, share, index } = parts
  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
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
      pool.release(current)
      current = fresh
      if (closedForOthers(pool, fresh)) await rest(crowdedMs(times))
      else failures = (await lasted(parts, fresh)) ? 0 : failures + 1
      if (failures > 0) await rest(backOffMs(failures, times))
    } catch (error) {
      failures += 1
      // Slack allows no more sockets: the old one is closed before a fresh one is opened.
      if (isTooMany(error)) pool.release(current)
      if (!signal.aborted) await rest(pauseAfter(parts, error, failures))
    }
  }
}

/** Closes the fresh socket when the app has all of its ten: one is enough for a process then. */
function closedForOthers(pool: Pool, link: SocketLink): boolean {
  const isOneTooMany = link.connections >= SOCKETS_PER_APP && pool.kept > 1
  if (isOneTooMany) pool.release(link)
  return isOneTooMany
}

/** Waits until a link needs to be replaced. False when it lived too short. Throws SocketsRefused when Slack refuses the app. */
async function lasted({ log, times, signal, share, index }: SocketParts, link: SocketLink): Promise<boolean> {
  const given = new AbortController()
  const reason = await Promise.race([
    link.ending,
    unwanted(share, index, AbortSignal.any([signal, given.signal])),
  ])
  given.abort()
  log.debug({ event: 'socket-ending', reason }, 'A socket to Slack is about to end.')
  if (isFinalReason(reason)) throw new SocketsRefused(reason)
  return performance.now() - link.openedAtMs >= times.shortLifeMs
}

/** Resolves when this process may not keep the socket any more, or at the signal. */
async function unwanted(share: SocketShare, index: number, signal: AbortSignal): Promise<string> {
  while (!signal.aborted && share.allows(index)) await share.changed(signal)
  return 'not wanted any more'
}

/** How long to wait after a failed attempt; logs it, and gives up when Slack's reason is final. */
function pauseAfter({ pool, times, log, giveUp }: SocketParts, error: unknown, failures: number): number {
  const reason = finalReasonOf(error)
  if (reason !== undefined) giveUp(reason)
  else if (isTooMany(error)) log.debug({ event: 'too-many-sockets' }, 'Slack allows no more sockets.')
  else
    log.warn(
      { because: rootOf(error) },
      `No socket to Slack could be opened (${rootOf(error)}); it is tried again.`,
    )
  if (isTooMany(error) && pool.kept > 0) return crowdedMs(times)
  return Math.max(retryAfterMs(error) ?? 0, backOffMs(failures, times))
}

const backOffMs = (failures: number, { retryMs }: SocketTimes): number =>
  fullJitterMs(failures, { baseMs: 100, mostMs: retryMs })

/** Random, so that processes do not all come back at once; at least half of `crowdedMs`. */
const crowdedMs = (times: SocketTimes): number =>
  times.crowdedMs / 2 + fullJitterMs(1, { baseMs: times.crowdedMs / 2 })

const isTooMany = (error: unknown): boolean =>
  error instanceof LinkRefused && error.reason === 'too_many_websockets'

function finalReasonOf(error: unknown): string | undefined {
  if (error instanceof SocketsRefused) return error.reason
  return error instanceof LinkRefused && isFinalReason(error.reason) ? error.reason : undefined
}
