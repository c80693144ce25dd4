import type { Environment } from '../../../domain/environment.ts'
import type { Outage, PollFailure } from '../../../domain/outages/outage.ts'
import type { CardReason, NextCall } from './alert.ts'

/** `reminder`: repeats outages of other cards. `blind`: the service can't be reached. `digest`: a daily summary. */
export type CardKind = 'outage' | 'reminder' | 'blind' | 'digest' | 'maintenance'

/** `replaced`: a newer reminder has been posted. */
export type ListReason = CardReason | 'replaced'

/** What changed while the service couldn't be reached. */
export interface MissedChanges {
  readonly down: number
  readonly up: number
}

/** The period of a daily summary, as stored: times in ISO 8601. */
export interface DigestPeriod {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** One stored message of a channel. */
export interface CardState {
  /** 22 characters of `A–Z a–z 0–9 _ -`. */
  readonly id: string
  readonly environment: Environment
  readonly channelId: string
  readonly kind: CardKind
  readonly reason?: ListReason | PollFailure | undefined
  readonly openedAt: Date
  readonly changedAt: Date
  /** When everything on it had ended. */
  readonly closedAt?: Date | undefined
  /** When the channel stopped watching. The card isn't updated after that. */
  readonly unwatchedAt?: Date | undefined
  readonly nextCall?: NextCall | undefined
  readonly missedChanges?: MissedChanges | undefined
  /** Only for daily summaries. */
  readonly period?: DigestPeriod | undefined
  /** The maintenance window that it announces. */
  readonly maintenanceId?: string | undefined
}

/** Identifies a card's message, or the reply in its thread. Finds it again if Slack didn't confirm the post. */
export const postKey = (cardId: string, part: 'card' | 'details'): string => `watch ${part} ${cardId}`

/** An outage on a card. */
export interface ListedOutage extends Outage {
  /** `moved`: a newer card lists it. `unwatched`: the channel no longer watches it. */
  readonly listed: 'here' | 'moved' | 'unwatched'
  readonly isSilenced: boolean
}

/** A card with its outages, oldest first. */
export interface CardWithOutages {
  readonly card: CardState
  /** The version of the card. */
  readonly version: number
  readonly outages: readonly ListedOutage[]
}
