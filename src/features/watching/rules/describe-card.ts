import type { Outage, PollFailure } from '../../../domain/outages/outage.ts'
import { type NextCall, namesOf } from '../escalation/rules.ts'
import type { Runbook } from '../runbook/rules.ts'
import type { CardState, CardWithOutages } from './card.ts'
import {
  type BlindModel,
  type CardHead,
  type CardModel,
  type DetailLine,
  type DetailsModel,
  type FlappingModel,
  MOST_DETAILS,
  MOST_ROWS,
  type MuteShown,
  type OutageModel,
  type StillDownModel,
  type StormModel,
} from './card-model.ts'
import { groupOutages } from './grouping.ts'
import { flipsOf } from './noise.ts'
import { eachInSlices, type Slices } from './slices.ts'

/** The mute that is in force in the card's channel, if any. */
interface MuteInForce {
  readonly muted?: MuteShown | undefined
  readonly call?: NextCall | undefined
  readonly runbooks?: readonly Runbook[]
}

/** What the card should say now. One about many checks takes many slices. */
export function* cardModel(
  told: CardWithOutages,
  { muted, call, runbooks = [] }: MuteInForce = {},
): Slices<CardModel> {
  const { card } = told
  const head = {
    cardId: card.id,
    environment: card.environment,
    ...(card.unwatchedAt && { unwatchedAt: card.unwatchedAt }),
  }
  if (card.kind === 'blind') return blindModel(head, card)
  const answer = {
    ...(card.acknowledged && { acknowledged: card.acknowledged }),
    ...(muted && !card.closedAt && { muted }),
    ...(call && { call: { at: call.at, names: namesOf(call.call) } }),
    ...(runbooks.length > 0 && !card.closedAt && { runbooks }),
  }
  if (card.kind === 'outage') return { ...head, ...answer, ...outageModel(told) }
  if (card.kind === 'flapping') return { ...head, ...answer, ...flappingModel(told) }
  if (card.kind === 'digest' || card.kind === 'maintenance')
    throw new Error(`A ${card.kind} is drawn from more than its card.`)
  return { ...head, ...answer, ...(yield* manyModel(told, card.kind)) }
}

const blindModel = (head: CardHead, card: CardState): BlindModel => ({
  ...head,
  kind: 'blind',
  // Of a blind card it is one of these.
  why: (card.reason ?? 'unreachable') as PollFailure,
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
  const { check, status, startedAt, endedAt, ending, firstLook } = lastOf(told)
  return {
    kind: 'outage',
    check,
    status,
    state: endedAt ? (ending ?? 'recovered') : 'down',
    since: startedAt,
    ...(endedAt && { endedAt }),
    earlier: told.outages.length - 1,
    ...(firstLook && { firstLook }),
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
    ...overOf(card),
    since: outages[0]?.startedAt ?? last.startedAt,
    lastAt: last.endedAt ?? last.startedAt,
    flips: flipsOf(outages).length,
    downMs: downMsOf(outages, card.changedAt),
  }
}

function* manyModel(
  { card, outages }: CardWithOutages,
  kind: 'storm' | 'still-down',
): Slices<Omit<StormModel, keyof CardHead> | Omit<StillDownModel, keyof CardHead>> {
  /** The latest outage of each check. */
  const byCheck = new Map<string, Outage>()
  yield* eachInSlices(outages, (outage) => byCheck.set(`${outage.check.uuid} ${outage.status}`, outage))
  const latest = [...byCheck.values()]
  if (card.reason === 'replaced')
    return {
      kind: 'still-down',
      reason: 'replaced',
      at: card.openedAt,
      total: latest.length,
      stillDown: 0,
      rows: [],
    }
  let stillDown = 0
  const down: Outage[] = []
  const over: Outage[] = []
  yield* eachInSlices(latest, (outage) => {
    if (!outage.endedAt) stillDown += 1
    const shown = outage.endedAt ? over : down
    if (shown.length < MOST_ROWS) shown.push(outage)
  })
  const shared = {
    total: latest.length,
    stillDown,
    ...overOf(card),
    rows: [...down, ...over].slice(0, MOST_ROWS),
  }
  if (kind === 'storm') return { kind, since: card.openedAt, ...shared, ...(yield* groupOutages(latest)) }
  const { reason: told } = card
  const reason =
    told === 'mute-ended' || told === 'maintenance-over' || told === 'resumed' ? told : 'reminder'
  return { kind, reason, at: card.openedAt, ...shared }
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

/** What the reply in the card's thread should say; undefined while there is nothing that the card does not say itself. */
export function* detailsModel({ card, outages }: CardWithOutages): Slices<DetailsModel | undefined> {
  if (card.kind === 'blind' || card.kind === 'digest' || card.kind === 'maintenance') return undefined
  if (card.reason === 'replaced') return undefined
  const { acknowledged } = card
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
  if (acknowledged) add({ at: acknowledged.at, what: 'acknowledged', byName: acknowledged.name })
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

/** First to last; those of one time as they came. */
const latestOf = (lines: readonly DetailLine[]): DetailLine[] =>
  lines.toSorted((left, right) => left.at.getTime() - right.at.getTime()).slice(-MOST_DETAILS)

/** What happened to it, as the reply in a card's thread and a report tell it. */
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
