import type { Environment } from '../../../domain/environment.ts'
import type {
  CheckFacts,
  FirstLook,
  Outage,
  OutageEnding,
  PollFailure,
  WatchedStatus,
} from '../../../domain/outages/outage.ts'
import { type NextCall, namesOf } from '../escalation/rules.ts'
import type { Acknowledgement, CardState, CardWithOutages, StillDownReason } from './card.ts'
import { flipsOf } from './flapping.ts'
import { groupOutages } from './grouping.ts'
import { eachInSlices, type Slices } from './slices.ts'
import type { Mute } from './watch.ts'

const MOST_ROWS = 90
const MOST_DETAILS = 40

export type MuteShown = Pick<Mute, 'id' | 'about' | 'until' | 'because'>

/** What a card of any kind may say. */
export interface CardHead {
  readonly cardId: string
  readonly environment: Environment
  /** Since when the channel does not watch what this is about: it is not kept up to date after that. */
  readonly unwatchedAt?: Date | undefined
  readonly acknowledged?: Acknowledgement | undefined
  /** Others who are on a part of it. */
  readonly alsoOnIt?: readonly Acknowledgement[] | undefined
  /** Nothing new is posted about it while this mute holds; undefined when it is not muted. */
  readonly muted?: MuteShown | undefined
  /** Who is called next, unless somebody is on it by then. */
  readonly call?: { readonly at: Date; readonly names: string } | undefined
  /** Links to what to do about it. */
  readonly runbooks?: readonly string[] | undefined
}

/** What one message should say now, as data. Whoever draws it adds nothing and asks nobody. */
export type CardModel = OutageModel | FlappingModel | ManyModel | BlindModel
export type OutageModel = CardHead & ReturnType<typeof outageModel>
export type FlappingModel = CardHead & ReturnType<typeof flappingModel>
export type ManyModel = CardHead & (ReturnType<typeof manyModel> extends Slices<infer Many> ? Many : never)
export type BlindModel = CardHead & ReturnType<typeof blindModel>

/** What is in force in the card's channel. */
interface InForce {
  readonly muted?: MuteShown | undefined
  readonly call?: NextCall | undefined
  readonly runbooks?: readonly string[]
}

