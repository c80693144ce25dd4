import type { Environment } from '../../../domain/environment.ts'
import type {
  CheckFacts,
  FirstLook,
  Outage,
  OutageEnding,
  PollFailure,
  WatchedStatus,
} from '../../../domain/outages/outage.ts'
import type { Runbook } from '../runbook/rules.ts'
import type { Acknowledgement, Meanwhile, StillDownReason } from './card.ts'
import type { OutageGroup } from './grouping.ts'
import type { HistorySum } from './sum-history.ts'
import type { Mute, PauseReason } from './watch.ts'

/** What one message should say now, as data. Whoever draws it adds nothing and asks nobody. */
export type CardModel = OutageModel | FlappingModel | StormModel | StillDownModel | BlindModel

export type MuteShown = Pick<Mute, 'id' | 'about' | 'until' | 'because'>

export interface CardHead {
  readonly cardId: string
  readonly environment: Environment
  /** Since when the channel does not watch what this is about: it is not kept up to date after that. */
  readonly unwatchedAt?: Date | undefined
}

interface WithAnswer {
  readonly acknowledged?: Acknowledgement | undefined
  /** Nothing new is posted about it while this mute holds; undefined when it is not muted. */
  readonly muted?: MuteShown | undefined
  /** Who is called next, unless somebody is on it by then. */
  readonly call?: { readonly at: Date; readonly names: string } | undefined
  /** What to do about it. */
  readonly runbooks?: readonly Runbook[] | undefined
}

export interface OutageModel extends CardHead, WithAnswer {
  readonly kind: 'outage'
  readonly check: CheckFacts
  readonly status: WatchedStatus
  readonly state: 'down' | OutageEnding
  /** The present outage's, or the last one's. */
  readonly since: Date
  readonly endedAt?: Date | undefined
  /** How many outages this card told of before the present one. */
  readonly earlier: number
  readonly firstLook?: FirstLook | undefined
}

export interface FlappingModel extends CardHead, WithAnswer {
  readonly kind: 'flapping'
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** The state it is in now, or in which it ended. */
  readonly now: 'down' | 'up' | Exclude<OutageEnding, 'recovered'>
  /** Set once it has been quiet for 30 minutes. */
  readonly overAt?: Date | undefined
  /** Of the first outage that the card tells of. */
  readonly since: Date
  /** Of the last change. */
  readonly lastAt: Date
  readonly flips: number
  /** In all outages that the card tells of. */
  readonly downMs: number
}

export interface StormModel extends CardHead, WithAnswer {
  readonly kind: 'storm'
  /** When everything was over. */
  readonly overAt?: Date | undefined
  readonly since: Date
  /** Checks that it tells of, and how many of them are down now. */
  readonly total: number
  readonly stillDown: number
  /** By host, or by the beginning of the name where targets do not tell; largest first. */
  readonly groupedBy: 'host' | 'name'
  readonly groups: readonly OutageGroup[]
  /** What is down first, then what was; at most MOST_ROWS. */
  readonly rows: readonly Outage[]
}

export interface StillDownModel extends CardHead, WithAnswer {
  readonly kind: 'still-down'
  readonly reason: StillDownReason
  readonly at: Date
  readonly total: number
  readonly stillDown: number
  readonly overAt?: Date | undefined
  /** What is down first, then what was; at most MOST_ROWS. */
  readonly rows: readonly Outage[]
}

export interface BlindModel extends CardHead {
  readonly kind: 'blind'
  readonly why: PollFailure
  readonly since: Date
  readonly endedAt?: Date | undefined
  /** What had changed when it ended. */
  readonly meanwhile?: Meanwhile | undefined
}

/** The reply in a card's thread: what happened, first to last. There is one per card, and it is edited. */
export interface DetailsModel {
  readonly cardId: string
  readonly environment: Environment
  readonly title: string
  /** The latest MOST_DETAILS of them. */
  readonly lines: readonly DetailLine[]
  /** How many earlier ones are left out. */
  readonly leftOut: number
}

export interface DetailLine {
  readonly at: Date
  readonly what: 'down' | 'already' | 'up' | Exclude<OutageEnding, 'recovered'> | 'acknowledged' | 'looked'
  /** In which the check began, or ended, to be. */
  readonly status?: WatchedStatus | undefined
  readonly check?: CheckFacts | undefined
  /** How long it was down. */
  readonly downMs?: number | undefined
  /** Who acknowledged it, as Acknowledgement has it. */
  readonly byName?: string | undefined
  readonly look?: FirstLook | undefined
}

/** A day in one channel and environment, by its hours. */
export interface DigestModel extends HistorySum {
  readonly environment: Environment
  readonly channelId: string
  readonly timeZone: string
}

/** To the owner of watches that cannot tell any more. */
export interface PausedModel {
  readonly channelId: string
  readonly why: PauseReason
  readonly since: Date
  /** Watches of this owner that are paused. */
  readonly watches: number
  /** Cards whose last word Slack did not take. */
  readonly untold: number
}

export const MOST_ROWS = 90
export const MOST_DETAILS = 40
