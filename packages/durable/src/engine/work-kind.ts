import type { WorkEnd } from '../work/leases.ts'
import type { Work } from '../work/work-row.ts'
import type { HeldWork } from './held-work.ts'
import type { Lane } from './lanes.ts'

/** A kind of work and how to run it. Any process may run it again at any time, so `run` must detect what is already done. */
export interface WorkKind {
  readonly kind: string
  readonly lane: Lane
  /** Runs the work, or resumes it. If it throws, the work is retried later, with full jitter. */
  run(held: HeldWork): Promise<WorkEnd>
  /** Whether this process has room for more work of this kind. By default, the lane decides. */
  hasRoom?(): boolean
  /**
   * True for long-running work that processes share evenly, to within one piece. A process with more is asked for some of it
   * (`HeldWork.wantsStop`), and gives that back when convenient.
   */
  readonly isShared?: boolean
  /** The maximum number of attempts. The default is in failed-work.ts. */
  readonly mostAttempts?: number
  /** Called after the last attempt, before the work is given up. */
  gaveUp?(work: Work, error: unknown): Promise<void>
  /** True if its body is useless once it's given up, so that the body is deleted. */
  readonly isEmptied?: boolean
}
