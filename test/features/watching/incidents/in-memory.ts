// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: each function stands for one of the app
import { runInSlices } from '../../../../packages/runtime/src/index.ts'
import { ENVIRONMENTS, type Environment } from '../../../../src/domain/environment.ts'
import {
  countBadPolls,
  type IncidentChange,
  observe,
  observeBad,
  openIncident,
} from '../../../../src/domain/outages/observe.ts'
import { BLIND_AFTER_MS, BLIND_AFTER_POLLS, type CheckFacts } from '../../../../src/domain/outages/outage.ts'
import { findAlreadyDown } from '../../../../src/features/watching/rules/adopt.ts'
import { decide } from '../../../../src/features/watching/rules/decide.ts'
import type { Reach } from '../../../../src/features/watching/rules/environment-state.ts'
import { keepStepTimes } from '../../../../src/features/watching/rules/escalation-steps.ts'
import {
  type Incident,
  type IncidentMessage,
  isBlindness,
  type Line,
  listPressed,
  newLine,
  releaseIncident,
} from '../../../../src/features/watching/rules/incident.ts'
import { globMatcher, prepareWatch } from '../../../../src/features/watching/rules/matching.ts'
import { getStateOnMessage } from '../../../../src/features/watching/rules/message-content.ts'
import { reachKey } from '../../../../src/features/watching/rules/paging/responders.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import {
  type Moment,
  measureElapsed,
  readWatchClock,
} from '../../../../src/features/watching/rules/watch-clock.ts'

export const MINUTE = 60_000
export const INTERVAL = MINUTE

export interface Scope {
  clockMs: number
  lastOkAt: number
  polls: number
  failedPolls: number
  failingSince?: number
}
export interface TestIncident extends Incident {
  readonly env: Environment
}
export interface TestLine extends Line {
  readonly env: Environment
}
export interface TestMessage extends IncidentMessage {
  readonly env: Environment
  /** What it should say: a `Content` as JSON. */
  readonly wanted: string
}
/** `about`: everything as `*`, a name pattern, or a UUID. */
export interface TestSilence {
  id: string
  kind: 'mute' | 'maintenance'
  about: string
  env: Environment
  channel?: string
  from: number
  until: number
  hasBegun?: true
  isOver?: true
}
export interface Person {
  isActive: boolean
  isGuest: boolean
  isAdmin: boolean
  channels: string[]
}
export interface Dm {
  key: string
  to: string
  why: 'still-on-it' | 'handed-over'
  about: string[]
}
/** The tables of watching in memory, as far as decisions read them. */
export interface State {
  scopes: Record<Environment, Scope>
  incidents: TestIncident[]
  lines: TestLine[]
  watches: Watch[]
  silences: TestSilence[]
  messages: TestMessage[]
  dms: Dm[]
  closedChannels: string[]
  /** As `channel environment`. */
  resumed: string[]
  people: Record<string, Person>
  groups: Record<string, string[]>
  nextId: number
}

const newScope = (now: number): Scope => ({ clockMs: 0, lastOkAt: now, polls: 0, failedPolls: 0 })
export const emptyState = (now: number): State => ({
  scopes: { production: newScope(now), ote: newScope(now) },
  ...{ incidents: [], lines: [], watches: [], silences: [], messages: [], dms: [], closedChannels: [] },
  ...{ resumed: [], people: {}, groups: {}, nextId: 1 },
})

/** Every poll is saved, so the clock counts from the last one. */
export const readClock = ({ clockMs, lastOkAt, failingSince }: Scope, now: number): number => {
  const savedAt = new Date(lastOkAt)
  const failing = failingSince === undefined ? undefined : new Date(failingSince)
  const clock = { clockMs, savedAt, lastOkAt: savedAt, failingSince: failing, intervalMs: INTERVAL }
  return readWatchClock(clock, new Date(now))
}
export const toMoment = (state: State, env: Environment, now: number): Moment => ({
  at: new Date(now),
  clockMs: readClock(state.scopes[env], now),
})
const newIdIn = (state: State) => (): string => String(state.nextId++)

