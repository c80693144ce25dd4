// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: each function mirrors one of the app step by step
import { runInSlices } from '../../../../packages/runtime/src/index.ts'
import type { Environment } from '../../../../src/domain/environment.ts'
import type { OnIt, Outage } from '../../../../src/domain/outages/outage.ts'
import type { Alert, OutageCard } from '../../../../src/features/watching/rules/alert.ts'
import {
  type CatchUp,
  decide,
  getInheritedOnItRemainingMs,
  RELAPSE_MS,
} from '../../../../src/features/watching/rules/decide.ts'
import type { Escalation } from '../../../../src/features/watching/rules/escalate.ts'
import type { EscalationStep } from '../../../../src/features/watching/rules/escalation-steps.ts'
import {
  globMatcher,
  type PreparedWatch,
  prepareWatch,
} from '../../../../src/features/watching/rules/matching.ts'
import { isInForce, type PreparedSilence } from '../../../../src/features/watching/rules/silence.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import { measureElapsed, readWatchClock } from '../../../../src/features/watching/rules/watch-clock.ts'

export const MINUTE = 60_000
export const INTERVAL = MINUTE
const BLIND_POLLS = 5

/** An outage with its polling state. `startedClockMs` and the other `…ClockMs` fields are times of the watch clock. */
export interface TrackedOutage {
  id: string
  env: Environment
  uuid: string
  name: string
  startedAt: number
  startedClockMs: number
  /** The most bad polls in a row so far. */
  bad: number
  /** Current number of bad polls in a row. */
  run: number
  /** Current number of good polls in a row. The second ends the outage. */
  good: number
  goodAt: number
  goodClockMs: number
  endedAt?: number
  endedClockMs?: number
  onIt?: OnIt
}

/** A silence. `subject` is a name pattern or a UUID. */
export interface TestSilence {
  id: string
  subject: string
  env: Environment
  channel: string | undefined
  from: number
  until: number
  hasBegun?: true
  isOver?: true
}

export interface PendingPage {
  key: string
  channel: string
  env: Environment
  card: string
  people: string[]
  steps: readonly Pick<Escalation, 'outageId' | 'watchId' | 'run' | 'step'>[]
}

export interface TestCard extends Omit<OutageCard, 'shownVersion' | 'isUnposted'> {
  shownVersion: number
  isUnposted: boolean
  channel: string
  env: Environment
  listedOutageIds: string[]
  /** The card's rows as JSON, as `renderContent` builds them. */
  content: string
}

interface Channel {
  alerts: Alert[]
  escalations: Escalation[]
}

/** An in-memory stand-in for the watching tables, with only the fields that decisions read. */
export interface WatchingState {
  scopes: Record<
    Environment,
    { clockMs: number; savedAt: number; lastOkAt: number; failedPolls: number; isFailureReported: boolean }
  >
  outages: TrackedOutage[]
  watches: Watch[]
  silences: TestSilence[]
  /** By `channel environment`. */
  channels: Record<string, Channel>
  cards: TestCard[]
  calls: PendingPage[]
  /** Channels in which Slack refuses posts. */
  closedChannels: string[]
  /** Paused channels in which Slack accepts messages again, as `channel environment`. */
  resumedChannels: string[]
  deactivatedPeople: string[]
  nextId: number
}

export const createState = (now: number): WatchingState => ({
  scopes: {
    production: { clockMs: 0, savedAt: now, lastOkAt: now, failedPolls: 0, isFailureReported: false },
    ote: { clockMs: 0, savedAt: now, lastOkAt: now, failedPolls: 0, isFailureReported: false },
  },
  ...{
    outages: [],
    watches: [],
    silences: [],
    channels: {},
    cards: [],
    calls: [],
    closedChannels: [],
    deactivatedPeople: [],
    nextId: 1,
  },
  resumedChannels: [],
})

