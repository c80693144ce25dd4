import type { Work } from '../work/work-row.ts'
import type { WorkEnd } from '../work/work-store.ts'
import type { Lane } from './lanes.ts'
import type { LeasedWork } from './leased-work.ts'

/** A kind of work and how to run it. Any process may run it again at any time, so `run` must detect what is already done. */
export interface WorkKind {
  readonly kind: string
  readonly lane: Lane
  /** Runs the work, or resumes it. If it throws, the work is retried later, with full jitter. */
  run(leased: LeasedWork): Promise<WorkEnd>
  /** Whether this process has room for more work of this kind. By default, the lane decides. */
  hasCapacity?(): boolean
  /** The maximum number of attempts. The default is in work-runner.ts. */
  readonly maxAttempts?: number
  /** Called after the last attempt, before the work is given up. */
  onGiveUp?(work: Work, error: unknown): Promise<void>
  /** True if its body should be deleted when the work is given up. */
  readonly deletesBody?: boolean
}