export const fits = (watch: Watch, { env, check }: TestIncident): boolean =>
  watch.environment === env && (check.uuid === '' || prepareWatch(watch).matches(check))
export const isConfirmedFor = (state: State, watch: Watch, incident: TestIncident): boolean =>
  isBlindness(incident) || countBadPolls(incident, state.scopes[incident.env].polls) >= watch.afterBadPolls

export const holds = ({ from, until, hasBegun, isOver }: TestSilence, now: number): boolean =>
  !isOver && (hasBegun === true || from <= now) && now < until
const covers = ({ about }: TestSilence, { uuid, name }: { uuid: string; name: string }): boolean =>
  uuid !== '' && (about === uuid || globMatcher(about)(name))
export const silencesIn = (state: State, channel: string, env: Environment): TestSilence[] =>
  state.silences.filter((one) => one.env === env && (one.channel ?? channel) === channel)
export const isSilencedIn = (state: State, channel: string, incident: TestIncident, now: number): boolean =>
  silencesIn(state, channel, incident.env).some((one) => holds(one, now) && covers(one, incident.check))
export const isBlind = (state: State, env: Environment): boolean =>
  state.incidents.some((one) => one.env === env && isBlindness(one) && one.isDown)

/** Whether Slack can notify a person or somebody in a group in a channel, and they may press there. */
export function canHear(state: State, id: string, channel: string): boolean {
  const members = state.groups[id]
  if (members) return members.some((member) => canHear(state, member, channel))
  const person = state.people[id]
  return person?.isActive === true && !person.isGuest && person.channels.includes(channel)
}

function applyChanges(state: State, env: Environment, changes: readonly IncidentChange[]): void {
  for (const { incident, isNew } of changes)
    if (isNew) state.incidents.push({ ...incident, paged: {}, env })
    else
      state.incidents = state.incidents.map((one) => (one.id === incident.id ? { ...one, ...incident } : one))
}

/** One poll: the checks by UUID, with undefined as a status that says nothing. Without checks, the service didn't answer. */
export function poll(
  state: State,
  env: Environment,
  checks: ReadonlyMap<string, { name: string; isBad: boolean | undefined }> | undefined,
  now: number,
): void {
  const scope = state.scopes[env]
  const moment = toMoment(state, env, now)
  const open = new Map(
    state.incidents.flatMap((one) =>
      one.env === env && !one.closed ? [[one.check.uuid, one] as const] : [],
    ),
  )
  if (!checks) {
    scope.failedPolls += 1
    scope.failingSince =
      scope.failingSince !== undefined && scope.failingSince < now ? scope.failingSince : now
    if (scope.failedPolls < BLIND_AFTER_POLLS || now - scope.failingSince < BLIND_AFTER_MS) return
    const check = { uuid: '', name: env }
    const known = open.get('')
    const change = known
      ? observeBad(known, check, { ...moment, poll: scope.polls })
      : openIncident(check, { ...moment, poll: scope.polls }, newIdIn(state)())
    if (change) applyChanges(state, env, [change])
    return
  }
  const entries = [...checks]
  const changes = observe(
    open,
    {
      ...moment,
      poll: scope.polls + 1,
      previousClockMs: scope.clockMs,
      bad: new Map(entries.flatMap(([uuid, { name, isBad }]) => (isBad ? [[uuid, { uuid, name }]] : []))),
      good: new Set(['', ...entries.flatMap(([uuid, { isBad }]) => (isBad === false ? [uuid] : []))]),
      deleted: new Set([...open.keys()].filter((uuid) => uuid !== '' && !checks.has(uuid))),
    },
    newIdIn(state),
  )
  // Renames of checks that are up are seen too, but a poll of the app only lists what is bad or known.
  applyChanges(state, env, changes)
  for (const [uuid, { name }] of entries)
    state.incidents = state.incidents.map((one) =>
      one.env === env && !one.closed && one.check.uuid === uuid ? { ...one, check: { uuid, name } } : one,
    )
  state.scopes[env] = { clockMs: moment.clockMs, lastOkAt: now, polls: scope.polls + 1, failedPolls: 0 }
}