export const readClockMs = (
  { clockMs, savedAt: at, lastOkAt }: WatchingState['scopes']['ote'],
  now: number,
): number =>
  readWatchClock(
    { clockMs, savedAt: new Date(at), lastOkAt: new Date(lastOkAt), intervalMs: INTERVAL },
    new Date(now),
  )

export const toOutage = ({ id, uuid, name, startedAt, endedAt, onIt, bad }: TrackedOutage): Outage => ({
  ...{ id, status: 'UNHEALTHY', isBaseline: false, badPolls: bad },
  check: { uuid, name },
  startedAt: new Date(startedAt),
  endedAt: endedAt === undefined ? undefined : new Date(endedAt),
  onIt,
})

const preparedWatches = new WeakMap<Watch, PreparedWatch>()
const getPrepared = (watch: Watch): PreparedWatch => {
  const prepared = preparedWatches.get(watch) ?? prepareWatch(watch)
  preparedWatches.set(watch, prepared)
  return prepared
}
export const matchesWatch = (watch: Watch, { env, uuid, name }: TrackedOutage): boolean =>
  watch.environment === env && getPrepared(watch).matches({ uuid, name })

const toSilence = ({
  id,
  subject,
  env,
  channel,
  from,
  until,
  hasBegun,
  isOver,
}: TestSilence): PreparedSilence => {
  const isNamed = globMatcher(subject)
  return {
    ...{ id, environment: env, channelId: channel, hasBegun, isOver },
    from: new Date(from),
    until: new Date(until),
    covers: ({ uuid, name }) => uuid === subject || isNamed(name),
  }
}
export const isSilenced = (
  world: WatchingState,
  channel: string,
  { env, uuid, name }: TrackedOutage,
  now: number,
): boolean =>
  world.silences.some((testSilence) => {
    const silence = toSilence(testSilence)
    const isHere = testSilence.env === env && (testSilence.channel ?? channel) === channel
    return isHere && isInForce(silence, new Date(now)) && silence.covers({ uuid, name })
  })

/** Records a poll. `checks` is undefined if the service didn't answer. */
export function observe(
  world: WatchingState,
  env: Environment,
  checks: ReadonlyMap<string, { name: string; isBad: boolean }> | undefined,
  now: number,
): void {
  const scope = world.scopes[env]
  if (!checks) {
    scope.failedPolls += 1
    scope.isFailureReported ||= scope.failedPolls >= BLIND_POLLS
    return
  }
  const clockMs = readClockMs(scope, now)
  world.scopes[env] = { clockMs, savedAt: now, lastOkAt: now, failedPolls: 0, isFailureReported: false }
  const open = new Map(
    world.outages.flatMap((outage) => (outage.env === env && !outage.endedAt ? [[outage.uuid, outage]] : [])),
  )
  for (const [uuid, outage] of open) {
    const check = checks.get(uuid)
    if (!check) Object.assign(outage, { endedAt: now, endedClockMs: clockMs })
    else if (check.isBad) {
      Object.assign(outage, {
        name: check.name,
        run: outage.run + 1,
        good: 0,
        bad: Math.max(outage.bad, outage.run + 1),
      })
    } else {
      if (outage.good === 0) Object.assign(outage, { goodAt: now, goodClockMs: clockMs })
      Object.assign(outage, { name: check.name, run: 0, good: outage.good + 1 })
      if (outage.good === 2)
        Object.assign(outage, { endedAt: outage.goodAt, endedClockMs: outage.goodClockMs })
    }
  }
  for (const [uuid, { name, isBad }] of checks) {
    if (!isBad || open.has(uuid)) continue
    const last = world.outages.findLast((outage) => outage.env === env && outage.uuid === uuid)
    const ended = { at: new Date(last?.endedAt ?? 0), clockMs: last?.endedClockMs ?? 0 }
    const isRelapse = last?.onIt && measureElapsed(ended, { at: new Date(now), clockMs }) < RELAPSE_MS
    world.outages.push({
      ...{ id: `o${world.nextId++}`, env, uuid, name, startedAt: now, startedClockMs: clockMs },
      ...{ bad: 1, run: 1, good: 0, goodAt: 0, goodClockMs: 0 },
      ...(isRelapse && { onIt: last.onIt }),
    })
  }
}

