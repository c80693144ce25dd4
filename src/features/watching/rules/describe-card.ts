import { HOUR_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type {
  CheckFacts,
  FirstLook,
  OnIt,
  Outage,
  OutageEnding,
  PollFailure,
  Taking,
} from '../../../domain/outages/outage.ts'
import type { NextCall } from './alert.ts'
import type { CardState, CardWithOutages, ListedOutage, ListReason } from './card.ts'
import { groupOutages } from './grouping.ts'
import type { Silence } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'

const MOST_ROWS = 90
const MOST_DETAILS = 40

export type SilenceShown = Pick<
  Silence,
  'kind' | 'planId' | 'about' | 'environment' | 'channelId' | 'to' | 'because'
>

/** What a card of any kind may say. */
export interface CardHead {
  readonly cardId: string
  /** Buttons are about what this version of the card shows. */
  readonly version: number
  readonly environment: Environment
  /** Since when the channel does not watch what this is about: it is not kept up to date after that. */
  readonly unwatchedAt?: Date | undefined
  /** Who is on what is down, first to last. */
  readonly onIt?: readonly OnIt[] | undefined
  /** Something is down that nobody is on. */
  readonly isFree?: boolean | undefined
  /** The silence that covers all of it. */
  readonly silence?: SilenceShown | undefined
  /** Who is called next, unless somebody is on it by then. */
  readonly call?: NextCall | undefined
  /** Links to what to do about it. */
  readonly runbooks?: readonly string[] | undefined
}

/** What one message should say now, as data. Whoever draws it adds nothing and asks nobody. */
export type CardModel = OutageModel | ManyModel | BlindModel
export type OutageModel = CardHead & ReturnType<typeof outageModel>
export type ManyModel = CardHead & (ReturnType<typeof manyModel> extends Slices<infer Many> ? Many : never)
export type BlindModel = CardHead & ReturnType<typeof blindModel>

/** What is in force in the card's channel. */
interface InForce {
  readonly silence?: SilenceShown | undefined
  readonly runbooks?: readonly string[]
}

const isDown = ({ endedAt, listed }: ListedOutage): boolean => !endedAt && listed === 'here'

/** What the card should say now. One about many checks takes many slices. */
export function* cardModel(
  told: CardWithOutages,
  { silence, runbooks = [] }: InForce = {},
): Slices<CardModel> {
  const { card, version, outages } = told
  const { kind, unwatchedAt, nextCall } = card
  const down = outages.filter(isDown)
  const onIt = new Map(down.flatMap(({ onIt: one }) => (one ? [[one.by, one] as const] : [])))
  const head: CardHead = {
    cardId: card.id,
    version,
    environment: card.environment,
    ...(unwatchedAt && { unwatchedAt }),
    ...(onIt.size > 0 && {
      onIt: [...onIt.values()].sort((one, other) => one.at.getTime() - other.at.getTime()),
    }),
    ...(down.some((one) => !one.onIt) && { isFree: true }),
    ...(silence && down.length > 0 && { silence }),
    ...(nextCall && !card.closedAt && { call: nextCall }),
    ...(runbooks.length > 0 && down.length > 0 && { runbooks }),
  }
  if (kind === 'blind') return { ...head, ...blindModel(card) }
  if (kind === 'digest' || kind === 'maintenance')
    throw new Error(`A ${kind} is drawn from more than its card.`)
  const first = outages[0]?.check.uuid
  const isOne = kind === 'outage' && outages.every(({ check }) => check.uuid === first)
  if (isOne && (card.reason ?? 'down') === 'down') return { ...head, ...outageModel(told) }
  return { ...head, ...(yield* manyModel(told)) }
}

const blindModel = ({ reason = 'unreachable', openedAt, closedAt, unwatchedAt, meanwhile }: CardState) => ({
  kind: 'blind' as const,
  // Of a blind card it is one of these.
  why: reason as PollFailure,
  since: openedAt,
  // Where nobody watches any more, nothing was seen again.
  ...(closedAt && !unwatchedAt && { endedAt: closedAt }),
  /** What had changed when it ended. */
  ...(meanwhile && { meanwhile }),
})

/** How an outage stands on a card. */
export type OutageState = 'down' | OutageEnding | 'moved' | 'unwatched'
export const stateOnCard = ({ endedAt, ending, listed }: ListedOutage): OutageState => {
  if (listed !== 'here') return listed
  return endedAt ? (ending ?? 'recovered') : 'down'
}

/** So many changes of one check within an hour are flapping. */
const FLAPPING_CHANGES = 4

/** How often the checks went up or down in the hour before. */
const changesBefore = (outages: readonly Outage[], at: Date): number =>
  outages
    .flatMap(({ startedAt, endedAt }) => (endedAt ? [startedAt, endedAt] : [startedAt]))
    .filter((one) => one <= at && at.getTime() - one.getTime() <= HOUR_MS).length

/** The present outage, or the last one. */
function outageModel({ card, outages }: CardWithOutages) {
  const last = outages.findLast(isDown) ?? outages.at(-1)
  // A card is written together with its first outage.
  if (!last) throw new Error(`The card ${card.id} lists nothing.`)
  const { check, startedAt, endedAt, firstLook, onIt } = last
  const changes = changesBefore(outages, card.changedAt)
  return {
    kind: 'outage' as const,
    check,
    state: stateOnCard(last),
    since: startedAt,
    ...(endedAt && { endedAt }),
    /** How many outages this card listed before. */
    earlier: outages.length - 1,
    ...(firstLook && { firstLook }),
    /** How often it changed in the last hour, where that is often. */
    ...(changes >= FLAPPING_CHANGES && { flapping: changes }),
    /** Who was on it when it ended. */
    ...(endedAt && onIt && { wasOnIt: onIt }),
  }
}

function* manyModel({ card, outages }: CardWithOutages) {
  /** Of each check what goes on, else its latest outage. */
  const byCheck = new Map<string, ListedOutage>()
  yield* eachInSlices(outages, (outage) => {
    const known = byCheck.get(outage.check.uuid)
    if (!known || !isDown(known) || isDown(outage)) byCheck.set(outage.check.uuid, outage)
  })
  const latest = [...byCheck.values()]
  const reason: ListReason | 'reminder' =
    // Of a card that lists outages it is one of these.
    card.kind === 'reminder' && card.reason !== 'replaced'
      ? 'reminder'
      : ((card.reason ?? 'down') as ListReason)
  let stillDown = 0
  let moved = 0
  const shown: ListedOutage[] = []
  const over: ListedOutage[] = []
  yield* eachInSlices(latest, (outage) => {
    if (isDown(outage)) stillDown += 1
    if (outage.listed === 'moved') moved += 1
    const rows = isDown(outage) ? shown : over
    if (rows.length < MOST_ROWS) rows.push(outage)
  })
  return {
    kind: 'many' as const,
    reason,
    at: card.openedAt,
    /** Checks that it lists; how many of them are down now; and how many a newer message lists. */
    total: latest.length,
    stillDown,
    moved,
    ...(card.closedAt && stillDown === 0 && moved === 0 && { overAt: card.closedAt }),
    /** What is down first, then what was. A newer reminder says how it is. */
    rows: reason === 'replaced' ? [] : [...shown, ...over].slice(0, MOST_ROWS),
    /** Nothing of it ended otherwise. */
    areUp: latest.every((one) => stateOnCard(one) === 'recovered'),
    ...(reason === 'down' && latest.length > 1 && (yield* groupOutages(latest))),
  }
}

/** What happened, in the reply in a card's thread and in its timeline. */
export interface DetailLine {
  readonly at: Date
  readonly what:
    | 'down'
    | 'already'
    | 'up'
    | Exclude<OutageEnding, 'recovered'>
    | Taking['what']
    | 'renamed'
    | 'looked'
  readonly check?: CheckFacts | undefined
  /** How long it was down. */
  readonly downMs?: number | undefined
  readonly byName?: string | undefined
  /** Who was on it before. */
  readonly from?: string | undefined
  /** What it was called until then. */
  readonly name?: string | undefined
  readonly look?: FirstLook | undefined
}

/** The reply in a card's thread: what happened, first to last. There is one per card, and it is edited. */
export interface DetailsModel extends Pick<CardHead, 'cardId' | 'environment'> {
  readonly title: string
  /** The latest of them, and how many earlier ones are left out. */
  readonly lines: readonly DetailLine[]
  readonly leftOut: number
}

/** What the reply in the card's thread should say; undefined while there is nothing that the card does not say itself. */
export function* detailsModel({ card, outages }: CardWithOutages): Slices<DetailsModel | undefined> {
  if (card.kind !== 'outage') return undefined
  const names = new Set<string>()
  let count = 0
  let latest: DetailLine[] = []
  const takings = new Map<string, Taking>()
  const add = (...lines: DetailLine[]): void => {
    count += lines.length
    latest.push(...lines)
    // Sorted now and then: of thousands only the latest are shown.
    if (latest.length >= 10 * MOST_DETAILS) latest = latestOf(latest)
  }
  yield* eachInSlices(outages, (outage) => {
    names.add(outage.check.uuid)
    add(...linesOf(outage))
    // One press is about many outages.
    for (const taking of outage.takings ?? [])
      takings.set(`${taking.at.toISOString()} ${taking.by} ${taking.what}`, taking)
  })
  add(...[...takings.values()].map(takingLine))
  if (count < 2) return undefined
  const lines = latestOf(latest)
  const [first] = outages
  return {
    cardId: card.id,
    environment: card.environment,
    title: names.size === 1 && first ? first.check.name : `${names.size} health checks`,
    lines,
    leftOut: count - lines.length,
  }
}

/** Who is on it from then on, and who was before. */
export const takingLine = ({ at, name: byName, from, what }: Taking): DetailLine => ({
  at,
  what,
  byName,
  from,
})

/** First to last; those of one time as they came. */
const latestOf = (lines: readonly DetailLine[]): DetailLine[] =>
  lines.toSorted((left, right) => left.at.getTime() - right.at.getTime()).slice(-MOST_DETAILS)

/** What happened to it, for the reply in a card's thread and its timeline. */
export function linesOf(outage: Outage): DetailLine[] {
  const { check, startedAt, endedAt, ending, firstLook, isBaseline, earlierNames = [] } = outage
  const fell: DetailLine[] = [
    { at: startedAt, what: isBaseline ? 'already' : 'down', check },
    ...(firstLook ? [{ at: firstLook.at, what: 'looked', check, look: firstLook } as const] : []),
    ...earlierNames.map(({ name, until: at }): DetailLine => ({ at, what: 'renamed', check, name })),
  ]
  if (!endedAt) return fell
  const what = ending === undefined || ending === 'recovered' ? 'up' : ending
  return [...fell, { at: endedAt, what, check, downMs: endedAt.getTime() - startedAt.getTime() }]
}