/** What a message says. */
export interface Content {
  title: { down: number; open: number }
  rows: [id: string, state: 'down' | 'up' | 'over', name: string, onIt: string, isSilenced: boolean][]
  moved: Readonly<Record<string, number>>
  unwatched: number
  people: string[]
}

function formatWanted(state: State, message: IncidentMessage, now: number): string {
  const origin = message.page?.originId ?? message.channelId
  const ids =
    message.page?.incidentIds ??
    state.lines.filter(({ cardId }) => cardId === message.id).map(({ incidentId }) => incidentId)
  const rows = ids.flatMap((id): Content['rows'] => {
    const incident = state.incidents.find((one) => one.id === id)
    if (!incident) return []
    const isOpen = !incident.closed
    const onIt = isOpen ? (incident.onIt?.by ?? '') : ''
    const isSilenced = isOpen && isSilencedIn(state, origin, incident, now)
    return [[id, getStateOnMessage(incident), incident.check.name, onIt, isSilenced]]
  })
  const count = (isCounted: (row: Content['rows'][number]) => boolean) => rows.filter(isCounted).length
  const title = { down: count(([, one]) => one === 'down'), open: count(([, one]) => one !== 'over') }
  const people = message.page?.mentions.map(({ id }) => id) ?? []
  return JSON.stringify({
    title,
    rows,
    moved: message.moved,
    unwatched: message.unwatchedCount,
    people,
  } satisfies Content)
}

/** Everyone's answer to whether Slack can notify them, in every channel. */
function lookUp(state: State): Reach {
  const channels = new Set(state.watches.map(({ channelId }) => channelId))
  const ids = [...Object.keys(state.people), ...Object.keys(state.groups)]
  return {
    groups: new Map(Object.entries(state.groups)),
    hears: new Map(
      [...channels].flatMap((channel) =>
        ids.map((id) => [reachKey(channel, id), canHear(state, id, channel)] as const),
      ),
    ),
    admins: Object.entries(state.people)
      .filter(([, { isAdmin, isActive }]) => isAdmin && isActive)
      .map(([userId]) => ({ userId, channelId: `dm-${userId}` }))
      .sort((left, right) => (left.userId < right.userId ? -1 : 1)),
  }
}

/** How often someone is asked whether they are still on it. */
export const limits = { askMs: 24 * 60 * MINUTE }

/** Decides both environments and applies what was decided. Returns the time of the next decision. */
export async function decideAll(state: State, now: number): Promise<number> {
  for (const one of state.silences) {
    if (one.from <= now) one.hasBegun = true
    if (one.until <= now) one.isOver = true
  }
  for (const incident of state.incidents)
    if (incident.onIt && !incident.closed && state.people[incident.onIt.by]?.isActive === false)
      release(state, incident)
  let wakeAt = Number.POSITIVE_INFINITY
  for (const { from, until, hasBegun, isOver } of state.silences)
    if (!isOver) wakeAt = Math.min(wakeAt, hasBegun ? until : from)
  for (const env of ENVIRONMENTS) {
    // As in the app: the first decision finds who may be due a page, and the second one pages after looking them up.
    const first = await decideEnvironment(state, env, now, undefined)
    const { wakeInMs = Number.POSITIVE_INFINITY } =
      first.duePages.length > 0 ? await decideEnvironment(state, env, now, lookUp(state)) : first
    const asksInMs = askWhoIsOn(state, env, now)
    wakeAt = Math.min(wakeAt, now + wakeInMs, now + asksInMs)
  }
  return wakeAt
}