const findChannelsListing = (world: WatchingState, outage: string): Channel[] =>
  Object.values(world.channels).filter(({ alerts }) => alerts.some(({ outageId }) => outageId === outage))

/** Removes the person who is on an outage, like `rows/acknowledgments.ts`. */
export function releaseOutage(world: WatchingState, outage: TrackedOutage, now: number): void {
  delete outage.onIt
  const scope = world.scopes[outage.env]
  const clockMs = readClockMs(scope, now)
  if (clockMs > scope.clockMs) Object.assign(scope, { clockMs, savedAt: now })
  for (const channel of findChannelsListing(world, outage.id)) {
    channel.alerts = channel.alerts.map((alert) =>
      alert.outageId === outage.id && !alert.removal
        ? { ...alert, listedClockMs: clockMs, wasAddedByEdit: true }
        : alert,
    )
    channel.escalations = channel.escalations.map(({ runningSinceMs, callId, ...escalation }) =>
      escalation.outageId === outage.id
        ? { ...escalation, run: escalation.run + 1, step: 0, waitedMs: 0 }
        : { ...escalation, runningSinceMs, callId },
    )
  }
}

export const isInherited = ({ onIt, startedClockMs }: TrackedOutage): boolean =>
  onIt !== undefined && onIt.clockMs < startedClockMs

/** A person presses “I’m on it” for the outages that a version of a card showed, like `rows/acknowledgments.ts`. */
export function takeOutages(world: WatchingState, ids: readonly string[], by: string, now: number): void {
  const open = world.outages.filter((outage) => ids.includes(outage.id) && !outage.endedAt)
  const unattended = open.filter((outage) => !outage.onIt || isInherited(outage))
  for (const outage of unattended.length > 0 ? unattended : open)
    outage.onIt = { by, name: by, at: new Date(now), clockMs: readClockMs(world.scopes[outage.env], now) }
}

/** Adds or changes a watch, like `rows/watches.ts`. */
export function addOrChangeWatch(world: WatchingState, watch: Watch): void {
  const alerts = world.channels[`${watch.channelId} ${watch.environment}`]?.alerts ?? []
  const listed = new Set(alerts.flatMap(({ cardId, outageId }) => (cardId === undefined ? [] : [outageId])))
  const before = world.watches.find(({ id }) => id === watch.id)
  const baseline = world.outages.flatMap((outage) => {
    const wasReportedBefore = before && matchesWatch(before, outage) && !before.baseline.includes(outage.id)
    const isAlreadyDown = !outage.endedAt && matchesWatch(watch, outage) && outage.bad >= watch.afterBadPolls
    return isAlreadyDown && !listed.has(outage.id) && !wasReportedBefore ? [outage.id] : []
  })
  world.watches = [...world.watches.filter(({ id }) => id !== watch.id), { ...watch, baseline }]
}

