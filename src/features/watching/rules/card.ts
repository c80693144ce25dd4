import { DAY_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type { Outage, PollFailure } from '../../../domain/outages/outage.ts'

/** `still-down` sums up what is down when a mute ends, a reminder is due, or a paused channel can be told again. */
export type CardKind = 'outage' | 'flapping' | 'storm' | 'still-down' | 'blind' | 'digest' | 'maintenance'

/** The kinds of cards that tell of outages. */
export const OF_OUTAGES: readonly CardKind[] = ['outage', 'flapping', 'storm', 'still-down']

/** `replaced`: a reminder that a later one follows. */
export type StillDownReason = 'mute-ended' | 'maintenance-over' | 'reminder' | 'resumed' | 'replaced'

/** Somebody said "I'm on it": no more reminders of it. The name is as it was then, since an id can only be shown as a mention. */
export interface Acknowledgement {
  readonly by: string
  readonly name: string
  readonly at: Date
  /** The name of who was on it before, from whom it was taken over. */
  readonly from?: string | undefined
}

/** What was seen when a blindness ended. */
export interface Meanwhile {
  readonly down: number
  readonly up: number
}

/** The stretch of time that a digest sums up. Times are ISO text, as it is kept. */
export interface DigestPeriod {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** One message of a channel, as far as it is decided and not drawn: the row of a card. */
export interface CardState {
  /** 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly id: string
  readonly environment: Environment
  readonly channelId: string
  readonly kind: CardKind
  readonly openedAt: Date
  /** Of the last transition that it tells of. */
  readonly changedAt: Date
  /** Everything that it tells of is over. A new outage within 30 minutes opens it again. */
  readonly closedAt?: Date | undefined
  /** The channel stopped watching what it tells of. */
  readonly unwatchedAt?: Date | undefined
  /** Who is on what goes on. */
  readonly acknowledged?: Acknowledgement | undefined
  /** Others who are on a part of it, as cards about that part say; kept there alone. */
  readonly alsoOnIt?: readonly Acknowledgement[] | undefined
  /** All who have said to be on what it tells, first to last; also of what is over. */
  readonly takings?: readonly Acknowledgement[] | undefined
  /** When the next reminder is due. */
  readonly remindAt?: Date | undefined
  readonly reason?: StillDownReason | PollFailure | undefined
  readonly meanwhile?: Meanwhile | undefined
  /** Of a digest. */
  readonly period?: DigestPeriod | undefined
  /** The window of maintenance that it tells of. */
  readonly maintenanceId?: string | undefined
  /** Of a storm: when the last check fell that was new to it. One that was told there before says nothing about the storm. */
  readonly lastNewAt?: Date | undefined
}

/** Names a card's message, or the reply in its thread, among all posts of the workspace whose outcome may be unknown. */
export const postKey = (cardId: string, what: 'card' | 'details'): string => `watch ${what} ${cardId}`

/** A card with the outages that it tells of, oldest first. */
export interface CardWithOutages {
  readonly card: CardState
  readonly outages: readonly Outage[]
}

/** A card that is open or was closed a short while ago; where a poll asks, with outages of the last hour of what may have changed. */
export interface ToldCard extends CardWithOutages {
  /** Ids of its outages that go on, and how many others do. */
  readonly open: ReadonlySet<string>
  readonly openElse: number
  /** It was never posted, and nothing was sent that might be it. */
  readonly isUnread?: boolean | undefined
}

/** A card as it is from now on. */
export interface CardChange extends ToldCard {
  readonly isNew: boolean
  /** The outages that it tells of from now on beside those before. */
  readonly outageIds: readonly string[]
  /** False where nobody reads what has changed. */
  readonly isShown?: boolean | undefined
  /** It goes: nobody has read it, and what it tells stands on another card or is over. */
  readonly isDropped?: boolean | undefined
}

/** A new outage so soon after the last one ended is told by an edit of its card. */
export const REOPEN_MS = 30 * 60_000

/** A card is opened again for so long after its first outage: an edit of an older message is seen by nobody. */
export const REOPENED_FOR_MS = DAY_MS
