import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '@signalman/runtime'
import type { SocketLink } from './link.ts'
import type { Pool } from './pool.ts'
import { backOffMs, crowdedMs, isTooMany, lasted, pauseAfter } from './socket-pauses.ts'
import type { SocketShare } from './socket-share.ts'
import type { SocketTimes } from './times.ts'

/** Sockets of one app, over all processes (https://docs.slack.dev/apis/events-api/using-socket-mode, November 2026). */
const SOCKETS_PER_APP = 10

export interface SocketParts {
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
