export interface JobTimes {
  /** Progress is shown at most this often. */
  tellMs: number
  /** How long after its beginning a write is certainly over, in any process: longer than any call to the service takes. */
  settleMs: number
  /** For so long a job goes on after a fault, each time from what was written down, before its person is told. */
  faultyMs: number
  /** A person who could not be told how it ended is told after this time, and then at longer and longer intervals. */
  retellMs: number
}

export const JOB_TIMES: JobTimes = { tellMs: 3000, settleMs: 25_000, faultyMs: 120_000, retellMs: 5000 }