async function decideEnvironment(state: State, env: Environment, now: number, reach: Reach | undefined) {
  const inEnv = <T extends { env: Environment }>(rows: readonly T[]): T[] =>
    rows.filter((row) => row.env === env)
  const watches = state.watches.filter(({ environment }) => environment === env)
  const channelIds = new Set([
    ...watches.map(({ channelId }) => channelId),
    ...inEnv(state.lines).map(({ channelId }) => channelId),
  ])
  const decision = await runInSlices(
    decide(
      {
        channels: [...channelIds].sort().map((channelId) => ({
          channelId,
          watches: watches.filter((watch) => watch.channelId === channelId).map(prepareWatch),
          silences: silencesIn(state, channelId, env)
            .filter((one) => holds(one, now))
            .map((one) => (check: CheckFacts) => covers(one, check)),
          isPaused: state.closedChannels.includes(channelId),
          isResumed:
            state.resumed.includes(`${channelId} ${env}`) && !state.closedChannels.includes(channelId),
        })),
        poll: state.scopes[env].polls,
        incidents: inEnv(state.incidents),
        lines: inEnv(state.lines),
        messages: inEnv(state.messages),
        groups: new Map(Object.entries(state.groups)),
        reach,
      },
      toMoment(state, env, now),
      newIdIn(state),
    ),
  )
  const pagedById = new Map(decision.incidents.map(({ id, paged }) => [id, paged]))
  state.incidents = state.incidents.map((one) => ({ ...one, paged: pagedById.get(one.id) ?? one.paged }))
  const isSameLine = (left: Line, right: Line): boolean =>
    left.incidentId === right.incidentId && left.channelId === right.channelId
  const changedLines = decision.lines.map((line) => ({ ...line, env }))
  state.lines = [
    ...state.lines
      .filter((line) => !decision.deletedLines.some((one) => isSameLine(one, line)))
      .map((line) => changedLines.find((one) => isSameLine(one, line)) ?? line),
    ...changedLines.filter((line) => !state.lines.some((one) => isSameLine(one, line))),
  ]
  const changed = new Map(decision.messages.map(({ isNew: _, ...message }) => [message.id, message]))
  state.messages = [
    ...state.messages
      .filter(({ id }) => !decision.deletedMessageIds.includes(id))
      .map((message) => ({ ...message, ...changed.get(message.id) })),
    ...decision.messages.flatMap(({ isNew, ...message }) => (isNew ? [{ ...message, env, wanted: '' }] : [])),
  ]
  state.messages = state.messages.map((message) =>
    changed.has(message.id) ? { ...message, wanted: formatWanted(state, message, now) } : message,
  )
  state.resumed = state.resumed.filter(
    (place) => !decision.caughtUpChannelIds.some((channelId) => place === `${channelId} ${env}`),
  )
  return decision
}

/** Once a day, everyone who is on something is asked in one message whether they still are. */
function askWhoIsOn(state: State, env: Environment, now: number): number {
  const clockMs = readClock(state.scopes[env], now)
  const isOn = (id: string, who: string): boolean =>
    state.incidents.some((one) => one.id === id && !one.closed && one.onIt?.by === who)
  state.dms = state.dms
    .map((dm) => (dm.why === 'still-on-it' ? { ...dm, about: dm.about.filter((id) => isOn(id, dm.to)) } : dm))
    .filter(({ about }) => about.length > 0)
  const taken = state.incidents.filter((one) => one.env === env && !one.closed && one.onIt)
  let nextMs = Number.POSITIVE_INFINITY
  for (const [who, all] of Map.groupBy(taken, ({ onIt }) => onIt?.by ?? '')) {
    const waits = all.map(({ onIt }) => (onIt?.asked?.clockMs ?? onIt?.clockMs ?? 0) + limits.askMs - clockMs)
    if (waits.every((ms) => ms > 0)) nextMs = Math.min(nextMs, ...waits)
    else {
      const ids = all.map(({ id }) => id)
      state.incidents = state.incidents.map((one) =>
        one.onIt && ids.includes(one.id)
          ? { ...one, onIt: { ...one.onIt, asked: { at: new Date(clockMs), clockMs } } }
          : one,
      )
      state.dms.push({ key: `d${state.nextId++}`, to: who, why: 'still-on-it', about: ids })
    }
  }
  return nextMs
}

/** Nobody is on it anymore. */
export function release(state: State, { id }: TestIncident): void {
  const incident = state.incidents.find((one) => one.id === id)
  if (!incident) return
  const ownLines = state.lines.filter(({ incidentId }) => incidentId === id)
  const released = releaseIncident(incident, ownLines)
  const lines = new Map(released.lines.map((line) => [line.channelId, line]))
  state.incidents = state.incidents.map((one) => (one.id === id ? { ...one, ...released.incident } : one))
  state.lines = state.lines.map((line) =>
    line.incidentId === id ? { ...line, ...lines.get(line.channelId) } : line,
  )
}

