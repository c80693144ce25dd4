import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import type { SocketLink } from './link.ts'
import { backOffMs, crowdedMs, isTooMany, lasted, pauseAfter } from './place-pauses.ts'
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

/** Keeps one socket open, and opens a fresh one before the old one stops working, until the signal. Never rejects. */
export async function keepPlace(parts: PlaceParts): Promise<void> {
  const { pool, times, signal, room, index } = parts
  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
  let current: SocketLink | undefined
  let failures = 0
  while (!signal.aborted) {
    if (!room.has(index)) {
      pool.release(current)
      current = undefined
      await room.changed(signal)
      continue
    }
    try {
      const fresh = await pool.open()
      pool.release(current)
      current = fresh
      if (gaveWay(pool, fresh)) await rest(crowdedMs(times))
      else failures = (await lasted(parts, fresh)) ? 0 : failures + 1
      if (failures > 0) await rest(backOffMs(failures, times))
    } catch (error) {
      failures += 1
      // Where Slack allows no more sockets, one's own old one has to go first.
      if (isTooMany(error)) pool.release(current)
      if (!signal.aborted) await rest(pauseAfter(parts, error, failures))
    }
  }
}

/** Others need room for their own: one socket is enough for a process then. */
function gaveWay(pool: Pool, link: SocketLink): boolean {
  const isOneTooMany = link.connections >= AT_MOST && pool.kept > 1
  if (isOneTooMany) pool.release(link)
  return isOneTooMany
}
