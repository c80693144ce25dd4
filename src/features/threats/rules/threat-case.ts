import type { SealError } from '@signalman/durable'
import type { Environment } from '../../../domain/environment.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import type { CasePerson, CaseStatus, CaseStep } from './case-steps.ts'
import type { WatchState } from './case-watch.ts'

/** The location of an event's card in Slack. */
export interface CardLocation {
  readonly channelId: string
  /** Undefined until it is posted. */
  readonly messageTs?: string | undefined
  /** The card's thread, if the card is itself a reply. */
  readonly threadTs?: string | undefined
  /** True if someone chose to share the full card, with the screenshot and people's names, although guests may read the channel. */
  readonly isFull?: boolean | undefined
}

/** A question about a case in Slack. */
export interface PostedQuestion {
  /** Whom it is for: a user ID, or the `ts` of the thread. */
  readonly askedFor: string
  /** The `askSince` of the question. */
  readonly since: Date
  readonly channelId: string
  readonly ts: string
}

/** The target of a health check. */
export type CheckTarget = Pick<HealthCheck, 'protocol' | 'port'> & { readonly target: string }

/** The health check that watches the reported page until the page is taken down. */
export interface WatchedCheck extends CheckTarget {
  readonly name: string
  /** The fingerprint of the service account that the check belongs to. */
  readonly account?: string | undefined
  /** Who created the check. */
  readonly by: CasePerson
  /** The reference of the interaction that creates the check. */
  readonly reference: string
  /** When that interaction started, as ISO text. */
  readonly at: string
}

/** The case for one threat event in one environment of a workspace. */
export interface ThreatCase extends CaseStatus, WatchState {
  readonly id: string
  readonly workspaceId: string
  readonly enterpriseId: string | undefined
  readonly environment: Environment
  readonly eventId: string
  /** 0 for the most severe. */
  readonly severity: number
  /** The number of all its steps, including those that are no longer in `steps`. */
  readonly version: number
  readonly openedAt: Date
  readonly changedAt: Date
  /** The version that its card shows. */
  readonly shownVersion: number
  /** The version up to which its steps were posted in its thread. */
  readonly postedVersion: number
  /** The version up to which people were told that their steps couldn't be posted. */
  readonly notifiedVersion?: number | undefined
  /** What its card says about the watch: `watchOnCard` at the time. */
  readonly shownWatch?: string | undefined
  /** Undefined if it has no card. */
  readonly card: CardLocation | undefined
  /** Oldest first. A long history keeps only the first and the newest steps. */
  readonly steps: readonly CaseStep[]
  readonly watched?: WatchedCheck | undefined
  /** Where the question about the case was posted. */
  readonly asked?: PostedQuestion | undefined
  /** An `EventSnapshot`, stored by the first step. */
  readonly eventSnapshot: unknown
}

/** Cases are only counted up to this number. Later pages can still be shown. */
export const MAX_COUNTED_CASES = 1000

/** Whether a check still has its original target. If not, its status says nothing about the case. */
export const hasSameTarget = (watched: CheckTarget, { target, protocol, port }: HealthCheck): boolean =>
  target === watched.target && protocol === watched.protocol && port === watched.port

/** The readable part of a case whose content can't be decrypted. */
export interface UndecryptableCase
  extends Omit<ThreatCase, 'holder' | 'steps' | 'watched' | 'eventSnapshot'> {
  readonly sealError: SealError
}
