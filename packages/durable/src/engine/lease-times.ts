import { RETRY_TIMES, type RetryTimes } from './failed-work.ts'

export interface WorkTimes extends RetryTimes {
  /**
   * How long a process keeps its work without a sign of life. Then it counts as gone (silent-owners.ts), and another one takes
   * its work over (take-over.ts).
   */
  leaseMs: number
  /** How often this process looks for work that it was not told of. */
  pollMs: number
  /** How often this process says that it lives, and with which key it seals; 5 s unless given: the others count it as gone after 30 s. */
  signMs?: number
}

export const WORK_TIMES: WorkTimes = { leaseMs: 5000, pollMs: 1000, ...RETRY_TIMES }
