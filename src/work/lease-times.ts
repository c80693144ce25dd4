export interface WorkTimes {
  /**
   * How long a process keeps its work without a sign of life. Then it counts as gone (silent-owners.ts), and another one takes
   * its work over (take-over.ts).
   */
  leaseMs: number
  /** How often this process looks for work that it was not told of. */
  pollMs: number
  /** Failed work is tried again within this time, then within twice this time, and so on. */
  retryMs: number
}

export const WORK_TIMES: WorkTimes = { leaseMs: 5000, pollMs: 1000, retryMs: 2000 }
