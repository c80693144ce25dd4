import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import { fullJitterMs } from '../../../work/backoff.ts'
import { askedPauseMs, isFinalReason, SocketsRefused } from './address.ts'
import { LinkRefused, type SocketLink } from './link.ts'
import type { Pool } from './pool.ts'
import type { SocketTimes } from './times.ts'

/** Sockets of one app, over all processes (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const AT_MOST = 10

export interface PlaceParts {
  pool: Pool
  times: SocketTimes
  log: Log
  /** Ends it. */
  signal: AbortSignal
  /** Slack has said that no repetition helps. */
  giveUp(reason: string): void
}

/** Keeps one socket open, and always a fresh one before it is of no more use, until the signal. Never rejects. */
export async function keepPlace(parts: PlaceParts): Promise<void> {
  const { pool, times, signal } = parts
  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
  let current: SocketLink | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      const fresh = await pool.open()
      pool.letGo(current)
      current = fresh
      if (gaveWay(pool, fresh)) await rest(crowdedMs(times))
      else failures = (await lasted(parts, fresh)) ? 0 : failures + 1
      if (failures > 0) await rest(backOffMs(failures, times))
    } catch (error) {
      failures += 1
      // Where Slack allows no more sockets, one's own old one has to go first.
      if (isTooMany(error)) pool.letGo(current)
      if (!signal.aborted) await rest(pauseAfter(parts, error, failures))
    }
  }
}

/** Others need room for their own: one socket is enough for a process then. */
function gaveWay(pool: Pool, link: SocketLink): boolean {
  const isOneTooMany = link.connections >= AT_MOST && pool.kept > 1
  if (isOneTooMany) pool.letGo(link)
  return isOneTooMany
}

/** Waits until a link needs to be replaced. False when it did not last. Throws SocketsRefused where Slack says so. */
async function lasted({ log, times, signal }: PlaceParts, link: SocketLink): Promise<boolean> {
  const over = Promise.withResolvers<string>()
  const stop = () => over.resolve('stopping')
  signal.addEventListener('abort', stop, { once: true })
  const reason = await Promise.race([link.ending, over.promise])
  signal.removeEventListener('abort', stop)
  log.debug({ event: 'socket-ending', reason }, 'A socket to Slack is about to end.')
  if (isFinalReason(reason)) throw new SocketsRefused(reason)
  return performance.now() - link.openedAtMs >= times.shortLifeMs
}

function pauseAfter({ pool, times, log, giveUp }: PlaceParts, error: unknown, failures: number): number {
  const reason = finalReasonOf(error)
  if (reason !== undefined) giveUp(reason)
  else if (isTooMany(error)) log.debug({ event: 'too-many-sockets' }, 'Slack allows no more sockets.')
  else log.warn({ err: error }, 'A socket to Slack could not be opened; it is tried again.')
  if (isTooMany(error) && pool.kept > 0) return crowdedMs(times)
  return Math.max(askedPauseMs(error), backOffMs(failures, times))
}

const backOffMs = (failures: number, { retryMs }: SocketTimes): number =>
  fullJitterMs(failures, { baseMs: 100, mostMs: retryMs })

/** At least half of it, so that processes do not all come back at once. */
const crowdedMs = (times: SocketTimes): number =>
  times.crowdedMs / 2 + fullJitterMs(1, { baseMs: times.crowdedMs / 2 })

const isTooMany = (error: unknown): boolean =>
  error instanceof LinkRefused && error.reason === 'too_many_websockets'

function finalReasonOf(error: unknown): string | undefined {
  if (error instanceof SocketsRefused) return error.reason
  return error instanceof LinkRefused && isFinalReason(error.reason) ? error.reason : undefined
}
