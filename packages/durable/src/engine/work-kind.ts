import type { WorkEnd } from '../work/leases.ts'
import type { Work } from '../work/work-row.ts'
import type { LeasedWork } from './held-work.ts'
import type { Lane } from './lanes.ts'

/** A kind of work and how to run it. Any process may run it again at any time, so `run` must detect what is already done. */
export interface WorkKind {
  readonly kind: string
  readonly lane: Lane
  /** Runs the work, or resumes it. If it throws, the work is retried later, with full jitter. */
  run(held: LeasedWork): Promise<WorkEnd>
  /** Whether this process has room for more work of this kind. By default, the lane decides. */
  hasCapacity?(): boolean
  /**
   * True for long-running work that processes share evenly, to within one piece. A process with more is asked for some of it
   * (`LeasedWork.wantsStop`), and gives that back when convenient.
   */
  readonly isShared?: boolean
  /** The maximum number of attempts. The default is in failed-work.ts. */
  readonly maxAttempts?: number
  /** Called after the last attempt, before the work is given up. */
  onGiveUp?(work: Work, error: unknown): Promise<void>
  /** True if its body is useless once it's given up, so that the body is deleted. */
  readonly deletesBody?: boolean
}
