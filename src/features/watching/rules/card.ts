import type { Environment } from '../../../domain/environment.ts'
import type { Outage, PollFailure } from '../../../domain/outages/outage.ts'
import type { CardReason, NextCall } from './alert.ts'

/** `reminder`: lists what other cards list. */
export type CardKind = 'outage' | 'reminder' | 'blind' | 'digest' | 'maintenance'

/** `replaced`: a reminder that a newer one follows. */
export type ListReason = CardReason | 'replaced'

/** What had changed when the service could be reached again. */
export interface Meanwhile {
  readonly down: number
  readonly up: number
}

/** The time that a digest sums up. Times are ISO text, as stored. */
export interface DigestPeriod {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** One message of a channel, as it is stored. */
export interface CardState {
  /** 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly id: string
  readonly environment: Environment
  readonly channelId: string
  readonly kind: CardKind
  readonly reason?: ListReason | PollFailure | undefined
  readonly openedAt: Date
  readonly changedAt: Date
  /** Everything that it lists is over. */
  readonly closedAt?: Date | undefined
  /** When the channel stopped watching what a notice is about. */
  readonly unwatchedAt?: Date | undefined
  readonly nextCall?: NextCall | undefined
  readonly meanwhile?: Meanwhile | undefined
  /** Of a digest. */
  readonly period?: DigestPeriod | undefined
  /** The maintenance window that it is about. */
  readonly maintenanceId?: string | undefined
}

/** Names a card's message, or the reply in its thread, among all posts of the workspace whose outcome may be unknown. */
export const postKey = (cardId: string, what: 'card' | 'details'): string => `watch ${what} ${cardId}`

/** An outage as a card lists it. */
export interface ListedOutage extends Outage {
  /** `moved`: a newer message lists it. `unwatched`: the channel no longer watches it. */
  readonly listed: 'here' | 'moved' | 'unwatched'
  readonly isSilenced: boolean
}

/** A card with the outages that it lists, oldest first. */
export interface CardWithOutages {
  readonly card: CardState
  /** The version of the card that this is. */
  readonly version: number
  readonly outages: readonly ListedOutage[]
}
