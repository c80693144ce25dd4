import type { LinkTimes } from './link.ts'

export interface SocketTimes extends LinkTimes {
  /** A socket that lives shorter than this counts as a failed attempt: the next one waits a little. */
  shortLifeMs: number
  /** The longest pause between two attempts. */
  retryMs: number
  /** How long a process that closed a socket for others keeps only one. */
  crowdedMs: number
  /** How often a process asks how many processes there are. */
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
