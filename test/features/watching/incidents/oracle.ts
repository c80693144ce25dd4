// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: a plain reading of the rules, in the order in which they are written
import type { Environment } from '../../../../src/domain/environment.ts'
import { countBadPolls, QUIET_MS } from '../../../../src/domain/outages/observe.ts'
import { AFRESH_MS, SPACING_MS } from '../../../../src/features/watching/rules/environment-state.ts'
import type { Responder } from '../../../../src/features/watching/rules/escalation-steps.ts'
import { isBlindness } from '../../../../src/features/watching/rules/incident.ts'
import { responderId } from '../../../../src/features/watching/rules/paging/responders.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import {
  type Content,
  canHear,
  fits,
  isConfirmedFor,
  isSilencedIn,
  limits,
  MINUTE,
  readClock,
  type State,
  type TestIncident,
  type TestMessage,
} from './in-memory.ts'

/** How late something may be: polls come once a minute, and a sending may be lost. */
const SLACK_MS = 5 * MINUTE

export class RuleBroken extends Error {
  override readonly name = 'RuleBroken'
}

/** What polls say about one check. */
interface Truth {
  isOpen: boolean
  isDown: boolean
  badPolls: number
  falls: number
  quietMs: number
}
/** What one channel should have been told about one incident. The times are those for which something is overdue. */
interface Told {
  named: { clockMs: number; at: number }[]
  unnamedMs: number
  againMs: number
  lateMs: number
  remindMs: number
  owedMs: number
  owes: boolean
  /** Since when somebody is waited for. */
  sinceMs?: number
  pagedBefore: Record<string, number>
  dueMs: Record<string, number>
  wasSilenced: boolean
  adoptedFall?: number
  resetMs?: number
}
interface PostedMessage {
  key: string
  kind: TestMessage['kind']
  channel: string
  origin: string
  env: Environment
  content: string
  at: number
  clockMs: number
}
export const readContent = (content: string): Content => JSON.parse(content)

const newTold = (): Told => ({
  ...{ named: [], unnamedMs: 0, againMs: 0, lateMs: 0, remindMs: 0, owedMs: 0, owes: false },
  ...{ pagedBefore: {}, dueMs: {}, wasSilenced: false },
})

export const originOf = ({ page, channelId }: TestMessage): string => page?.originId ?? channelId

/**
 * Reads the rules in the plainest way and compares what the app does with them. It sees polls, presses, saved watches, and what
 * arrives in Slack, and never how the app decides.
 */
