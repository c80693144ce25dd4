import type { Environment } from '../environment.ts'
import type { CardState, CardWithOutages, Meanwhile, StillDownReason } from './card.ts'
import { flipsOf } from './flapping.ts'
import { groupOutages, type OutageGroup } from './grouping.ts'
import type { Outage, PollFailure } from './outage.ts'
import type { CheckFacts, PauseReason, WatchedStatus } from './watch.ts'

/** What one message should say now, as data. Whoever draws it adds nothing and asks nobody. */
export type CardModel = OutageModel | FlappingModel | StormModel | StillDownModel | BlindModel

interface CardHead {
  readonly cardId: string
  readonly environment: Environment
  /** Since when the channel does not watch what this is about: it is not kept up to date after that. */
  readonly unwatchedAt?: Date | undefined
}

interface WithAnswer {
  /** Who said "I'm on it", and when. */
  readonly acknowledged?: { readonly by: string; readonly at: Date } | undefined
  /** Nothing new is posted about it until then; undefined when it is not muted. */
  readonly muted?: { readonly until: Date | undefined } | undefined
}

export interface OutageModel extends CardHead, WithAnswer {
  readonly kind: 'outage'
  readonly check: CheckFacts
  readonly status: WatchedStatus
  readonly state: 'down' | 'recovered' | 'deleted' | 'unseen'
  /** Of the present outage, or of the last one. */
  readonly since: Date
  readonly endedAt?: Date | undefined
  /** How many outages this card told of before the present one. */
  readonly earlier: number
}

export interface FlappingModel extends CardHead, WithAnswer {
  readonly kind: 'flapping'
  readonly check: CheckFacts
  readonly status: WatchedStatus
  /** The state it is in now, or in which it ended. */
  readonly now: 'down' | 'up' | 'deleted' | 'unseen'
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
  readonly what: 'down' | 'up' | 'deleted' | 'unseen' | 'acknowledged'
  readonly check?: CheckFacts | undefined
  /** How long it was down. */
  readonly downMs?: number | undefined
  readonly by?: string | undefined
}

/** A day in one channel and environment. Percentages are over the time that was observed. */
export interface DigestModel {
  readonly environment: Environment
  readonly channelId: string
  readonly timeZone: string
  readonly from: Date
  readonly to: Date
  readonly outages: number
  /** Checks that were down at all. */
  readonly checks: number
  readonly downMs: number
  readonly observedMs: number
  readonly longest?: Outage | undefined
  readonly stillDown: readonly Outage[]
  /** Of the checks that were down at all, worst first; 0 to 1, undefined when nothing was observed. */
  readonly uptimes: readonly { readonly check: CheckFacts; readonly uptime: number | undefined }[]
  /** Outages that began in each hour, first to last. */
  readonly perHour: readonly { readonly from: Date; readonly outages: number }[]
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

interface Around {
  readonly muted?: { readonly until: Date | undefined } | undefined
}

/** What the card should say now. */
export function cardModel(told: CardWithOutages, around: Around = {}): CardModel {
  const { card } = told
  const head = {
    cardId: card.id,
    environment: card.environment,
    ...(card.unwatchedAt && { unwatchedAt: card.unwatchedAt }),
  }
  if (card.kind === 'blind') return blindModel(head, card)
  const answer = {
    ...(card.acknowledged && { acknowledged: card.acknowledged }),
    ...(around.muted && { muted: around.muted }),
  }
  if (card.kind === 'outage') return { ...head, ...answer, ...outageModel(told) }
  if (card.kind === 'flapping') return { ...head, ...answer, ...flappingModel(told) }
  return { ...head, ...answer, ...manyModel(told, card.kind) }
}

const blindModel = (head: CardHead, card: CardState): BlindModel => ({
  ...head,
  kind: 'blind',
  why: card.reason === 'unauthorized' || card.reason === 'not-connected' ? card.reason : 'unreachable',
  since: card.openedAt,
  ...(card.closedAt && { endedAt: card.closedAt }),
  ...(card.meanwhile && { meanwhile: card.meanwhile }),
})

/** A card is written together with its first outage. */
function lastOf({ card, outages }: CardWithOutages): Outage {
  const last = outages.at(-1)
  if (!last) throw new Error(`The card ${card.id} tells of nothing.`)
  return last
}

function outageModel(told: CardWithOutages): Omit<OutageModel, keyof CardHead> {
  const { check, status, startedAt, endedAt, ending } = lastOf(told)
  return {
    kind: 'outage',
    check,
    status,
    state: endedAt ? (ending ?? 'recovered') : 'down',
    since: startedAt,
    ...(endedAt && { endedAt }),
    earlier: told.outages.length - 1,
  }
}

function flappingModel(told: CardWithOutages): Omit<FlappingModel, keyof CardHead> {
  const { card, outages } = told
  const last = lastOf(told)
  const ended = last.ending === undefined || last.ending === 'recovered' ? 'up' : last.ending
  return {
    kind: 'flapping',
    check: last.check,
    status: last.status,
    now: last.endedAt ? ended : 'down',
    ...(card.closedAt && { overAt: card.closedAt }),
    since: outages[0]?.startedAt ?? last.startedAt,
    lastAt: last.endedAt ?? last.startedAt,
    flips: flipsOf(outages).length,
    downMs: downMsOf(outages, card.changedAt),
  }
}

function manyModel(
  { card, outages }: CardWithOutages,
  kind: 'storm' | 'still-down',
): Omit<StormModel, keyof CardHead> | Omit<StillDownModel, keyof CardHead> {
  const latest = latestOfEach(outages)
  const down = latest.filter(({ endedAt }) => !endedAt)
  const shared = {
    total: latest.length,
    stillDown: down.length,
    ...(card.closedAt && { overAt: card.closedAt }),
    rows: [...down, ...latest.filter(({ endedAt }) => endedAt)].slice(0, MOST_ROWS),
  }
  if (kind === 'storm') return { kind, since: card.openedAt, ...shared, ...groupOutages(latest) }
  const reason = card.reason === 'mute-ended' || card.reason === 'resumed' ? card.reason : 'reminder'
  return { kind, reason, at: card.openedAt, ...shared }
}

/** Of each check the outage that began last. */
export function latestOfEach(outages: readonly Outage[]): Outage[] {
  return [...new Map(outages.map((outage) => [`${outage.check.uuid} ${outage.status}`, outage])).values()]
}

/** How long they lasted together; what goes on counts up to `until`. */
export function downMsOf(outages: readonly Outage[], until: Date): number {
  const lasted = ({ startedAt, endedAt }: Outage): number =>
    Math.max(0, (endedAt ?? until).getTime() - startedAt.getTime())
  return outages.reduce((sum, outage) => sum + lasted(outage), 0)
}
