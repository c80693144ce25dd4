// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: a history and its invariants are easier to follow in one function
import type { Environment } from '../../../../src/domain/environment.ts'
import { RELAPSE_MS, STORM_SIZE } from '../../../../src/features/watching/rules/decide.ts'
import type { ReminderHours, Watch } from '../../../../src/features/watching/rules/watch.ts'
import { createRandom } from '../../../random.ts'
import {
  addOrChangeWatch,
  createState,
  INTERVAL,
  isInherited,
  isSilenced,
  listEscalations,
  MINUTE,
  matchesWatch,
  observe,
  type PendingPage,
  readClockMs,
  releaseOutage,
  type TestCard,
  type TrackedOutage,
  takeOutages,
  update,
} from './in-memory-state.ts'

const ENVS: Environment[] = ['production', 'ote']
const CHANNELS = ['A', 'B', 'C']
const PEOPLE = ['ann', 'bob', 'cy']
const TOLERANCE_MS = 4 * MINUTE

interface Message {
  key: string
  channel: string
  env: Environment
  reason: string
  content: string
  postedClockMs: number
  postedAt: number
  postedContent: string
}
type Row = [id: string, state: string, name: string, by: string, silenced: boolean]
const parseRows = (content: string): Row[] => (content.startsWith('[') ? JSON.parse(content) : [])

export class InvariantViolation extends Error {}

export interface Stats {
  histories: number
  steps: number
  posts: number
  edits: number
  calls: number
  reminders: number
  outages: number
  crashes: number
  lost: number
  events: Record<string, number>
  postsByReason: Record<string, number>
}

export const newStats = (): Stats => ({
  ...{ histories: 0, steps: 0, posts: 0, edits: 0, calls: 0, reminders: 0, outages: 0, crashes: 0, lost: 0 },
  ...{ events: {}, postsByReason: {} },
})

