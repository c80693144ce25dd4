import type { WorkEnd } from '../work/leases.ts'
import type { Work } from '../work/work-row.ts'
import type { HeldWork } from './held-work.ts'
import type { Lane } from './lanes.ts'

/** One kind of work and how it is done. Any process may run it again at any time, so `run` must know what is done already. */
export interface WorkKind {
  readonly kind: string
  readonly lane: Lane
  /** Does the work, or continues it. When it throws, it is tried again later, with full jitter. */
  run(held: HeldWork): Promise<WorkEnd>
  /** Whether this process has room for more of this kind; as far as its lane has, unless given. */
  hasRoom?(): boolean
  /**
   * True for work that is held for long: processes share it evenly, to within one piece. A process that has more is asked for some of it
   * (`HeldWork.wantsStop`), and gives that back when it suits.
   */
  readonly isShared?: boolean
  /** The most attempts; failed-work.ts says how many unless given. */
  readonly mostAttempts?: number
  /** Called when no attempt is left, before the work is given up. */
  gaveUp?(work: Work, error: unknown): Promise<void>
  /** True when what it holds is of no use once it is given up, and is not kept then. */
  readonly isEmptied?: boolean
}