/** Decides for every channel, and saves the decisions. Returns when to decide again. */
export async function update(world: WatchingState, now: number): Promise<number> {
  let wake = Number.POSITIVE_INFINITY
  for (const silence of world.silences) {
    if (silence.from <= now) silence.hasBegun = true
    if (silence.until <= now) silence.isOver = true
    if (!silence.isOver) wake = Math.min(wake, silence.hasBegun ? silence.until : silence.from)
  }
  for (const outage of world.outages) {
    if (outage.endedAt || !outage.onIt) continue
    const clockMs = readClockMs(world.scopes[outage.env], now)
    const watched = { outage: toOutage(outage), badPolls: outage.bad, startedClockMs: outage.startedClockMs }
    const leftMs = getInheritedOnItRemainingMs(watched, clockMs)
    if (world.deactivatedPeople.includes(outage.onIt.by)) releaseOutage(world, outage, now)
    else if (leftMs !== undefined && leftMs <= 0) {
      delete outage.onIt
      for (const channel of findChannelsListing(world, outage.id))
        channel.alerts = channel.alerts.map((alert) =>
          alert.outageId === outage.id ? { ...alert, wasAddedByEdit: true } : alert,
        )
    } else if (leftMs !== undefined) wake = Math.min(wake, now + leftMs)
  }
  const channelKeys = [
    ...world.watches.map((watch) => `${watch.channelId} ${watch.environment}`),
    ...Object.keys(world.channels),
  ]
  for (const name of new Set(channelKeys)) {
    const wakeInMs = await updateChannel(world, name, now)
    if (wakeInMs !== undefined) wake = Math.min(wake, now + wakeInMs)
  }
  return wake
}

async function updateChannel(world: WatchingState, name: string, now: number): Promise<number | undefined> {
  const [channelId = '', environment] = name.split(' ') as [string, Environment]
  const channel = world.channels[name] ?? { alerts: [], escalations: [] }
  world.channels[name] = channel
  const scope = world.scopes[environment]
  const moment = { at: new Date(now), clockMs: readClockMs(scope, now) }
  const isPaused = world.closedChannels.includes(channelId)
  const isResumed = world.resumedChannels.includes(name) && !isPaused && !scope.isFailureReported
  const catchUp: CatchUp | undefined = isResumed ? { kind: 'resumed' } : undefined
  if (catchUp)
    world.resumedChannels = world.resumedChannels.filter((resumedChannel) => resumedChannel !== name)
  const channelCards = world.cards.filter((card) => card.channel === channelId && card.env === environment)
  const unposted = new Set(channelCards.filter(({ isUnposted }) => isUnposted).map(({ id }) => id))
  const alerts = channel.alerts.filter(
    ({ removal, cardId }) =>
      !removal ||
      cardId === undefined ||
      unposted.has(cardId) ||
      measureElapsed(removal, moment) < RELAPSE_MS,
  )
  const shownCardIds = new Set(alerts.map(({ cardId }) => cardId))
  const alertedIds = new Set(alerts.map(({ outageId }) => outageId))
  const channelOutages = world.outages.filter(
    (outage) => outage.env === environment && (!outage.endedAt || alertedIds.has(outage.id)),
  )
  const open = new Set(channelOutages.filter(({ endedAt }) => !endedAt).map(({ id }) => id))
  const reminder = channelCards.find(({ kind, closedAt }) => kind === 'reminder' && !closedAt)
  const decision = await runInSlices(
    decide(
      {
        channel: { channelId, environment },
        watches: world.watches
          .filter((watch) => watch.channelId === channelId && watch.environment === environment)
          .map(getPrepared),
        silences: world.silences
          .filter(({ env, channel: only }) => env === environment && (only ?? channelId) === channelId)
          .map(toSilence),
        outages: channelOutages.map((outage) => ({
          outage: toOutage(outage),
          badPolls: outage.bad,
          startedClockMs: outage.startedClockMs,
          endedClockMs: outage.endedClockMs,
        })),
        alerts,
        cards: channelCards.filter(({ id, closedAt }) => !closedAt || shownCardIds.has(id)),
        reminderOutageIds: new Set(reminder?.listedOutageIds),
        escalations: channel.escalations.filter(({ outageId }) => open.has(outageId)),
        isPaused,
        isFailureReported: scope.isFailureReported,
        catchUp,
      },
      moment,
      () => `c${world.nextId++}`,
    ),
  )
  const { cards, deletedCardIds, alerts: changedAlerts, deletedAlertIds, escalations, calls } = decision
  const hasChanged = [cards, deletedCardIds, changedAlerts, deletedAlertIds, escalations, calls].some(
    ({ length }) => length > 0,
  )
  if (hasChanged && moment.clockMs > scope.clockMs)
    Object.assign(scope, { clockMs: moment.clockMs, savedAt: now })
  for (const { watchId, baseline } of decision.baselines)
    world.watches = world.watches.map((watch) => (watch.id === watchId ? { ...watch, baseline } : watch))
  const changedByOutage = new Map(decision.alerts.map((alert) => [alert.outageId, alert]))
  channel.alerts = [
    ...channel.alerts.filter(
      ({ outageId }) => !changedByOutage.has(outageId) && !decision.deletedAlertIds.includes(outageId),
    ),
    ...changedByOutage.values(),
  ].sort((left, right) => left.listedClockMs - right.listedClockMs)
  const changedEscalations = new Map(
    decision.escalations.map((escalation) => [`${escalation.outageId} ${escalation.watchId}`, escalation]),
  )
  channel.escalations = [
    ...channel.escalations.filter(
      ({ outageId, watchId }) => !changedEscalations.has(`${outageId} ${watchId}`),
    ),
    ...changedEscalations.values(),
  ]
  for (const { isNew, ...card } of decision.cards) {
    const before = world.cards.find(({ id }) => id === card.id)
    if (isNew)
      world.cards.push({ ...card, channel: channelId, env: environment, listedOutageIds: [], content: '' })
    else if (before) Object.assign(before, card)
  }
  for (const { cardId, outageId } of decision.cardOutages) {
    const card = world.cards.find(({ id }) => id === cardId)
    if (card && !card.listedOutageIds.includes(outageId)) card.listedOutageIds.push(outageId)
  }
  world.cards = world.cards.filter(({ id }) => !decision.deletedCardIds.includes(id))
  for (const { id, cardId, responders, steps } of decision.calls)
    world.calls.push({
      ...{ key: id, channel: channelId, env: environment, card: cardId, steps },
      people: responders.map((responder) => responder.name),
    })
  for (const card of world.cards)
    if (card.channel === channelId && card.env === environment) card.content = renderContent(world, card, now)
  return decision.wakeInMs
}