export async function runRandomHistory(
  seed: number,
  stats: Stats,
  options: { trace?: (...text: string[]) => void } = {},
): Promise<void> {
  const random = createRandom(seed).next
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const log = options.trace ?? (() => undefined)
  let now = 1_000_000_000
  const stored = createState(now)
  /** A check of the service. */
  interface Check {
    uuid: string
    name: string
    isBad: boolean
    goodPolls: number
    hasBeenBad: boolean
  }
  const serviceChecks: Record<Environment, Map<string, Check>> = { production: new Map(), ote: new Map() }
  for (const env of ENVS)
    for (let index = 0; index < 9; index += 1) {
      const uuid = `${env[0]}${index}`
      serviceChecks[env].set(uuid, {
        uuid,
        name: `${pick(['web', 'pay', 'db'])}-${index}`,
        isBad: false,
        goodPolls: 2,
        hasBeenBad: false,
      })
    }
  let nextSerial = 100
  const slack: Message[] = []
  const postedPageKeys = new Set<string>()
  const postedPages: { key: string; at: number; steps: PendingPage['steps'] }[] = []
  const shownIds = new Map<string, string[]>()
  // The oracle: a second, simpler implementation. Each decision is compared with it.
  /** How long nobody has been on an outage in a channel, and since when, on the watch clock. */
  interface Unattended {
    ms: number
    from: number
  }
  const unattendedTimes = new Map<string, Unattended>()
  const escalationClocks = new Map<string, { ms: number; stepsDone: number; steps: string }>()
  /** When each page was decided, on the watch clock. The next escalation step waits from then. */
  const decidedAt = new Map<string, number>()
  const lastPost = new Map<string, number>()
  const firstShown = new Map<string, { isPost: boolean; key: string }>()
  const lastSilencedAt = new Map<string, number>()
  const lastResponder = new Map<string, { by: string; clockMs: number }>()
  const fail = (reason: string): never => {
    const id = /o\d+/.exec(reason)?.[0]
    if (id) {
      const onlyThisOutage = <T extends { outageId: string }>(all: T[]): T[] =>
        all.filter(({ outageId }) => outageId === id)
      log(
        JSON.stringify({
          now: (now - 1e9) / 1000,
          scopes: stored.scopes,
          outage: stored.outages.find((outage) => outage.id === id),
          watches: stored.watches,
          closed: stored.closedChannels,
          gone: stored.deactivatedPeople,
        }),
      )
      for (const [name, channel] of Object.entries(stored.channels))
        log(
          name,
          JSON.stringify(onlyThisOutage(channel.alerts)),
          JSON.stringify(onlyThisOutage(channel.escalations)),
        )
      log(JSON.stringify([...escalationClocks].filter(([key]) => key.startsWith(`${id} `))))
      for (const card of stored.cards) if (card.listedOutageIds.includes(id)) log(JSON.stringify(card))
      log(JSON.stringify(stored.silences.filter(({ until }) => until > now)))
    }
    throw new InvariantViolation(`seed ${seed}: ${reason}`)
  }
  const countEvent = (name: string) => {
    stats.events[name] = (stats.events[name] ?? 0) + 1
  }
  const readClock = (env: Environment) => readClockMs(stored.scopes[env], now)
  const isSilencedIn = (channel: string, outage: TrackedOutage, at = now) =>
    isSilenced(stored, channel, outage, at)
  const findTriggeredWatches = (channel: string, outage: TrackedOutage): Watch[] =>
    stored.watches.filter(
      (watch) =>
        watch.channelId === channel &&
        matchesWatch(watch, outage) &&
        outage.bad >= watch.afterBadPolls &&
        !watch.baseline.includes(outage.id),
    )
  const listOpen = (env: Environment) =>
    stored.outages.filter((outage) => outage.env === env && !outage.endedAt)
  const isReachable = (channel: string, env: Environment) =>
    !stored.closedChannels.includes(channel) && !stored.scopes[env].isFailureReported

  const createRandomWatch = (channelId: string, id = `w${nextSerial++}`): Watch => ({
    id,
    channelId,
    environment: pick(ENVS),
    filter: {
      include: pick([['*'], ['web-*'], ['pay-*'], ['web-*', 'db-*']]).map((pattern) => ({
        field: 'name',
        pattern,
      })),
      exclude: (random() < 0.2 ? [pick(['web-*', 'db-*', '*-3'])] : []).map((pattern) => ({
        field: 'name',
        pattern,
      })),
    },
    afterBadPolls: pick([1, 1, 1, 2, 3, 5]),
    notify: random() < 0.2 ? 'every' : 'once',
    // Some intervals are shorter than people can choose, so that a history has many reminders.
    reminderHours: pick([0, 0, 0.25, 1]) as ReminderHours,
    escalation: pick(listEscalations(channelId)),
    baseline: [],
    ...{ workspaceId: 'T1', ownerId: 'U1', madeAt: new Date(now), changedAt: new Date(now) },
  })
  const saveWatch = (watch: Watch) => {
    addOrChangeWatch(stored, watch)
  }

  const restartClocks = (id: string) => {
    for (const [key] of escalationClocks) if (key.startsWith(`${id} `)) escalationClocks.delete(key)
    for (const [key] of unattendedTimes) if (key.startsWith(`${id} `)) unattendedTimes.delete(key)
  }

  const events: Record<string, () => void | Promise<void>> = {
    goDown: () => {
      const check = pick([...serviceChecks[pick(ENVS)].values()])
      check.isBad = true
    },
    // The same event under a second name, so that it is chosen twice as often.
    goDownAgain: () => {
      const check = pick([...serviceChecks[pick(ENVS)].values()])
      check.isBad = true
    },
    recover: () => {
      const check = pick(ENVS.flatMap((env) => [...serviceChecks[env].values()]).filter(({ isBad }) => isBad))
      if (check) check.isBad = false
    },
    // The same event under a second name, so that it is chosen twice as often.
    recoverAgain: () => {
      const check = pick(ENVS.flatMap((env) => [...serviceChecks[env].values()]).filter(({ isBad }) => isBad))
      if (check) check.isBad = false
    },
    flap: () => {
      const check = pick([...serviceChecks[pick(ENVS)].values()])
      check.isBad = !check.isBad
    },
    storm: () => {
      if (random() < 0.25)
        for (const check of serviceChecks[pick(ENVS)].values()) if (random() < 0.8) check.isBad = true
    },
    recoverMost: () => {
      if (random() < 0.3)
        for (const check of serviceChecks[pick(ENVS)].values()) if (random() < 0.9) check.isBad = false
    },
    rename: () => {
      const check = pick([...serviceChecks[pick(ENVS)].values()])
      if (check) check.name = `${pick(['web', 'pay', 'db', 'zzz'])}-${check.name.split('-')[1]}`
    },
    remove: () => {
      if (random() < 0.3) {
        const env = pick(ENVS)
        const check = pick([...serviceChecks[env].values()])
        if (check && serviceChecks[env].size > 4) serviceChecks[env].delete(check.uuid)
      }
    },
    add: () => {
      if (random() < 0.3) {
        const env = pick(ENVS)
        const uuid = `${env[0]}${nextSerial++}`
        serviceChecks[env].set(uuid, {
          uuid,
          name: `web-${uuid}`,
          isBad: random() < 0.5,
          goodPolls: 2,
          hasBeenBad: false,
        })
      }
    },
    mute: () => {
      stored.silences.push({
        id: `s${nextSerial++}`,
        subject: pick(['*', 'web-*', 'pay-*', 'p1', 'p2']),
        env: pick(ENVS),
        channel: pick(CHANNELS),
        from: now,
        until: now + pick([5, 20, 60, 600]) * MINUTE,
      })
    },
    maintenance: () => {
      const from = now + pick([0, 0, 10, 30]) * MINUTE
      const silence = {
        id: `s${nextSerial++}`,
        subject: pick(['*', 'web-*', 'db-*', 'o1']),
        env: pick(ENVS),
        from,
        until: from + pick([10, 45, 120]) * MINUTE,
        channel: random() < 0.5 ? pick(CHANNELS) : undefined,
      }
      stored.silences.push(silence)
    },
    unmute: () => {
      const silence = pick(stored.silences.filter(({ isOver }) => !isOver))
      if (silence) silence.until = now
      if (silence && silence.from > now) {
        silence.from = now
      }
    },
    watch: () => {
      if (stored.watches.length < 7) saveWatch(createRandomWatch(pick(CHANNELS)))
    },
    edit: () => {
      const watch = pick(stored.watches)
      if (watch) {
        const edited = createRandomWatch(watch.channelId, watch.id)
        saveWatch({ ...edited, environment: watch.environment })
      }
    },
    escalate: () => {
      const watch = pick(stored.watches)
      const escalation = watch && createRandomWatch(watch.channelId).escalation
      if (watch)
        stored.watches = stored.watches.map((other) => (other === watch ? { ...watch, escalation } : other))
    },
    unwatch: () => {
      if (random() < 0.6) {
        const watch = pick(stored.watches)
        if (watch && stored.watches.length > 1)
          stored.watches = stored.watches.filter((other) => other !== watch)
      }
    },
    createAgain: async () => {
      const watch = pick(stored.watches)
      if (watch) {
        stored.watches = stored.watches.filter((other) => other !== watch)
        if (random() < 0.5) {
          await update(stored, now)
          tickOracle()
        }
        saveWatch({ ...watch, id: `w${nextSerial++}` })
      }
    },
    take: () => {
      const card = pick(stored.cards.filter(({ closedAt, shownVersion }) => !closedAt && shownVersion > 0))
      const by = pick(PEOPLE.filter((person) => !stored.deactivatedPeople.includes(person)))
      if (card && by) {
        const before = new Map(stored.outages.map((outage) => [outage.id, outage.onIt]))
        takeOutages(stored, shownIds.get(card.id) ?? [], by, now)
        for (const outage of stored.outages)
          if (outage.onIt && before.get(outage.id) !== outage.onIt)
            lastResponder.set(outage.id, { by, clockMs: readClock(outage.env) })
      }
    },
    stepDown: () => {
      const outage = pick(stored.outages.filter((outage) => outage.onIt && !outage.endedAt))
      if (outage) {
        releaseOutage(stored, outage, now)
        restartClocks(outage.id)
        lastResponder.delete(outage.id)
      }
    },
    handOver: () => {
      const outage = pick(stored.outages.filter((outage) => outage.onIt && !outage.endedAt))
      const to = pick(PEOPLE.filter((person) => !stored.deactivatedPeople.includes(person)))
      if (outage && to) {
        outage.onIt = { by: to, name: to, at: new Date(now), clockMs: readClock(outage.env) }
        lastResponder.set(outage.id, outage.onIt)
      }
    },
    leave: () => {
      if (random() < 0.3 && stored.deactivatedPeople.length < 2) {
        const who = pick(PEOPLE.filter((person) => !stored.deactivatedPeople.includes(person)))
        if (who) {
          stored.deactivatedPeople.push(who)
          for (const outage of stored.outages)
            if (outage.onIt?.by === who && !outage.endedAt) {
              restartClocks(outage.id)
            }
        }
      }
    },
    returnToWork: () => {
      stored.deactivatedPeople = stored.deactivatedPeople.slice(1)
    },
    close: () => {
      const channel = pick(CHANNELS)
      if (!stored.closedChannels.includes(channel) && random() < 0.5) {
        stored.closedChannels.push(channel)
      }
    },
    open: () => {
      const channel = pick(stored.closedChannels)
      if (channel) {
        stored.closedChannels = stored.closedChannels.filter((closed) => closed !== channel)
        for (const env of ENVS)
          stored.resumedChannels = [...new Set([...stored.resumedChannels, `${channel} ${env}`])]
      }
    },
    jump: () => {
      if (random() < 0.3) now += pick([-2, 2]) * 60 * MINUTE
    },
    nothing: () => undefined,
    nothing2: () => undefined,
    nothing3: () => undefined,
  }
  const eventNames = Object.keys(events)
  let failingPollsLeft = 0

  for (const watch of [createRandomWatch('A'), createRandomWatch('B'), createRandomWatch('C')])
    saveWatch(watch)

  const poll = (env: Environment, isOk: boolean) => {
    if (!isOk) {
      observe(stored, env, undefined, now)
      return
    }
    observe(
      stored,
      env,
      new Map([...serviceChecks[env].values()].map(({ uuid, name, isBad }) => [uuid, { name, isBad }])),
      now,
    )
    for (const check of serviceChecks[env].values()) {
      if (check.isBad) {
        check.goodPolls = 0
        check.hasBeenBad = true
      } else check.goodPolls += 1
    }
    const open = new Set(listOpen(env).map((outage) => outage.uuid))
    for (const check of serviceChecks[env].values())
      if (open.has(check.uuid) !== (check.hasBeenBad && check.goodPolls < 2))
        fail(`${check.uuid} open ${open.has(check.uuid)} but good polls ${check.goodPolls}`)
    for (const uuid of open)
      if (!serviceChecks[env].has(uuid)) fail(`${uuid} is deleted, but its outage is still open`)
    for (const outage of listOpen(env))
      if (outage.name !== serviceChecks[env].get(outage.uuid)?.name)
        fail(`${outage.uuid} has an outage with the name ${outage.name}`)
    if (open.size !== listOpen(env).length) fail('two outages of one check')
    for (const outage of stored.outages)
      if (outage.onIt && !outage.endedAt && !lastResponder.has(outage.id)) {
        const last = stored.outages.findLast(
          (other) => other.uuid === outage.uuid && other.env === outage.env && other.id !== outage.id,
        )
        if (last?.onIt) lastResponder.set(outage.id, { by: outage.onIt.by, clockMs: outage.onIt.clockMs })
      }
  }

  /** The watch clock of each environment at the last tick of the oracle. */
  const lastClockMs: Record<Environment, number> = { production: 0, ote: 0 }
  const runningClocks = new Set<string>()
  /** Advances the oracle's clocks to now. Call this after each decision. */
  const tickOracle = () => {
    for (const { key, env } of stored.calls) if (!decidedAt.has(key)) decidedAt.set(key, readClock(env))
    for (const env of ENVS) {
      const elapsedMs = Math.max(0, readClock(env) - lastClockMs[env])
      // The watch clock may have gone back: if the clock was set back and nothing was decided since the last poll, the time since then counts again.
      lastClockMs[env] = readClock(env)
      for (const { id } of listOpen(env))
        for (const channel of CHANNELS) {
          const silencedAt = lastSilencedAt.get(`${id} ${channel}`)
          if (silencedAt !== undefined)
            lastSilencedAt.set(`${id} ${channel}`, Math.min(silencedAt, readClock(env)))
        }
      const decided = CHANNELS.flatMap((channel) => {
        const { alerts = [], escalations = [] } = stored.channels[`${channel} ${env}`] ?? {}
        return [
          ...alerts.map(({ listedClockMs }) => listedClockMs),
          ...escalations.map(({ runningSinceMs = 0 }) => runningSinceMs),
        ]
      })
      const latest = Math.max(
        0,
        ...decided,
        ...stored.cards.flatMap((card) => (card.env === env ? card.clockMs : [])),
      )
      if (latest > readClock(env))
        fail(`the watch clock of ${env} ran back to ${readClock(env)} from ${latest}`)
      for (const channel of CHANNELS) {
        for (const outage of stored.outages.filter((outage) => outage.env === env)) {
          const key = `${outage.id} ${channel}`
          const isClosed = stored.closedChannels.includes(channel)
          if (!stored.scopes[env].isFailureReported && !isClosed) {
            if (outage.endedAt || findTriggeredWatches(channel, outage).length === 0)
              lastSilencedAt.delete(key)
            else if (isSilencedIn(channel, outage)) lastSilencedAt.set(key, readClock(env))
          }
          const isOnThisChannel =
            findTriggeredWatches(channel, outage).length > 0 ||
            (findMessageListing(channel, outage.id) !== undefined &&
              stored.watches.some((watch) => watch.channelId === channel && matchesWatch(watch, outage)))
          const isUnattended =
            !outage.endedAt && isOnThisChannel && !isSilencedIn(channel, outage) && !isClosed && !outage.onIt
          if (!isUnattended) {
            if (unattendedTimes.has(key))
              log(
                `  no longer unattended: ${key} ${outage.name} ended ${outage.endedAt} on this channel ${isOnThisChannel} silenced ${isSilencedIn(channel, outage)} closed ${isClosed} on it ${outage.onIt?.by}`,
              )
            unattendedTimes.delete(key)
          } else if (!stored.scopes[env].isFailureReported) {
            const unattended = unattendedTimes.get(key)
            if (unattended) unattended.ms += elapsedMs
            else unattendedTimes.set(key, { ms: 0, from: readClock(env) })
          }
          for (const watch of stored.watches.filter((watch) => watch.channelId === channel)) {
            const clockKey = `${outage.id} ${watch.id}`
            const isWanted = findTriggeredWatches(channel, outage).includes(watch)
            // Waiting starts when Slack has confirmed the message, so a lost response delays it.
            const message = findMessageListing(channel, outage.id)
            const isShown = message !== undefined && shownIds.get(message.key)?.includes(outage.id)
            const isRunning =
              isWanted && isUnattended && !stored.scopes[env].isFailureReported && isShown === true
            const wasRunning = runningClocks.has(clockKey)
            const steps = JSON.stringify(watch.escalation ?? [])
            let clock = escalationClocks.get(clockKey)
            // If the steps changed, the clock restarts once escalation runs again.
            if (clock && clock.steps !== steps && isRunning) {
              escalationClocks.delete(clockKey)
              clock = undefined
            }
            if (isRunning && !clock) {
              clock = { ms: 0, stepsDone: 0, steps }
              escalationClocks.set(clockKey, clock)
            } else if (clock && wasRunning) {
              // The clock was running at the last tick, so the time since then counts even if it has just stopped.
              clock.ms += elapsedMs
            }
            if (isRunning) runningClocks.add(clockKey)
            else runningClocks.delete(clockKey)
          }
        }
      }
    }
  }
  const listDownRows = (message: Message): Row[] =>
    parseRows(message.content).filter(([, state]) => state === 'down')
  const findMessageListing = (channel: string, id: string): Message | undefined =>
    slack.find(
      (message) =>
        message.channel === channel &&
        message.reason !== 'reminder' &&
        listDownRows(message).some(([rowId]) => rowId === id),
    )

  const deliver = (isFaulty: boolean): void => {
    for (const card of stored.cards) {
      if (stored.closedChannels.includes(card.channel) || card.shownVersion === card.version) continue
      const fault = isFaulty ? random() : 1
      if (fault < 0.1) continue
      card.isUnposted = false
      const found = slack.find(({ key }) => key === card.id)
      if (found) {
        if (found.content !== card.content) {
          recordRows(card, false)
          stats.edits += 1
        }
        found.content = card.content
      } else {
        const reason = card.kind === 'reminder' ? 'reminder' : (card.reason ?? '')
        slack.push({
          key: card.id,
          channel: card.channel,
          env: card.env,
          reason,
          content: card.content,
          postedClockMs: readClock(card.env),
          postedAt: now,
          postedContent: card.content,
        })
        stats.posts += 1
        stats.postsByReason[reason] = (stats.postsByReason[reason] ?? 0) + 1
        recordRows(card, true)
        log(`  ${card.channel} ${card.env} post ${card.id} ${reason} ${card.content}`)
      }
      if (fault < 0.2) {
        stats.lost += 1
        continue
      }
      card.shownVersion = card.version
      shownIds.set(
        card.id,
        parseRows(card.content).flatMap(([id, state]) => (state === 'down' ? [id] : [])),
      )
    }
    for (const call of [...stored.calls]) {
      const channel = stored.channels[`${call.channel} ${call.env}`]
      const findEscalation = (outageId: string, watchId: string) =>
        channel?.escalations.find(
          (escalation) => escalation.outageId === outageId && escalation.watchId === watchId,
        )
      const finishPage = (isPosted: boolean): void => {
        stored.calls = stored.calls.filter((page) => page !== call)
        if (channel)
          channel.escalations = channel.escalations.map(({ callId, ...escalation }) =>
            callId === call.key
              ? { ...escalation, step: escalation.step + (isPosted ? 1 : 0) }
              : { ...escalation, callId },
          )
      }
      if (postedPageKeys.has(call.key)) {
        finishPage(true)
        continue
      }
      const isObsolete = call.steps.some(({ outageId, watchId, run, step }) => {
        const outage = stored.outages.find(({ id }) => id === outageId)
        const escalation = findEscalation(outageId, watchId)
        if (
          !outage ||
          escalation?.run !== run ||
          escalation.step !== step ||
          outage.endedAt ||
          outage.onIt ||
          isSilencedIn(call.channel, outage)
        )
          return true
        if (!isReachable(call.channel, outage.env)) return true
        return !stored.watches.some(
          (watch) =>
            watch.id === watchId &&
            matchesWatch(watch, outage) &&
            JSON.stringify(watch.escalation ?? []) === escalation.steps,
        )
      })
      // An obsolete page is dropped. If its step still applies, it is due again immediately.
      if (isObsolete) {
        finishPage(false)
        continue
      }
      const fault = isFaulty ? random() : 1
      if (fault < 0.1) continue
      postedPageKeys.add(call.key)
      stats.calls += 1
      log(`  call ${call.channel} ${call.people.join(' ')} ${JSON.stringify(call.steps)}`)
      for (const { outageId, watchId, run, step } of call.steps) {
        const outage = stored.outages.find(({ id }) => id === outageId) as TrackedOutage
        if (
          postedPages.some((page) =>
            page.steps.some(
              (posted) =>
                posted.outageId === outageId &&
                posted.watchId === watchId &&
                posted.run === run &&
                posted.step === step,
            ),
          )
        )
          fail(`${outageId} ${watchId} run ${run} step ${step} is paged twice`)
        if (
          outage.endedAt ||
          outage.onIt ||
          isSilencedIn(call.channel, outage) ||
          !isReachable(call.channel, outage.env)
        )
          fail(`paged about ${outageId}, which has ended, has a person on it, is silenced, or can't be seen`)
        const clock = escalationClocks.get(`${outageId} ${watchId}`)
        const watch = stored.watches.find(({ id }) => id === watchId)
        if (!clock || !watch) fail(`paged without a clock ${outageId} ${watchId}`)
        else {
          if (clock.stepsDone !== step)
            fail(`${outageId} ${watchId}: step ${step} after ${clock.stepsDone} steps`)
          if (clock.ms < (watch.escalation?.[step]?.afterMs ?? 0) - TOLERANCE_MS)
            fail(`${outageId} ${watchId}: step ${step} at ${clock.ms / MINUTE} min`)
          clock.stepsDone += 1
          const afterMs = watch.escalation?.[step]?.afterMs ?? 0
          const since = readClock(call.env) - (decidedAt.get(call.key) ?? 0)
          clock.ms = Math.min(clock.ms, afterMs + since)
        }
      }
      postedPages.push({ key: call.key, at: now, steps: call.steps })
      if (fault < 0.2) {
        stats.lost += 1
        continue
      }
      finishPage(true)
    }
  }
  /** Records which outages this post or edit shows for the first time. Fails if an edit shows an outage that needs a new post. */
  const recordRows = (card: TestCard, isPost: boolean): void => {
    const clockMs = readClock(card.env)
    for (const [id, state] of parseRows(card.content)) {
      if (state !== 'down') continue
      if (isPost) lastPost.set(`${id} ${card.channel}`, clockMs)
      if (card.kind === 'reminder') continue
      const key = `${id} ${card.channel}`
      if (firstShown.has(key)) continue
      firstShown.set(key, { isPost, key: card.id })
      const outage = stored.outages.find((outage) => outage.id === id)
      if (isPost || !outage) continue
      // An edit alone may show an outage in three cases: a recent outage of its check is on this card, the card is a storm, or the card is at most 30 seconds old.
      const before = stored.outages.filter(
        (other) =>
          other.uuid === outage.uuid && other.env === outage.env && other.endedAt && other.id !== outage.id,
      )
      const alerts = stored.channels[`${card.channel} ${card.env}`]?.alerts ?? []
      const addedClockMs = alerts.find(({ outageId }) => outageId === id)?.listedClockMs ?? clockMs
      const isRelapse =
        alerts.some(
          (alert) =>
            alert.uuid === outage.uuid &&
            alert.outageId !== id &&
            alert.cardId === card.id &&
            alert.removal &&
            addedClockMs - alert.removal.clockMs < RELAPSE_MS,
        ) && before.some((other) => outage.startedClockMs - (other.endedClockMs ?? 0) < RELAPSE_MS)
      const isStorm = card.listedCount > STORM_SIZE && addedClockMs - card.clockMs <= RELAPSE_MS
      const isYoung = addedClockMs - card.clockMs <= 30_000
      if (!isRelapse && !isStorm && !isYoung)
        fail(`${id} was first shown in ${card.channel} by an edit of ${card.id}`)
    }
    if (isPost && card.kind === 'reminder') stats.reminders += 1
  }

  const settleAndCheck = async (): Promise<void> => {
    let rounds = 0
    let wake = Number.POSITIVE_INFINITY
    for (; ; rounds += 1) {
      const before = JSON.stringify(stored)
      wake = await update(stored, now)
      tickOracle()
      deliver(false)
      if (JSON.stringify(stored) === before) break
      if (rounds > 6) fail('decisions never settle')
    }
    // A decision at any time before the returned wake-up time must change nothing.
    for (const at of [
      now + (Math.min(wake, now + INTERVAL) - now) * 0.5,
      Math.min(wake, now + INTERVAL) - 1,
    ]) {
      const later = structuredClone(stored)
      await update(later, at)
      if (at <= now || at >= wake) continue
      // Ignores the time of the next page, which may change while checks can't be seen.
      const takeSnapshot = (state: typeof stored): string =>
        JSON.stringify({ ...state, cards: state.cards.map(({ nextCall: _, version: __, ...card }) => card) })
      if (takeSnapshot(later) !== takeSnapshot(stored))
        fail(`something happens ${(at - now) / 1000} s from now, before ${(wake - now) / 1000}`)
    }
    for (const env of ENVS)
      for (const channel of CHANNELS) {
        if (stored.closedChannels.includes(channel)) continue
        const messages = slack.filter((message) => message.channel === channel && message.env === env)
        const cards = messages.filter(({ reason }) => reason !== 'reminder')
        const listedIds = cards.flatMap((message) => listDownRows(message).map(([id]) => id))
        if (new Set(listedIds).size !== listedIds.length)
          fail(`an outage is on two cards of ${channel}: ${listedIds}`)
        const clockMs = readClock(env)
        for (const id of listedIds) {
          const outage = stored.outages.find((outage) => outage.id === id)
          if (!outage || outage.endedAt) fail(`${id} is listed as down in ${channel}, but has ended`)
          else {
            if (!stored.watches.some((watch) => watch.channelId === channel && matchesWatch(watch, outage)))
              fail(`${id} is on a card of ${channel}, which does not watch it`)
            const row = cards.flatMap(listDownRows).find(([rowId]) => rowId === id)
            if (row && row[2] !== outage.name)
              fail(`${id} has the name ${row[2]} on its card, but its name is ${outage.name}`)
            if (row && row[3] !== (outage.onIt?.by ?? '')) fail(`${id}: the card says ${row[3]} is on it`)
            if (row && row[4] !== isSilencedIn(channel, outage)) fail(`${id}: the card says muted ${row[4]}`)
          }
        }
        for (const outage of listOpen(env)) {
          const isWanted = findTriggeredWatches(channel, outage).length > 0
          if (
            isWanted &&
            !isSilencedIn(channel, outage) &&
            !stored.scopes[env].isFailureReported &&
            !listedIds.includes(outage.id)
          )
            fail(`${outage.id} ${outage.name} is on no card of ${channel}`)
          const unattended = unattendedTimes.get(`${outage.id} ${channel}`)
          const posted = lastPost.get(`${outage.id} ${channel}`)
          if (
            unattended &&
            unattended.ms > RELAPSE_MS + TOLERANCE_MS &&
            !stored.scopes[env].isFailureReported &&
            (posted === undefined || posted < unattended.from - INTERVAL)
          )
            fail(
              `${outage.id} has been down in ${channel} for ${unattended.ms / MINUTE} min, and no message said so since (posted ${posted}, from ${unattended.from}, clockMs ${clockMs})`,
            )
          // Escalation has taken every step that is due on the oracle's clock.
          for (const watch of stored.watches.filter((watch) => watch.channelId === channel)) {
            const clock = escalationClocks.get(`${outage.id} ${watch.id}`)
            if (!clock || clock.steps !== JSON.stringify(watch.escalation ?? []) || outage.onIt) continue
            const wantedSteps = (watch.escalation ?? []).filter(
              ({ afterMs }) => clock.ms > afterMs + TOLERANCE_MS * 2,
            ).length
            if (clock.stepsDone < wantedSteps && runningClocks.has(`${outage.id} ${watch.id}`))
              fail(`${outage.id} ${watch.id}: ${clock.stepsDone} steps after ${clock.ms / MINUTE} min`)
          }
        }
        // At most one reminder is open, and it is correct.
        const reminders = messages.filter(({ reason }) => reason === 'reminder')
        for (const reminder of reminders.slice(0, -1))
          if (listDownRows(reminder).length > 0) fail('two reminders')
        const last = reminders.at(-1)
        if (last)
          for (const [id, , , by, isMuted] of listDownRows(last)) {
            const outage = stored.outages.find((it) => it.id === id)
            const isTrue =
              outage &&
              !outage.endedAt &&
              by === (outage.onIt?.by ?? '') &&
              isMuted === isSilencedIn(channel, outage)
            if (!isTrue || !listedIds.includes(id))
              fail(`a reminder in ${channel} lists ${id} as ${by} ${isMuted}`)
          }
        for (const outage of listOpen(env)) {
          const reminderTimesMs = findTriggeredWatches(channel, outage).flatMap(({ reminderHours: hours }) =>
            hours ? [hours * 60 * MINUTE] : [],
          )
          const unattended = unattendedTimes.get(`${outage.id} ${channel}`)
          const posted = lastPost.get(`${outage.id} ${channel}`) ?? 0
          if (
            reminderTimesMs.length > 0 &&
            unattended &&
            !stored.scopes[env].isFailureReported &&
            Math.min(unattended.ms, clockMs - posted) > Math.min(...reminderTimesMs) + TOLERANCE_MS
          )
            fail(
              `${outage.id} has no reminder in ${channel}: alone ${unattended.ms / MINUTE}, last message ${(clockMs - posted) / MINUTE}`,
            )
        }
        // Outages that are no longer silenced are posted immediately.
        for (const outage of listOpen(env)) {
          const key = `${outage.id} ${channel}`
          const isWanted = findTriggeredWatches(channel, outage).length > 0
          const isSilencedNow = isSilencedIn(channel, outage)
          const silencedAt = lastSilencedAt.get(key)
          if (
            silencedAt !== undefined &&
            !isSilencedNow &&
            isWanted &&
            !stored.scopes[env].isFailureReported &&
            (lastPost.get(key) ?? -1) < silencedAt - 2 * INTERVAL
          )
            fail(
              `${outage.id} was silenced in ${channel} until ${silencedAt}, and the last message that lists it as down was posted at ${lastPost.get(key)}`,
            )
          if (!stored.scopes[env].isFailureReported) lastSilencedAt.delete(key)
        }
      }
    for (const outage of stored.outages)
      if (outage.onIt && !outage.endedAt) {
        if (stored.deactivatedPeople.includes(outage.onIt.by))
          fail(`${outage.onIt.by} is deactivated, but still on ${outage.id}`)
        const person = lastResponder.get(outage.id)
        if (!person) fail(`${outage.id}: someone is on it who never pressed the button`)
        if (
          isInherited(outage) &&
          readClock(outage.env) - outage.startedClockMs > RELAPSE_MS + TOLERANCE_MS &&
          !stored.scopes[outage.env].isFailureReported
        )
          fail(`${outage.id}: ${outage.onIt.by} is still on it from an earlier outage`)
      }
    if (new Set(slack.map(({ key }) => key)).size !== slack.length) fail('posted twice')
  }

  const stepCount = 50 + Math.floor(random() * 150)
  for (let step = 0; step < stepCount; step += 1) {
    stats.steps += 1
    now += pick([20, 30, 60, 60, 60, 120, 180]) * 1000
    const eventCount = pick([1, 1, 1, 2])
    for (let n = 0; n < eventCount; n += 1) {
      const name = pick(eventNames)
      countEvent(name)
      log(`${step} ${Math.round((now - 1e9) / 1000)} ${name}`)
      await events[name]?.()
    }
    if (failingPollsLeft > 0) failingPollsLeft -= 1
    else if (random() < 0.01) failingPollsLeft = pick([2, 7, 12])
    for (const env of ENVS) poll(env, failingPollsLeft === 0)
    // The process dies before it saves, or before it sends.
    if (random() < 0.12) {
      stats.crashes += 1
      await update(structuredClone(stored), now)
      continue
    }
    await update(stored, now)
    tickOracle()
    if (random() < 0.1) {
      stats.crashes += 1
      continue
    }
    deliver(true)
    if (random() < 0.5) await settleAndCheck()
    // Old data is deleted, as in the app.
    if (step % 20 === 19) {
      const listAlerts = (card: TestCard) =>
        stored.channels[`${card.channel} ${card.env}`]?.alerts.filter(({ cardId }) => cardId === card.id) ??
        []
      const isOld = (card: TestCard) =>
        card.closedAt &&
        card.shownVersion === card.version &&
        listAlerts(card).every(
          ({ removal }) => !removal || readClock(card.env) - removal.clockMs > 60 * MINUTE,
        )
      stored.cards = stored.cards.filter((card) => !isOld(card))
      const used = new Set(stored.cards.flatMap(({ listedOutageIds: listed }) => listed))
      stored.outages = stored.outages.filter(
        (outage) =>
          !outage.endedAt ||
          used.has(outage.id) ||
          readClock(outage.env) - (outage.endedClockMs ?? 0) < 60 * MINUTE,
      )
      const ids = new Set(stored.outages.map(({ id }) => id))
      for (const channel of Object.values(stored.channels)) {
        channel.alerts = channel.alerts.filter(({ outageId }) => ids.has(outageId))
        channel.escalations = channel.escalations.filter(({ outageId }) => ids.has(outageId))
      }
    }
  }
  await settleAndCheck()
  stats.histories += 1
  stats.outages += stored.nextId
}
