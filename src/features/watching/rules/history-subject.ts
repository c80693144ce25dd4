import type { CheckFacts } from '../../../domain/outages/outage.ts'

/** The check that a history is about. */
export interface HistorySubject {
  readonly check: CheckFacts
  /** Set if the service no longer has it. */
  readonly gone?: GoneCheck | undefined
  /** The name that was typed, if the check has another one now. */
  readonly formerName?: string | undefined
  /** Another check with the same name: one that the service has now, or else one on record. */
  readonly namesake?: { readonly uuid: string; readonly isOnRecordOnly: boolean } | undefined
}

/** `deletedAt`: when someone deleted it with Signalman. `missedAt`: when a poll first missed it. Both may be unknown. */
export interface GoneCheck {
  readonly deletedAt?: Date | undefined
  readonly missedAt?: Date | undefined
}