/** Someone presses **I’m on it** on a version of a message. Returns what they took. */
export function take(state: State, messageId: string, version: number, by: string, now: number): string[] {
  const message = state.messages.find(({ id }) => id === messageId)
  if (!message) return []
  const pressed = listPressed(message, version, state.lines)
  const free = state.incidents.filter(({ id, closed, onIt }) => pressed.includes(id) && !closed && !onIt)
  putOnIt(state, free, by, now)
  return free.map(({ id }) => id)
}
function putOnIt(state: State, incidents: readonly TestIncident[], by: string, now: number): void {
  const ids = incidents.map(({ id }) => id)
  state.incidents = state.incidents.map((one) =>
    ids.includes(one.id) ? { ...one, onIt: { by, name: by, ...toMoment(state, one.env, now) } } : one,
  )
}
/** Refuses whoever can’t be notified. Sends a direct message to everybody else. */
export function handOver(
  state: State,
  incident: TestIncident,
  to: string,
  channel: string,
  now: number,
): boolean {
  if (!incident.onIt || incident.closed || !canHear(state, to, channel)) return false
  putOnIt(state, [incident], to, now)
  state.dms.push({ key: `d${state.nextId++}`, to, why: 'handed-over', about: [incident.id] })
  return true
}

export interface SavedReply {
  adopted: string[]
  posted: string[]
  silenced: { about: string; until: number }[]
  unreachable: string[]
}
/** Saves a watch. The reply says what is down and isn’t reported, what was already posted, what is silenced, and who can’t be paged. */
export function saveWatch(state: State, watch: Watch, now: number): SavedReply {
  const { channelId, environment: env } = watch
  const before = state.watches.find(({ id }) => id === watch.id)
  const { clockMs } = toMoment(state, env, now)
  const saved = {
    ...watch,
    escalation: keepStepTimes(watch.escalation ?? [], before?.escalation ?? [], clockMs),
  }
  const earlier = state.watches.filter((one) => one.channelId === channelId && one.environment === env)
  const { added, adopted, posted } = findAlreadyDown(prepareWatch(saved), earlier.map(prepareWatch), {
    incidents: state.incidents.filter((one) => one.env === env),
    lines: state.lines.filter((line) => line.channelId === channelId && line.env === env),
    poll: state.scopes[env].polls,
  })
  for (const incident of added)
    state.lines.push({ ...newLine(incident, channelId), env, adoptedFall: incident.falls })
  state.watches = [...state.watches.filter(({ id }) => id !== watch.id), saved]
  const responders = saved.escalation.flatMap(({ responders: all }) => all.map(({ id = '' }) => id))
  return {
    adopted: adopted.map(({ id }) => id),
    posted: posted.map(({ id }) => id),
    silenced: silencesIn(state, channelId, env)
      .filter((one) => holds(one, now))
      .map(({ about, until }) => ({ about, until })),
    unreachable: [...new Set(responders)].filter((id) => !canHear(state, id, channelId)),
  }
}

/** Typing a mute again replaces its end. Returns until when everything of it is silenced. */
export function mute(
  state: State,
  about: string,
  env: Environment,
  channel: string,
  until: number,
  now: number,
) {
  const id = `mute ${channel} ${env} ${about}`
  const existing = state.silences.find((one) => one.id === id && !one.isOver)
  if (existing) Object.assign(existing, { until, hasBegun: true })
  else {
    state.silences = state.silences.filter((one) => one.id !== id)
    state.silences.push({ id, kind: 'mute', about, env, channel, from: now, until, hasBegun: true })
  }
  const together = silencesIn(state, channel, env).filter(
    (one) => holds(one, now) && (one.about === about || globMatcher(one.about)(about)),
  )
  return { until: Math.max(...together.map((one) => one.until)), by: together }
}

export const hasSpacing = (before: Moment, now: Moment, ms: number): boolean =>
  measureElapsed(before, now) >= ms
