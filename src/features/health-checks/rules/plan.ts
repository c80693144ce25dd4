import type { Row } from './row.ts'

/** Something that a plan leaves out, and why. */
export interface LeftOut {
  readonly line: number
  readonly name: string
  readonly reason: string
}

/** What a change of many checks would do. It's stored when it's shown, and applied as it was shown. */
export interface Plan {
  /** `/hc edit`, `/hc import`: for the audit log. */
  readonly verb: string
  /** `Set frequency to every 30 s on health checks named web-*`, `Import checks.csv`. */
  readonly title: string
  /** The account that it was planned with. Nothing is sent to another one. */
  readonly account: string
  readonly rows: readonly Row[]
  readonly leftOut: readonly LeftOut[]
  /** How many checks already are as wanted. */
  readonly unchanged: number
  /** What to know before it's applied, such as why some matching checks may be missing. */
  readonly notes?: readonly string[] | undefined
  /** What to say if it's about no check at all. */
  readonly none?: string | undefined
}

/** A plan without its rows, which are the job's steps. */
export type ChangesDetails = Pick<Plan, 'verb' | 'title' | 'account'>