/** What the card should say now. One about many checks takes many slices. */
export function* cardModel(
  told: CardWithOutages,
  { muted, call, runbooks = [] }: InForce = {},
): Slices<CardModel> {
  const { card } = told
  const { kind, unwatchedAt, acknowledged, alsoOnIt } = card
  const head: CardHead = {
    cardId: card.id,
    environment: card.environment,
    ...(unwatchedAt && { unwatchedAt }),
    ...(acknowledged && { acknowledged }),
    ...(alsoOnIt && { alsoOnIt }),
    ...(muted && !card.closedAt && { muted }),
    ...(call && { call: { at: call.at, names: namesOf(call.call) } }),
    ...(runbooks.length > 0 && !card.closedAt && { runbooks }),
  }
  if (kind === 'blind') return { ...head, ...blindModel(card) }
  if (kind === 'outage') return { ...head, ...outageModel(told) }
  if (kind === 'flapping') return { ...head, ...flappingModel(told) }
  if (kind === 'digest' || kind === 'maintenance')
    throw new Error(`A ${kind} is drawn from more than its card.`)
  return { ...head, ...(yield* manyModel(told, kind)) }
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

/** A card is written together with its first outage. */
function lastOf({ card, outages }: CardWithOutages): Outage {
  const last = outages.at(-1)
  if (!last) throw new Error(`The card ${card.id} tells of nothing.`)
  return last
}

/** The present outage, or the last one. */
function outageModel(told: CardWithOutages) {
  const { check, status, startedAt, endedAt, ending, firstLook } = lastOf(told)
  return {
    kind: 'outage' as const,
    check,
    status,
    state: endedAt ? (ending ?? 'recovered') : ('down' as const),
    since: startedAt,
    ...(endedAt && { endedAt }),
    /** How many outages this card told of before. */
    earlier: told.outages.length - 1,
    ...(firstLook && { firstLook }),
  }
}

function flappingModel(told: CardWithOutages) {
  const { card, outages } = told
  const last = lastOf(told)
  const ended = last.ending === undefined || last.ending === 'recovered' ? ('up' as const) : last.ending
  return {
    kind: 'flapping' as const,
    check: last.check,
    status: last.status,
    /** The state it is in now, or in which it ended. */
    now: last.endedAt ? ended : ('down' as const),
    /** Set once it has been quiet for 30 minutes. */
    ...overOf(card),
    since: outages[0]?.startedAt ?? last.startedAt,
    lastAt: last.endedAt ?? last.startedAt,
    flips: flipsOf(outages).length,
    downMs: downMsOf(outages, card.changedAt),
  }
}

function* manyModel({ card, outages }: CardWithOutages, kind: 'storm' | 'still-down') {
  /** Of each check what goes on, else its latest outage. */
  const byCheck = new Map<string, Outage>()
  yield* eachInSlices(outages, (outage) => {
    const known = byCheck.get(outage.check.uuid)
    if (!known || known.endedAt || !outage.endedAt) byCheck.set(outage.check.uuid, outage)
  })
  const latest = [...byCheck.values()]
  // A newer reminder says how it is.
  const isReplaced = card.reason === 'replaced'
  let stillDown = 0
  const down: Outage[] = []
  const over: Outage[] = []
  yield* eachInSlices(isReplaced ? [] : latest, (outage) => {
    if (!outage.endedAt) stillDown += 1
    const shown = outage.endedAt ? over : down
    if (shown.length < MOST_ROWS) shown.push(outage)
  })
  const shared = {
    /** Checks that it tells of, and how many of them are down now. */
    total: latest.length,
    stillDown,
    ...(!isReplaced && overOf(card)),
    /** What is down first, then what was. */
    rows: [...down, ...over].slice(0, MOST_ROWS),
    /** Nothing of it ended otherwise. */
    areUp: latest.every(({ endedAt, ending = 'recovered' }) => endedAt && ending === 'recovered'),
  }
  const at = card.openedAt
  if (kind === 'storm') return { kind, since: at, ...shared, ...(yield* groupOutages(latest)) }
  // Of such a card it is one of these.
  return { kind, reason: (card.reason ?? 'reminder') as StillDownReason, at, ...shared }
}

/** What is not watched any more may well go on. */
const overOf = ({ closedAt, unwatchedAt }: CardState): { overAt?: Date } =>
  closedAt && !unwatchedAt ? { overAt: closedAt } : {}

/** How long the outages lasted together; an open one counts up to `until`. */
function downMsOf(outages: readonly Outage[], until: Date): number {
  const lasted = ({ startedAt, endedAt }: Outage): number =>
    Math.max(0, (endedAt ?? until).getTime() - startedAt.getTime())
  return outages.reduce((sum, outage) => sum + lasted(outage), 0)
}

/** What happened, in the reply in a card's thread and in its timeline. */
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
  readonly from?: string | undefined
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
  if (card.kind === 'blind' || card.kind === 'digest' || card.kind === 'maintenance') return undefined
  if (card.reason === 'replaced') return undefined
  const names = new Set<string>()
  let count = 0
  let latest: DetailLine[] = []
  const add = (...lines: DetailLine[]): void => {
    count += lines.length
    latest.push(...lines)
    // Sorted now and then: of thousands only the latest are shown.
    if (latest.length >= 10 * MOST_DETAILS) latest = latestOf(latest)
  }
  yield* eachInSlices(outages, (outage) => {
    names.add(outage.check.uuid)
    add(...linesOf(outage))
  })
  add(...(card.takings ?? []).map(takingOf))
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
export const takingOf = ({ at, name: byName, from }: Acknowledgement): DetailLine => ({
  at,
  what: 'acknowledged',
  byName,
  from,
})

/** First to last; those of one time as they came. */
const latestOf = (lines: readonly DetailLine[]): DetailLine[] =>
  lines.toSorted((left, right) => left.at.getTime() - right.at.getTime()).slice(-MOST_DETAILS)

/** What happened to it, for the reply in a card's thread and its timeline. */
export function linesOf(outage: Outage): DetailLine[] {
  const { check, status, startedAt, endedAt, ending, firstLook, isBaseline } = outage
  const fell: DetailLine[] = [
    { at: startedAt, what: isBaseline ? 'already' : 'down', check, status },
    ...(firstLook ? [{ at: firstLook.at, what: 'looked', check, look: firstLook } as const] : []),
  ]
  if (!endedAt) return fell
  const what = ending === undefined || ending === 'recovered' ? 'up' : ending
  return [...fell, { at: endedAt, what, check, status, downMs: endedAt.getTime() - startedAt.getTime() }]
}
