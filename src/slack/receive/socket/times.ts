import type { LinkTimes } from './link.ts'

export interface SocketTimes extends LinkTimes {
  /** A socket that lasts less than this counts as one that could not be opened: the next one waits a little. */
  shortLifeMs: number
  /** The most between two attempts. */
  retryMs: number
  /** How long a process that has given way to others leaves it at one socket. */
  crowdedMs: number
  /** How often a process asks how many of them there are. */
  lookEveryMs: number
}

export const SOCKET_TIMES: SocketTimes = {
  helloMs: 10_000,
  pingMs: 10_000,
  silentMs: 30_000,
  retireMs: 3000,
  shortLifeMs: 1000,
  retryMs: 5000,
  crowdedMs: 300_000,
  lookEveryMs: 10_000,
}
