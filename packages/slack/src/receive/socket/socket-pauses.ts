import { fullJitterMs } from '@signalman/runtime'
import { retryAfterMs } from '../../client/retry-after.ts'
import type { SocketParts } from './keep-socket-open.ts'
import { LinkRefused, type SocketLink } from './link.ts'
import type { SocketShare } from './socket-share.ts'
import { isFinalReason, SocketsRefused } from './sockets-refused.ts'
import type { SocketTimes } from './times.ts'

/** Waits until a link needs to be replaced. False when it lived too short. Throws SocketsRefused when Slack refuses the app. */
export async function lasted(
  { log, times, signal, share, index }: SocketParts,
  link: SocketLink,
): Promise<boolean> {
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
export function pauseAfter(
  { pool, times, log, giveUp }: SocketParts,
  error: unknown,
  failures: number,
): number {
  const reason = finalReasonOf(error)
  if (reason !== undefined) giveUp(reason)
  else if (isTooMany(error)) log.debug({ event: 'too-many-sockets' }, 'Slack allows no more sockets.')
  else log.warn({ err: error }, 'A socket to Slack could not be opened; it is tried again.')
  if (isTooMany(error) && pool.kept > 0) return crowdedMs(times)
  return Math.max(retryAfterMs(error) ?? 0, backOffMs(failures, times))
}

export const backOffMs = (failures: number, { retryMs }: SocketTimes): number =>
  fullJitterMs(failures, { baseMs: 100, mostMs: retryMs })

/** Random, so that processes do not all come back at once; at least half of `crowdedMs`. */
export const crowdedMs = (times: SocketTimes): number =>
  times.crowdedMs / 2 + fullJitterMs(1, { baseMs: times.crowdedMs / 2 })

export const isTooMany = (error: unknown): boolean =>
  error instanceof LinkRefused && error.reason === 'too_many_websockets'

function finalReasonOf(error: unknown): string | undefined {
  if (error instanceof SocketsRefused) return error.reason
  return error instanceof LinkRefused && isFinalReason(error.reason) ? error.reason : undefined
}
