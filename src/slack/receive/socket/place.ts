import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import { fullJitterMs } from '../../../work/backoff.ts'
import { askedPauseMs, isFinalReason, SocketsRefused } from './address.ts'
import { LinkRefused, type SocketLink } from './link.ts'
import type { Pool } from './pool.ts'
import type { Room } from './room.ts'
import type { SocketTimes } from './times.ts'

/** Sockets of one app, over all processes (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const AT_MOST = 10

export interface PlaceParts {
  /** 0 for a socket that every process has; those behind it are given up where there is no room. */
  index: number
  room: Room
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
  const { pool, times, signal, room, index } = parts
  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
  let current: SocketLink | undefined
  let failures = 0
  while (!signal.aborted) {
    if (!room.has(index)) {
      pool.letGo(current)
      current = undefined
      await room.changed(signal)
      continue
    }
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
async function lasted({ log, times, signal, room, index }: PlaceParts, link: SocketLink): Promise<boolean> {
  const given = new AbortController()
  const reason = await Promise.race([
    link.ending,
    unwanted(room, index, AbortSignal.any([signal, given.signal])),
  ])
  given.abort()
  log.debug({ event: 'socket-ending', reason }, 'A socket to Slack is about to end.')
  if (isFinalReason(reason)) throw new SocketsRefused(reason)
  return performance.now() - link.openedAtMs >= times.shortLifeMs
}

/** Resolves when there is no room for the place any more, or at the signal. */
async function unwanted(room: Room, index: number, signal: AbortSignal): Promise<string> {
  while (!signal.aborted && room.has(index)) await room.changed(signal)
  return 'not wanted any more'
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