export function createOracle(seed: number, readState: () => State, readNow: () => number) {
  const slack: PostedMessage[] = []
  const truth = new Map<string, Truth>()
  const told = new Map<string, Told>()
  const onIt = new Map<string, { by: string; clockMs: number; askedMs: number }>()
  const pages = new Map<string, Record<string, number>>()
  const attempts = new Map<string, { channel: string; env: Environment; at: number; clockMs: number }>()
  const stepSavedMs = new Map<string, number>()
  const exempt = new Set<string>()
  const freed = new Set<string>()
  const dms = new Set<string>()
  const lastClockMs: Record<Environment, number> = { production: 0, ote: 0 }
  let listed = new Set<string>()

  const fail = (why: string): never => {
    throw new RuleBroken(`seed ${seed}: ${why}`)
  }
  const clockOf = (env: Environment): number => readClock(readState().scopes[env], readNow())
  const incidentOf = (id: string): TestIncident =>
    readState().incidents.find((one) => one.id === id) ?? fail(`incident ${id} is gone`)
  const openIn = (env: Environment): TestIncident[] =>
    readState().incidents.filter((one) => one.env === env && !one.closed)
  const isBlind = (env: Environment): boolean => truth.get(`${env} `)?.isDown === true
  const isSilenced = (channel: string, incident: TestIncident): boolean =>
    isSilencedIn(readState(), channel, incident, readNow())
  const watching = (channel: string, incident: TestIncident): Watch[] =>
    readState().watches.filter((watch) => watch.channelId === channel && fits(watch, incident))
  const isConfirmed = (channel: string, incident: TestIncident): boolean =>
    watching(channel, incident).some((watch) => isConfirmedFor(readState(), watch, incident))
  const cardsIn = (channel: string, env: Environment): PostedMessage[] =>
    slack.filter((one) => one.kind === 'card' && one.channel === channel && one.env === env)
  const isShownIn = (channel: string, id: string): boolean =>
    slack.some(
      (one) =>
        one.kind === 'card' &&
        one.channel === channel &&
        readContent(one.content).rows.some(([row]) => row === id),
    )
  const toldOf = (id: string, channel: string): Told => {
    const found = told.get(`${id} ${channel}`) ?? newTold()
    told.set(`${id} ${channel}`, found)
    return found
  }
  const pagesOf = (id: string): Record<string, number> => {
    const found = pages.get(id) ?? {}
    pages.set(id, found)
    return found
  }
  const countPages = (id: string, one: Told, person: string): number =>
    Math.max(0, (pagesOf(id)[person] ?? 0) - (one.pagedBefore[person] ?? 0))
  /** A person, or the members of a group. A group without members counts as one, so that its step still pages someone. */
  function membersOf(id: string): string[] {
    const members = readState().groups[id] ?? []
    return members.length > 0 ? members : [id]
  }
  const peopleOf = (responder: Responder): string[] => [
    ...new Set([...membersOf(responderId(responder)), responderId(responder)]),
  ]

  /** Everything starts again: in every channel because nobody is on it anymore, or in one channel that is told again. */
  function reset(id: string, channel?: string): void {
    if (channel === undefined) pages.delete(id)
    for (const [key, one] of told) {
      if (!key.startsWith(`${id} `) || (channel !== undefined && key !== `${id} ${channel}`)) continue
      // Whoever was paged about it elsewhere was paged about it, until this channel is told again.
      const isAgain = channel === undefined || listed.has(key)
      Object.assign(one, { named: [], unnamedMs: 0, againMs: 0, lateMs: 0, remindMs: 0, dueMs: {} })
      if (isAgain) {
        one.pagedBefore = { ...pagesOf(id) }
        one.resetMs = clockOf(incidentOf(id).env)
      }
      if (channel === undefined) one.owes = false
      delete one.sinceMs
    }
  }

  /** The times of each watch’s steps for a person, with the responders who they are or belong to. */
  function listSteps(incident: TestIncident, channel: string, person: string, one: Told) {
    return watching(channel, incident)
      .filter((watch) => isConfirmedFor(readState(), watch, incident))
      .map(({ id, escalation = [] }) =>
        escalation
          .flatMap(({ afterMs, responders }) => {
            const ids = responders
              .filter((responder) => peopleOf(responder).includes(person))
              .map(responderId)
            if (ids.length === 0) return []
            const savedMs = stepSavedMs.get(`${id} ${afterMs} ${responders.map(responderId).join()}`) ?? 0
            const sinceMs = one.sinceMs ?? 0
            return [{ atMs: (sinceMs + afterMs >= savedMs ? sinceMs : savedMs) + afterMs, ids }]
          })
          .sort((left, right) => left.atMs - right.atMs),
      )
  }

  /** The steps for a responder that a person wasn't paged for. The step of a group is one of each of its members. */
  function listOpenSteps(
    incident: TestIncident,
    channel: string,
    person: string,
    id: string,
    one: Told,
  ): number[] {
    const listOpen = (who: string): number[][] =>
      listSteps(incident, channel, who, one).map((steps) =>
        steps
          .slice(countPages(incident.id, one, who))
          .filter(({ ids }) => ids.includes(id))
          .map(({ atMs }) => atMs),
      )
    const own = listOpen(id)
    return listOpen(person).flatMap((times, index) => times.filter((atMs) => own[index]?.includes(atMs)))
  }

  /** Whether a page for this responder in a channel reaches anybody. */
  function isAnybodyReached(id: string, channel: string, env: Environment): boolean {
    const state = readState()
    const isAdminThere = Object.values(state.people).some(({ isAdmin, isActive }) => isAdmin && isActive)
    const hasOwner = state.watches.some(
      ({ channelId, environment, escalation = [], ownerId }) =>
        channelId === channel &&
        environment === env &&
        escalation.some(({ responders }) => responders.some((responder) => responderId(responder) === id)) &&
        canHear(state, ownerId, channel),
    )
    return canHear(state, id, channel) || isAdminThere || hasOwner
  }

  /** Counts for how long each thing has been overdue, by what has been true since the last call. */
  function tick(): void {
    const state = readState()
    for (const id of freed)
      if (!state.incidents.find((one) => one.id === id)?.onIt) {
        if (state.incidents.some((one) => one.id === id)) reset(id)
        freed.delete(id)
      }
    const channels = new Set(state.watches.map(({ channelId }) => channelId))
    for (const key of told.keys()) channels.add(key.split(' ')[1] ?? '')
    for (const env of ['production', 'ote'] as const) {
      const clockMs = clockOf(env)
      const passedMs = Math.max(0, clockMs - lastClockMs[env])
      lastClockMs[env] = Math.max(lastClockMs[env], clockMs)
      for (const incident of state.incidents.filter((one) => one.env === env))
        for (const channel of channels) tickOne(incident, channel, passedMs, clockMs)
    }
  }

  function tickOne(incident: TestIncident, channel: string, passedMs: number, clockMs: number): void {
    const state = readState()
    const { id, env, isDown, falls, closed } = incident
    const key = `${id} ${channel}`
    const watches = watching(channel, incident)
    if (watches.length === 0) {
      if (!closed || !isShownIn(channel, id)) return void told.delete(key)
      // A promise ends with the watch that made it.
      const one = told.get(key)
      if (one) one.owes = false
    }
    if (!told.has(key) && (closed || !isConfirmed(channel, incident))) return
    const hasLine = state.lines.some((line) => line.incidentId === id && line.channelId === channel)
    // What has no line yet follows the watch as it is now.
    if (!closed && told.get(key)?.named.length === 0 && !isConfirmed(channel, incident) && !hasLine)
      return void told.delete(key)
    const one = toldOf(id, channel)
    const canPost = !state.closedChannels.includes(channel) && (isBlindness(incident) || !isBlind(env))
    const silenced = isSilenced(channel, incident)
    if (silenced) one.wasSilenced = true
    else if (one.wasSilenced && canPost) {
      one.wasSilenced = false
      if (!closed) reset(id, channel)
      // A silence promises to post what is still down when it ends, also what was down before the watch.
      if (isDown && one.adoptedFall === falls && watches.some(({ recoveryOf }) => !recoveryOf))
        Object.assign(one, { adoptedFall: undefined, owes: false, owedMs: 0 })
    }
    const isAdopted = one.adoptedFall !== undefined && one.adoptedFall === falls && isDown
    const isOwed = one.adoptedFall !== undefined && !isAdopted && one.owes
    if (!isOwed) one.owedMs = 0
    else if (canPost && !silenced && !(isDown && incident.onIt)) one.owedMs += passedMs
    else one.owedMs = 0
    const needsSomeone = !closed && canPost && !silenced && !incident.onIt && !isAdopted
    const isUnattended = needsSomeone && isDown
    const latest = one.named.at(-1)
    const goneMs = latest ? clockMs - latest.clockMs : 0
    const hours = watches.flatMap(({ reminderHours }) =>
      reminderHours && !isBlindness(incident) ? [reminderHours] : [],
    )
    const remindEveryMs = Math.min(...hours, Number.POSITIVE_INFINITY) * 60 * MINUTE
    const fellSince = latest !== undefined && incident.fell.clockMs > latest.clockMs
    const lasts = clockMs - incident.fell.clockMs >= QUIET_MS
    const count = (isOverdue: boolean, beforeMs: number): number => (isOverdue ? beforeMs + passedMs : 0)
    one.unnamedMs = count(isUnattended && !latest, one.unnamedMs)
    one.againMs = count(
      isUnattended && fellSince && goneMs >= QUIET_MS * 2 ** (one.named.length - 1),
      one.againMs,
    )
    one.lateMs = count(isUnattended && fellSince && lasts && goneMs >= AFRESH_MS, one.lateMs)
    one.remindMs = count(isUnattended && latest !== undefined && goneMs >= remindEveryMs, one.remindMs)
    const isShown = state.lines.some(
      ({ incidentId, channelId, cardId, cardVersion = Number.POSITIVE_INFINITY }) =>
        incidentId === id &&
        channelId === channel &&
        state.messages.some((card) => card.id === cardId && card.shownVersion >= cardVersion),
    )
    if (needsSomeone && !isBlindness(incident) && isShown) one.sinceMs ??= clockMs
    const isLater = one.sinceMs !== undefined && incident.fell.clockMs > one.sinceMs
    if (isUnattended && isLater && lasts && clockMs - (one.sinceMs ?? 0) >= AFRESH_MS)
      Object.assign(one, { sinceMs: clockMs, pagedBefore: { ...pagesOf(id) }, dueMs: {}, resetMs: clockMs })
    const responders = watches.flatMap(({ escalation = [] }) =>
      escalation.flatMap((step) => step.responders.map(responderId)),
    )
    for (const person of new Set([...Object.keys(one.dueMs), ...responders.flatMap(membersOf)])) {
      const isDue =
        isUnattended &&
        one.sinceMs !== undefined &&
        responders.some(
          (responder) =>
            membersOf(responder).includes(person) &&
            isAnybodyReached(responder, channel, env) &&
            listOpenSteps(incident, channel, person, responder, one).some((atMs) => atMs <= clockMs),
        )
      one.dueMs[person] = count(isDue, one.dueMs[person] ?? 0)
    }
  }

  /** A page that arrives has to be about what still needs someone, for someone whose step is due. */
  function checkPage(message: TestMessage, content: Content): void {
    const { id: key, env, channelId: channel, page, clockMs: decidedMs } = message
    const state = readState()
    const origin = originOf(message)
    const steps = page?.steps ?? []
    for (const person of content.people) {
      const isAdmin = state.people[person]?.isActive === true && state.people[person]?.isAdmin === true
      if (!(channel === origin ? canHear(state, person, channel) : isAdmin))
        fail(`${person} is paged in ${channel}, where Slack can't notify them`)
    }
    for (const step of steps)
      if (!content.people.includes(step) && canHear(state, step, origin))
        fail(`${step} can be notified in ${origin}, and someone else is paged`)
    let isAnyDue = false
    for (const [id, rowState, , by] of content.rows) {
      const incident = incidentOf(id)
      if (
        rowState !== 'down' ||
        by !== '' ||
        isSilenced(origin, incident) ||
        state.closedChannels.includes(origin) ||
        isBlind(env)
      )
        fail(`${key} pages about ${id}, which is over, taken, silenced, or unseen`)
      for (const step of steps) {
        const one = toldOf(id, origin)
        const open = membersOf(step).flatMap((person) => listOpenSteps(incident, origin, person, step, one))
        if (open.length === 0) fail(`${step} is paged about ${id} once more, and nobody asked for that`)
        if (open.some((atMs) => atMs <= clockOf(env) + SLACK_MS)) isAnyDue = true
      }
    }
    if (!isAnyDue) fail(`${key} pages ${steps} and nothing is due`)
    for (const [id] of content.rows)
      for (const person of page?.counted ?? []) {
        pagesOf(id)[person] = (pagesOf(id)[person] ?? 0) + 1
        for (const [knownKey, one] of told)
          if (knownKey.startsWith(`${id} `)) {
            one.dueMs[person] = 0
            // Decided before the channel was told again, and sent after that: it doesn't count there.
            if (one.resetMs !== undefined && decidedMs < one.resetMs)
              one.pagedBefore[person] = (one.pagedBefore[person] ?? 0) + 1
          }
      }
  }

  return {
    fail,
    slack,
    freed,
    clockOf,
    openIn,
    toldOf,
    hasLine: (id: string, channel: string): boolean => told.has(`${id} ${channel}`),
    /** A poll saw a check. */
    observe(env: Environment, uuid: string, isBad: boolean | undefined, gapMs: number): void {
      const key = `${env} ${uuid}`
      const one = truth.get(key) ?? { isOpen: false, isDown: false, badPolls: 0, falls: 0, quietMs: 0 }
      truth.set(key, one)
      if (isBad === undefined) return
      if (isBad) {
        if (!one.isOpen) Object.assign(one, { isOpen: true, badPolls: 0, falls: 0, isDown: false })
        if (!one.isDown) one.falls += 1
        Object.assign(one, { isDown: true, badPolls: one.badPolls + 1, quietMs: 0 })
      } else if (one.isDown) one.isDown = false
      else if (one.isOpen) {
        one.quietMs += gapMs
        if (one.quietMs >= QUIET_MS) one.isOpen = false
      }
    },
    observeDeleted(env: Environment, isThere: (uuid: string) => boolean): void {
      for (const [key, one] of truth) {
        const [keyEnv, uuid = ''] = key.split(' ')
        if (keyEnv === env && uuid !== '' && !isThere(uuid))
          Object.assign(one, { isOpen: false, isDown: false })
      }
    },
    /** Compares the incidents with what the polls said. */
    checkPolls(env: Environment): void {
      for (const [key, one] of truth) {
        const [keyEnv, uuid = ''] = key.split(' ')
        if (keyEnv !== env) continue
        const open = openIn(env).filter(({ check }) => check.uuid === uuid)
        if (open.length !== (one.isOpen ? 1 : 0))
          fail(`${key}: ${open.length} open incidents, should be ${one.isOpen}`)
        const [incident] = open
        const badPolls = incident && countBadPolls(incident, readState().scopes[env].polls)
        const isCounted =
          uuid === '' || (badPolls ?? 0) >= 5
            ? (badPolls ?? 0) >= Math.min(5, one.badPolls) || uuid === ''
            : badPolls === one.badPolls
        if (incident && (incident.isDown !== one.isDown || incident.falls !== one.falls || !isCounted))
          fail(`${incident.id} isn't what the polls say: ${JSON.stringify(one)}`)
      }
      for (const id of onIt.keys()) if (incidentOf(id).closed) onIt.delete(id)
    },
    watchSaved(watch: Watch, adopted: readonly string[], before: Watch | undefined): void {
      const saved = readState().watches.find(({ id }) => id === watch.id)
      for (const { afterMs, responders } of saved?.escalation ?? []) {
        const ids = responders.map(responderId).join()
        const isOld = before?.escalation?.some(
          (step) => step.afterMs === afterMs && step.responders.map(responderId).join() === ids,
        )
        if (!isOld) stepSavedMs.set(`${watch.id} ${afterMs} ${ids}`, clockOf(watch.environment))
      }
      for (const id of adopted) {
        const one = toldOf(id, watch.channelId)
        const { falls } = incidentOf(id)
        if (one.adoptedFall !== falls) Object.assign(one, { adoptedFall: falls, owes: true, owedMs: 0 })
      }
    },
    taken(ids: readonly string[], by: string): void {
      for (const id of ids) onIt.set(id, { by, clockMs: clockOf(incidentOf(id).env), askedMs: 0 })
    },
    /** Nobody is on it. Whoever has left is on it until the next decision. */
    isFree: (id: string): boolean => !onIt.has(id) && !freed.has(id),
    released(id: string): void {
      onIt.delete(id)
      freed.delete(id)
      reset(id)
    },
    left(person: string): void {
      for (const [id, { by }] of onIt)
        if (by === person) {
          onIt.delete(id)
          freed.add(id)
        }
    },
    /** Call before and after each decision. */
    beforeDecision() {
      const state = readState()
      listed = new Set(
        state.lines.flatMap((line) => (line.cardId ? [`${line.incidentId} ${line.channelId}`] : [])),
      )
      // What is only on a card that never arrived is news again.
      const arrived = new Set(slack.map(({ key }) => key))
      const posted = new Set(
        state.lines.flatMap((line) =>
          line.cardId && arrived.has(line.cardId) ? [`${line.incidentId} ${line.channelId}`] : [],
        ),
      )
      return { resumed: [...state.resumed], known: new Set(state.messages.map(({ id }) => id)), posted }
    },
    afterDecision({
      resumed,
      known,
      posted,
    }: {
      resumed: string[]
      known: Set<string>
      posted: Set<string>
    }): void {
      const state = readState()
      for (const message of state.messages) {
        if (known.has(message.id)) continue
        const rows = readContent(message.wanted).rows.map(([id]) => incidentOf(id))
        if (
          isBlind(message.env) &&
          (message.kind === 'page' || rows.some((incident) => !isBlindness(incident)))
        )
          fail(`${message.id} is new while nobody can see ${message.env}`)
        const place = `${message.channelId} ${message.env}`
        const isResumed = resumed.includes(place) && !state.resumed.includes(place)
        const hasOwnMessage = rows.some(
          (incident) =>
            !posted.has(`${incident.id} ${message.channelId}`) &&
            watching(message.channelId, incident).some(({ notify }) => notify === 'every'),
        )
        if (message.kind === 'card' && (isResumed || hasOwnMessage)) exempt.add(message.id)
      }
      for (const place of resumed) {
        if (state.resumed.includes(place)) continue
        const [channel = '', env] = place.split(' ')
        for (const { id } of openIn(env === 'ote' ? 'ote' : 'production'))
          if (told.has(`${id} ${channel}`)) reset(id, channel)
      }
      tick()
    },
    /** A card is about to be sent. Two messages in a channel are five minutes apart. */
    attempted({ id, channelId: channel, env, at, clockMs: madeMs }: TestMessage): void {
      const [now, clockMs] = [readNow(), clockOf(env)]
      const before = [...attempts.values()].filter((one) => one.channel === channel && one.env === env).at(-1)
      const apartMs = before
        ? Math.max(
            now - before.at,
            clockMs - before.clockMs,
            at.getTime() - before.at,
            madeMs - before.clockMs,
          )
        : SPACING_MS
      if (apartMs < SPACING_MS && !exempt.has(id))
        fail(`two messages within ${apartMs / 1000} s in ${channel}`)
      attempts.set(id, { channel, env, at: now, clockMs })
    },
    neverArrived: (id: string): void => void attempts.delete(id),
    /** A message arrived in Slack. */
    arrived(message: TestMessage): void {
      const { id: key, kind, channelId: channel, env, wanted } = message
      const when = { at: readNow(), clockMs: clockOf(env) }
      if (slack.some((one) => one.key === key)) fail(`${key} is posted twice`)
      slack.push({ key, kind, channel, origin: originOf(message), env, content: wanted, ...when })
      const content = readContent(wanted)
      if (kind === 'page') checkPage(message, content)
      else
        for (const [id] of content.rows) {
          const one = toldOf(id, channel)
          const { falls, isDown } = incidentOf(id)
          one.named.push(when)
          Object.assign(one, { unnamedMs: 0, againMs: 0, lateMs: 0, remindMs: 0 })
          if (one.adoptedFall === undefined) continue
          if (one.adoptedFall === falls && isDown)
            fail(`${id} was down before ${channel} asked, and is posted`)
          Object.assign(one, { owes: false, owedMs: 0 })
        }
    },
    asked(dm: { key: string; to: string; why: string; about: readonly string[] }): void {
      if (dms.has(dm.key)) fail('a direct message twice')
      dms.add(dm.key)
      if (dm.why !== 'still-on-it') return
      for (const id of dm.about) {
        const one = onIt.get(id)
        if (one?.by !== dm.to) fail(`${dm.to} is asked about ${id}`)
        else one.askedMs = clockOf(incidentOf(id).env)
      }
    },
    /** Compares what the channels show with what is true. Call it when everything has been sent. */
    check(): void {
      const state = readState()
      const channels = new Set(state.watches.map(({ channelId }) => channelId))
      for (const env of ['production', 'ote'] as const) {
        for (const channel of channels)
          if (!state.closedChannels.includes(channel)) checkChannel(channel, env)
        for (const incident of openIn(env)) checkOnIt(incident)
      }
    },
  }

  function checkChannel(channel: string, env: Environment): void {
    const rows = cardsIn(channel, env).flatMap(({ content }) => readContent(content).rows)
    if (new Set(rows.map(([id]) => id)).size !== rows.length)
      fail(`an incident is on two cards of ${channel}`)
    for (const { content } of cardsIn(channel, env)) {
      const { title, rows: listedRows } = readContent(content)
      const incidents = listedRows.map(([id]) => incidentOf(id))
      if (title.down !== incidents.filter(({ closed, isDown }) => !closed && isDown).length)
        fail(`a title says ${title.down} down`)
      if (title.open !== incidents.filter(({ closed }) => !closed).length)
        fail(`a title says ${title.open} open`)
    }
    for (const [id, rowState, name, by, silenced] of rows) {
      const incident = incidentOf(id)
      const { closed, isDown, check, falls } = incident
      if (rowState !== (closed ? 'over' : isDown ? 'down' : 'up')) fail(`${id} is called ${rowState}`)
      if (closed) continue
      if (name !== check.name) fail(`${id} is called ${name}`)
      if (by !== (onIt.get(id)?.by ?? ''))
        fail(`${id}: the card says ${by} is on it, ${onIt.get(id)?.by} pressed`)
      if (silenced !== isSilenced(channel, incident)) fail(`${id}: silenced ${silenced}`)
      if (watching(channel, incident).length === 0)
        fail(`${id} is on a card of ${channel}, which doesn't watch it`)
      if (isDown && told.get(`${id} ${channel}`)?.adoptedFall === falls)
        fail(`${id} was down before ${channel} asked, and is on a card`)
    }
    for (const incident of openIn(env)) {
      const { id, isDown, falls } = incident
      const one = told.get(`${id} ${channel}`)
      const canPost = isBlindness(incident) || !isBlind(env)
      const isWanted = isDown && isConfirmed(channel, incident) && !isSilenced(channel, incident) && canPost
      if (isWanted && one?.adoptedFall !== falls && !rows.some(([row]) => row === id))
        fail(`${id} is down and on no card of ${channel}`)
    }
    for (const { id } of readState().incidents.filter((one) => one.env === env)) {
      const one = told.get(`${id} ${channel}`)
      if (!one) continue
      const late = SPACING_MS + SLACK_MS
      if (one.unnamedMs > late)
        fail(
          `${id} is down with nobody on it for ${one.unnamedMs / MINUTE} min, and no message in ${channel} names it`,
        )
      if (one.againMs > late) fail(`${id} is down again in ${channel}, and no message says so`)
      if (one.lateMs > late) fail(`${id} stays down in ${channel}, and no message says so`)
      if (one.remindMs > late) fail(`${id} has no reminder in ${channel}`)
      if (one.owedMs > late) fail(`${id} came up, and ${channel} asked and wasn't told`)
      for (const [person, ms] of Object.entries(one.dueMs))
        if (ms > SLACK_MS) fail(`${id}: ${person} isn't paged for ${channel}`)
    }
  }

  function checkOnIt({ id, env, onIt: found }: TestIncident): void {
    const one = onIt.get(id)
    if ((found?.by ?? '') !== (one?.by ?? '')) fail(`${id}: ${found?.by} is on it, ${one?.by} said so`)
    if (found && !readState().people[found.by]?.isActive) fail(`${found.by} is on ${id} and gone`)
    if (one && clockOf(env) - Math.max(one.clockMs, one.askedMs) > limits.askMs + SLACK_MS)
      fail(`${one.by} is on ${id} and wasn't asked`)
  }
}

export type Oracle = ReturnType<typeof createOracle>
