import type { Work } from '../work/work-row.ts'
import type { WorkEnd } from '../work/work-store.ts'
import type { LeasedWork } from './leased-work.ts'

/** The slots of each lane. Lanes have separate slots, so that one kind of work never waits for another. */
export const SLOTS = {
  /** Work that ends quickly. */
  quick: 32,
  /** Acts. Some wait until they can look a step up. */
  act: 64,
  /** Changes of up to 10,000 rows. */
  change: 32,
  /** Jobs that only read, such as exports. */
  long: 16,
  /** Polls, which mostly wait for the service. One that hangs keeps one slot. */
  poll: 256,
  /** Changes of one thing, for whose end their person waits. Each waits for another system, which may hang. */
  single: 128,
  /** Messages waiting to be sent. */
  send: 64,
  /** Maintenance for all workspaces. */
  maintenance: 2,
} as const
export type Lane = keyof typeof SLOTS
// `Object.keys` returns `string[]`, but these are exactly the keys of `SLOTS`.
export const LANES = Object.keys(SLOTS) as Lane[]

/** A kind of work and how to run it. Any process may run it again at any time, so `run` must detect what is already done. */
export interface WorkKind {
  readonly kind: string
  readonly lane: Lane
  /** Runs the work, or resumes it. If it throws, the work is retried later, with full jitter. */
  run(leased: LeasedWork): Promise<WorkEnd>
  /** The maximum number of attempts. The default is in work-runner.ts. */
  readonly maxAttempts?: number
  /** Called after the last attempt, before the work is given up. */
  onGiveUp?(work: Work, error: unknown): Promise<void>
  /** True if its body should be deleted when the work is given up. */
  readonly deletesBody?: boolean
}
