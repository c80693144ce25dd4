import type { Environment } from '../../../domain/environment.ts'
import type { CheckFacts, OnIt, OutageEnding, Unseen } from '../../../domain/outages/outage.ts'
import type { CardWithIncidents, ListedIncident } from './card.ts'
import { type CheckGroup, groupChecks } from './grouping.ts'
import { isBlindness, type Mention, type PostReason } from './incident.ts'
import { getStateOnMessage, type StateOnMessage } from './message-content.ts'
import type { Silence } from './silence.ts'
import { eachInSlices, type Slices } from './slices.ts'
import type { Moment } from './watch-clock.ts'

const MAX_ROWS = 90

export type ShownSilence = Pick<
  Silence,
  'kind' | 'planId' | 'subject' | 'environment' | 'channelId' | 'to' | 'reason'
>

/** The content of a message about incidents, as data. */
export interface CardModel {
  readonly kind: 'card' | 'page'
  readonly cardId: string
  /** Buttons apply to what this version of the message lists. */
  readonly version: number
  readonly environment: Environment
  readonly reason: PostReason
  /** When what it lists last changed. */
  readonly at: Date
  /** How many health checks it lists, and how many of them are down. The environment itself isn't one. */
  readonly total: number
  readonly downCount: number
  /** How many of its incidents aren't over. */
  readonly openCount: number
  /** That the checks can't be seen comes first, then the checks that are down, newest first, and then the others. */
  readonly rows: readonly ListedIncident[]
  /** How all its checks that aren't down ended or, if they're only up yet, will probably end. Also those for which `rows` has no place. */
  readonly endings: readonly OutageEnding[]
  /** Set if something that isn't over is listed, and the checks can't be seen. */
  readonly unseen?: Unseen | undefined
  /** Who is on the incidents that are down, in the order they took them. */
  readonly onIt: readonly OnIt[]
  /** True if nobody is on at least one of the incidents that aren't over. */
  readonly hasUnattended: boolean
  /** A silence that covers everything that is down. */
  readonly silence?: ShownSilence | undefined
  /** The next page if nobody takes an incident. Without a time, it waits until the checks can be seen again. */
  readonly nextPage?: { readonly at?: Date | undefined; readonly names: string } | undefined
  readonly runbooks: readonly string[]
  readonly movedTo: CardWithIncidents['movedTo']
  readonly unwatchedCount: number
  readonly groupedBy?: 'host' | 'name'
  readonly groups?: readonly CheckGroup[]
  readonly page?: { readonly mentions: readonly Mention[]; readonly since: Date } | undefined
}

/** What applies to a card in its channel. */
interface ChannelContext {
  readonly now: Moment
  readonly silence?: ShownSilence | undefined
  readonly runbooks?: readonly string[]
}

/** Computes the content of a card or page. Runs in slices, because a card can list thousands of checks. */
export function* cardModel(
  { card, version, incidents, movedTo, unseen }: CardWithIncidents,
  { now, silence, runbooks = [] }: ChannelContext,
): Slices<CardModel> {
  const byState: Record<StateOnMessage | 'blind', ListedIncident[]> = {
    blind: [],
    down: [],
    up: [],
    over: [],
  }
  const downChecks: CheckFacts[] = []
  let changedMs = card.openedAt.getTime()
  yield* eachInSlices(incidents, (incident) => {
    byState[isBlindness(incident) ? 'blind' : getStateOnMessage(incident)].push(incident)
    if (incident.isDown && !isBlindness(incident)) downChecks.push(incident.check)
    changedMs = Math.max(changedMs, getChangedMs(incident))
  })
  const { blind, down, up, over } = byState
  const open = [...blind.filter(({ closed }) => !closed), ...down, ...up]
  const onIt = new Map(
    open.flatMap(({ isDown, onIt: person }) => (isDown && person ? [[person.by, person] as const] : [])),
  )
  const { nextPage, page } = card
  return {
    kind: card.kind === 'page' ? 'page' : 'card',
    cardId: card.id,
    version,
    environment: card.environment,
    reason: card.reason ?? 'down',
    at: new Date(changedMs),
    total: incidents.length - blind.length,
    downCount: down.length,
    openCount: open.length,
    rows: [...blind, ...down.toReversed(), ...up, ...over].slice(0, MAX_ROWS),
    endings: listEndings([...up, ...over]),
    unseen: open.length > 0 ? unseen : undefined,
    onIt: [...onIt.values()].sort((left, right) => left.at.getTime() - right.at.getTime()),
    hasUnattended: open.some((incident) => !incident.onIt),
    silence: down.length > 0 ? silence : undefined,
    nextPage: nextPage && {
      names: nextPage.names,
      at: nextPage.isHeldBack
        ? undefined
        : new Date(now.at.getTime() + Math.max(0, nextPage.atMs - now.clockMs)),
    },
    runbooks: down.length > 0 ? runbooks : [],
    movedTo,
    unwatchedCount: card.unwatchedCount,
    page: page && { mentions: page.mentions, since: new Date(page.since) },
    ...(down.length > 1 && (yield* groupChecks(downChecks))),
  }
}

export const listEndings = (incidents: readonly ListedIncident[]): OutageEnding[] =>
  [...new Set(incidents.map(({ closed }) => closed?.ending ?? 'recovered'))].toSorted()

/** When an incident last went down, came up, or was over. */
const getChangedMs = ({ fell, up, closed }: ListedIncident): number =>
  Math.max(fell.at.getTime(), up?.at.getTime() ?? 0, closed?.at.getTime() ?? 0)
