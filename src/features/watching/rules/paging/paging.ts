import type { DecisionContext } from '../drafts.ts'
import type { ChannelState } from '../environment-state.ts'
import type { Responder } from '../escalation-steps.ts'
import type { PageSteps } from './page-steps.ts'
import type { WaitingLine } from './waiting-lines.ts'

/** What a decision about pages reads. */
export interface Paging {
  readonly context: DecisionContext
  readonly channels: ReadonlyMap<string, ChannelState>
  /** Everyone whom a watch pages, groups first. */
  readonly responders: readonly Responder[]
  /** The waiting lines whose checks are down. */
  readonly down: readonly WaitingLine[]
  readonly steps: PageSteps
}
