import { countSamePolls, type SubjectState } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { Moment } from './watch-clock.ts'

/** An outage as input to `decide`. */
export interface WatchedOutage {
  readonly outage: Outage
  /** The longest run of bad polls so far. */
  readonly badPolls: number
  /** When it began, on the watch clock, which counts only observed time. */
  readonly startedClockMs: number
  readonly endedClockMs?: number | undefined
}

/** An open outage with its polling state. */
export interface OpenOutage {
  readonly outage: Outage
  readonly state: SubjectState
  readonly startedClockMs: number
}

/** Converts an open outage. Counts its bad polls up to and including `poll`. */
export const toWatchedOutage = (
  { outage, state, startedClockMs }: OpenOutage,
  poll: number,
): WatchedOutage => ({
  outage,
  badPolls: Math.max(outage.badPolls, state.phase === 'bad' ? countSamePolls(state, poll) : 0),
  startedClockMs,
})

/** Why an outage is no longer listed as down in a channel, and when that happened. */
export interface Removal extends Moment {
  readonly reason: 'recovered' | 'unwatched'
}

/** An outage in a channel: which card lists it, since when, and how it was added. */
export interface Alert {
  readonly outageId: string
  readonly uuid: string
  /** Undefined while no card lists it, because it is silenced or the channel is paused. */
  readonly cardId?: string | undefined
  /** The first version of the card that shows this outage. */
  readonly cardVersion: number
  /** When it was listed, on the watch clock. */
  readonly listedClockMs: number
  /** Whether it was added by editing an existing message, which notifies nobody. */
  readonly wasAddedByEdit: boolean
  /** Whether it was silenced at the last decision. */
  readonly isSilenced: boolean
  /** The facts that its card shows, as text to compare with. */
  readonly shownFacts: string
  /** When it was last in a reminder, on the watch clock. */
  readonly remindedClockMs?: number | undefined
  readonly removal?: Removal | undefined
}

/** Why a card was posted. */
export type CardReason = 'down' | 'still-down' | 'silence-over' | 'resumed'

/** Who is paged next about a card, and when. */
export interface NextCall {
  readonly at: Date
  readonly names: string
}

/** A message that lists outages. An outage is on this card if its alert has the card's ID as `cardId`. */
export interface OutageCard extends Moment {
  readonly id: string
  /** A reminder repeats outages of other cards. */
  readonly kind: 'outage' | 'reminder'
  readonly reason?: CardReason | 'replaced' | undefined
  /** How many outages it has ever listed. */
  readonly listedCount: number
  /** Increases with each change of content. */
  readonly version: number
  /** The last version that Slack is known to show; 0 before it is posted. */
  readonly shownVersion: number
  /** True if it is certainly not in the channel, because no attempt to post it can have succeeded. */
  readonly isUnposted: boolean
  readonly closedAt?: Date | undefined
  readonly nextCall?: NextCall | undefined
}
