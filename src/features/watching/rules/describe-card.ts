import { HOUR_MS } from '@signalman/runtime'
import type { Environment } from '../../../domain/environment.ts'
import type {
  CheckFacts,
  FirstProbe,
  OnIt,
  OnItChange,
  Outage,
  OutageEnding,
  PollFailure,
} from '../../../domain/outages/outage.ts'
import type { NextCall } from './alert.ts'
import type { CardState, CardWithOutages, ListedOutage, ListReason } from './card.ts'
import { groupOutages } from './grouping.ts'
import type { Silence } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'

const MAX_ROWS = 90
const MAX_DETAILS = 40

export type ShownSilence = Pick<
  Silence,
  'kind' | 'planId' | 'subject' | 'environment' | 'channelId' | 'to' | 'reason'
>

/** The parts that every card can show. */
export interface CardHead {
  readonly cardId: string
  /** Buttons apply to the outages that this version of the card shows. */
  readonly version: number
  readonly environment: Environment
  /** When the channel stopped watching this. The card isn't updated after that. */
  readonly unwatchedAt?: Date | undefined
  /** Who is on the outages, in the order they took them. */
  readonly onIt?: readonly OnIt[] | undefined
  /** True if at least one of the outages has nobody on it. */
  readonly hasUnattended?: boolean | undefined
  /** A silence that covers every outage on the card. */
  readonly silence?: ShownSilence | undefined
  /** The next page if nobody takes an outage. */
  readonly nextCall?: NextCall | undefined
  /** Runbook links. */
  readonly runbooks?: readonly string[] | undefined
}

/** The content of a message, as data. */
export type CardModel = OutageModel | MultiCheckModel | UnreachableModel
export type OutageModel = CardHead & ReturnType<typeof outageModel>
export type MultiCheckModel = CardHead &
  (ReturnType<typeof multiCheckModel> extends Slices<infer Model> ? Model : never)
export type UnreachableModel = CardHead & ReturnType<typeof unreachableModel>

/** The silence and runbooks that apply to a card in its channel. */
interface ChannelContext {
  readonly silence?: ShownSilence | undefined
  readonly runbooks?: readonly string[]
}

const isDown = ({ endedAt, listed }: ListedOutage): boolean => !endedAt && listed === 'here'

/** Computes the content of a card. Runs in slices, because a card can list thousands of checks. */
export function* cardModel(
  listing: CardWithOutages,
  { silence, runbooks = [] }: ChannelContext = {},
): Slices<CardModel> {
  const { card, version, outages } = listing
  const { kind, unwatchedAt, nextCall } = card
  const down = outages.filter(isDown)
  const onIt = new Map(down.flatMap(({ onIt: person }) => (person ? [[person.by, person] as const] : [])))
  const head: CardHead = {
    cardId: card.id,
    version,
    environment: card.environment,
    ...(unwatchedAt && { unwatchedAt }),
    ...(onIt.size > 0 && {
      onIt: [...onIt.values()].sort((left, right) => left.at.getTime() - right.at.getTime()),
    }),
    ...(down.some((outage) => !outage.onIt) && { hasUnattended: true }),
    ...(silence && down.length > 0 && { silence }),
    ...(nextCall && !card.closedAt && { nextCall }),
    ...(runbooks.length > 0 && down.length > 0 && { runbooks }),
  }
  if (kind === 'blind') return { ...head, ...unreachableModel(card) }
  if (kind === 'digest' || kind === 'maintenance')
    throw new Error(`The content of a ${kind} card is computed elsewhere.`)
  const first = outages[0]?.check.uuid
  const isSingleCheck = kind === 'outage' && outages.every(({ check }) => check.uuid === first)
  if (isSingleCheck && (card.reason ?? 'down') === 'down') return { ...head, ...outageModel(listing) }
  return { ...head, ...(yield* multiCheckModel(listing)) }
}

const unreachableModel = ({
  reason = 'unreachable',
  openedAt,
  closedAt,
  unwatchedAt,
  missedChanges,
}: CardState) => ({
  kind: 'blind' as const,
  // Cast: a card of this kind is only posted for one of these reasons.
  reason: reason as PollFailure,
  since: openedAt,
  // If the channel stopped watching first, the end wasn't observed.
  ...(closedAt && !unwatchedAt && { endedAt: closedAt }),
  /** Changes while the service couldn't be reached. */
  ...(missedChanges && { missedChanges }),
})

/** The state of an outage on a card. */
export type OutageState = 'down' | OutageEnding | 'moved' | 'unwatched'
export const getStateOnCard = ({ endedAt, ending, listed }: ListedOutage): OutageState => {
  if (listed !== 'here') return listed
  return endedAt ? (ending ?? 'recovered') : 'down'
}

/** This many changes of one check within an hour count as flapping. */
const FLAPPING_CHANGES = 4

/** How many times checks went down or recovered in the hour before `at`. */
const countRecentChanges = (outages: readonly Outage[], at: Date): number =>
  outages
    .flatMap(({ startedAt, endedAt }) => (endedAt ? [startedAt, endedAt] : [startedAt]))
    .filter((change) => change <= at && at.getTime() - change.getTime() <= HOUR_MS).length

/** A card about a single check. Shows its open outage, or its last one if none is open. */
function outageModel({ card, outages }: CardWithOutages) {
  const last = outages.findLast(isDown) ?? outages.at(-1)
  // Can't happen: a card is saved together with its first outage.
  if (!last) throw new Error(`Card ${card.id} lists no outages.`)
  const { check, startedAt, endedAt, firstProbe, onIt } = last
  const changes = countRecentChanges(outages, card.changedAt)
  return {
    kind: 'outage' as const,
    check,
    state: getStateOnCard(last),
    since: startedAt,
    ...(endedAt && { endedAt }),
    /** How many earlier outages this card listed. */
    earlierCount: outages.length - 1,
    ...(firstProbe && { firstProbe }),
    /** Changes in the last hour, if there were many. */
    ...(changes >= FLAPPING_CHANGES && { flappingCount: changes }),
    /** Who was on it when it ended. */
    ...(endedAt && onIt && { lastOnIt: onIt }),
  }
}

