import { countSamePolls, type SubjectState } from '../../../domain/outages/observe.ts'
import type { Outage } from '../../../domain/outages/outage.ts'
import type { Moment } from './watch-clock.ts'

/** An outage as the deciding part sees it. */
export interface WatchedOutage {
  readonly outage: Outage
  /** The longest row of bad polls so far. */
  readonly bad: number
  /** On the watch clock. */
  readonly startedSeen: number
  readonly endedSeen?: number | undefined
}

/** An outage that is not over, as polls know it. */
export interface OpenOutage {
  readonly outage: Outage
  readonly state: SubjectState
  readonly startedSeen: number
}

/** As of the poll with this number. */
export const watchedOutage = ({ outage, state, startedSeen }: OpenOutage, poll: number): WatchedOutage => ({
  outage,
  bad: Math.max(outage.badPolls, state.phase === 'bad' ? countSamePolls(state, poll) : 0),
  startedSeen,
})

/** Why an outage is no longer listed as down in a channel. */
export interface Left extends Moment {
  readonly why: 'recovered' | 'unwatched'
}

/** One outage in one channel: on which card it is listed, since when, and how it got there. */
export interface Alert {
  readonly outageId: string
  readonly uuid: string
  /** Undefined until it is listed: it is silenced, or the channel takes no messages. */
  readonly cardId?: string | undefined
  /** The version of the card that lists it first. */
  readonly cardVersion: number
  /** Since when it is listed, on the watch clock. */
  readonly since: number
  /** It was added to a message that was there already, which notifies nobody. */
  readonly isByEdit: boolean
  /** It was silenced when last looked at. */
  readonly isSilenced: boolean
  /** What its card says about it, to notice when that changes. */
  readonly said: string
  /** When it was last in a reminder, on the watch clock. */
  readonly reminded?: number | undefined
  readonly left?: Left | undefined
}

/** Why a card was posted. */
export type CardReason = 'down' | 'still-down' | 'silence-over' | 'resumed'

/** Who is called next about what a card lists. */
export interface NextCall {
  readonly at: Date
  readonly names: string
}

/** A message of a channel that lists outages. It holds no truth of its own: its lines are the alerts that name it. */
export interface OutageCard extends Moment {
  readonly id: string
  /** A reminder lists what other cards list. */
  readonly kind: 'outage' | 'reminder'
  readonly reason?: CardReason | 'replaced' | undefined
  /** How many outages it has ever listed. */
  readonly lines: number
  /** Each change of what it says is a version. */
  readonly version: number
  /** The last version that Slack is known to show; 0 before it is posted. */
  readonly shownVersion: number
  /** Nothing was sent that could be it. */
  readonly isUnposted: boolean
  readonly closedAt?: Date | undefined
  readonly nextCall?: NextCall | undefined
}