/** The content of a card as rows: ID, state, name, who is on it, and whether it is silenced. */
function renderContent(world: WatchingState, card: TestCard, now: number): string {
  if (card.reason === 'replaced') return 'replaced'
  const alerts = world.channels[`${card.channel} ${card.env}`]?.alerts ?? []
  return JSON.stringify(
    card.listedOutageIds.flatMap((id) => {
      const outage = world.outages.find((other) => other.id === id)
      const alert = alerts.find(({ outageId }) => outageId === id)
      if (!outage) return []
      const isHere = card.kind === 'reminder' || alert?.cardId === card.id
      const isListed = alert?.cardId !== undefined
      const state = !isListed ? 'unwatched' : !isHere ? 'moved' : (alert.removal?.reason ?? 'down')
      const isDown = state === 'down'
      return [
        [
          id,
          state,
          isDown ? outage.name : '',
          isDown ? (outage.onIt?.by ?? '') : '',
          isDown && isSilenced(world, card.channel, outage, now),
        ],
      ]
    }),
  )
}

/** The escalation steps that watches of a channel can have. */
export const listEscalations = (channel: string): readonly (readonly EscalationStep[] | undefined)[] => {
  const to = (name: string) => [{ name }]
  return [
    undefined,
    [{ afterMs: 5 * MINUTE, responders: to(`@${channel}1`) }],
    [{ afterMs: 2 * MINUTE, responders: to('@x') }],
    [
      { afterMs: 5 * MINUTE, responders: to(`@${channel}1`) },
      { afterMs: 8 * MINUTE, responders: to('@lead') },
      { afterMs: 30 * MINUTE, responders: to('@boss') },
    ],
  ]
}