function* multiCheckModel({ card, outages }: CardWithOutages) {
  /** Each check's open outage, or its latest one. */
  const byCheck = new Map<string, ListedOutage>()
  yield* eachInSlices(outages, (outage) => {
    const current = byCheck.get(outage.check.uuid)
    if (!current || !isDown(current) || isDown(outage)) byCheck.set(outage.check.uuid, outage)
  })
  const latest = [...byCheck.values()]
  const reason: ListReason | 'reminder' =
    // Cast: a card that lists outages is only posted for one of these reasons.
    card.kind === 'reminder' && card.reason !== 'replaced'
      ? 'reminder'
      : ((card.reason ?? 'down') as ListReason)
  let downCount = 0
  let movedCount = 0
  const downRows: ListedOutage[] = []
  const endedRows: ListedOutage[] = []
  yield* eachInSlices(latest, (outage) => {
    if (isDown(outage)) downCount += 1
    if (outage.listed === 'moved') movedCount += 1
    const rows = isDown(outage) ? downRows : endedRows
    if (rows.length < MAX_ROWS) rows.push(outage)
  })
  return {
    kind: 'multi-check' as const,
    reason,
    at: card.openedAt,
    checkCount: latest.length,
    downCount,
    /** How many checks a newer card lists. */
    movedCount,
    ...(card.closedAt && downCount === 0 && movedCount === 0 && { endedAt: card.closedAt }),
    /** Open outages first. A replaced reminder lists none. */
    rows: reason === 'replaced' ? [] : [...downRows, ...endedRows].slice(0, MAX_ROWS),
    /** Whether every outage ended with a recovery. */
    haveAllRecovered: latest.every((outage) => getStateOnCard(outage) === 'recovered'),
    ...(reason === 'down' && latest.length > 1 && (yield* groupOutages(latest))),
  }
}

/** An event in a card's thread or timeline. */
export interface OutageEvent {
  readonly at: Date
  readonly kind:
    | 'down'
    | 'already'
    | 'up'
    | Exclude<OutageEnding, 'recovered'>
    | OnItChange['kind']
    | 'renamed'
    | 'probed'
  readonly check?: CheckFacts | undefined
  /** How long it was down. */
  readonly downMs?: number | undefined
  readonly byName?: string | undefined
  /** The name of the person who was on it before. */
  readonly from?: string | undefined
  /** The check's previous name. */
  readonly name?: string | undefined
  readonly probe?: FirstProbe | undefined
}

/** The reply in a card's thread: one per card, updated by edits. */
export interface DetailsModel extends Pick<CardHead, 'cardId' | 'environment'> {
  readonly title: string
  /** The latest events, and how many earlier ones are left out. */
  readonly events: readonly OutageEvent[]
  readonly omittedCount: number
}

/** Computes the reply in the card's thread. Undefined if it would only repeat the card. */
export function* detailsModel({ card, outages }: CardWithOutages): Slices<DetailsModel | undefined> {
  if (card.kind !== 'outage') return undefined
  const names = new Set<string>()
  let count = 0
  let latest: OutageEvent[] = []
  const onItChanges = new Map<string, OnItChange>()
  const add = (...events: OutageEvent[]): void => {
    count += events.length
    latest.push(...events)
    // Only the latest events are shown, so the others are removed from time to time.
    if (latest.length >= 10 * MAX_DETAILS) latest = keepLatest(latest)
  }
  yield* eachInSlices(outages, (outage) => {
    names.add(outage.check.uuid)
    add(...listEvents(outage))
    // One button press can cover many outages, so its event is listed once.
    for (const change of outage.onItChanges ?? [])
      onItChanges.set(`${change.at.toISOString()} ${change.by} ${change.kind}`, change)
  })
  add(...[...onItChanges.values()].map(toOnItEvent))
  if (count < 2) return undefined
  const events = keepLatest(latest)
  const [first] = outages
  return {
    cardId: card.id,
    environment: card.environment,
    title: names.size === 1 && first ? first.check.name : `${names.size} health checks`,
    events,
    omittedCount: count - events.length,
  }
}

/** The event of someone taking outages, stepping down, or leaving the workspace. */
export const toOnItEvent = ({ at, name: byName, from, kind }: OnItChange): OutageEvent => ({
  at,
  kind,
  byName,
  from,
})

/** The latest events, oldest first. Events at the same time keep their order. */
const keepLatest = (events: readonly OutageEvent[]): OutageEvent[] =>
  events.toSorted((left, right) => left.at.getTime() - right.at.getTime()).slice(-MAX_DETAILS)

/** The events of an outage. */
export function listEvents(outage: Outage): OutageEvent[] {
  const { check, startedAt, endedAt, ending, firstProbe, isBaseline, earlierNames = [] } = outage
  const events: OutageEvent[] = [
    { at: startedAt, kind: isBaseline ? 'already' : 'down', check },
    ...(firstProbe ? [{ at: firstProbe.at, kind: 'probed', check, probe: firstProbe } as const] : []),
    ...earlierNames.map(({ name, until: at }): OutageEvent => ({ at, kind: 'renamed', check, name })),
  ]
  if (!endedAt) return events
  const kind = ending === undefined || ending === 'recovered' ? 'up' : ending
  return [...events, { at: endedAt, kind, check, downMs: endedAt.getTime() - startedAt.getTime() }]
}
