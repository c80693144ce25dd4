// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: a history and what must hold in it are read top to bottom
import type { Environment } from '../../../../src/domain/environment.ts'
import { RELAPSE_MS, STORM_SIZE } from '../../../../src/features/watching/rules/decide.ts'
import type { ReminderHours, Watch } from '../../../../src/features/watching/rules/watch.ts'
import { createRandom } from '../../../random.ts'
import {
  addOrChangeWatch,
  type Call,
  createState,
  INTERVAL,
  isInherited,
  isSilenced,
  listEscalations,
  MINUTE,
  matchesWatch,
  observe,
  readClockMs,
  release,
  type TestCard,
  type Tracked,
  take,
  update,
} from './pure-world.ts'

const ENVS: Environment[] = ['production', 'ote']
const CHANNELS = ['A', 'B', 'C']
const PEOPLE = ['ann', 'bob', 'cy']
const TOLERANCE_MS = 4 * MINUTE

interface Message {
  key: string
  channel: string
  env: Environment
  why: string
  content: string
  postedSeen: number
  postedAt: number
  postedContent: string
}
type Row = [id: string, state: string, name: string, by: string, silenced: boolean]
const parseRows = (content: string): Row[] => (content.startsWith('[') ? JSON.parse(content) : [])

export class BrokenRule extends Error {}

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
  seenKinds: Record<string, number>
}

export const newStats = (): Stats => ({
  ...{ histories: 0, steps: 0, posts: 0, edits: 0, calls: 0, reminders: 0, outages: 0, crashes: 0, lost: 0 },
  ...{ events: {}, seenKinds: {} },
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
  // The service's checks.
  interface Check {
    uuid: string
    name: string
    isBad: boolean
    goodPolls: number
    hasBeenBad: boolean
  }
  const world: Record<Environment, Map<string, Check>> = { production: new Map(), ote: new Map() }
  for (const env of ENVS)
    for (let at = 0; at < 9; at += 1) {
      const uuid = `${env[0]}${at}`
      world[env].set(uuid, {
        uuid,
        name: `${pick(['web', 'pay', 'db'])}-${at}`,
        isBad: false,
        goodPolls: 2,
        hasBeenBad: false,
      })
    }
  let nextSerial = 100
  const slack: Message[] = []
  const calledKeys = new Set<string>()
  const callsPosted: { key: string; at: number; steps: Call['steps'] }[] = []
  const shownIds = new Map<string, string[]>()
  // The state of the oracle, which works out independently what must hold.
  interface Unattended {
    ms: number
    from: number
  }
  const unattendedTimes = new Map<string, Unattended>()
  const clocks = new Map<string, { ms: number; done: number; steps: string }>()
  /** When each page was decided, on the watch clock. The next step waits from then. */
  const decidedAt = new Map<string, number>()
  const lastPost = new Map<string, number>()
  const firstShown = new Map<string, { isPost: boolean; key: string }>()
  const wasSilenced = new Map<string, number>()
  const lastTaken = new Map<string, { by: string; clockMs: number }>()
  const fail = (why: string): never => {
    const id = /o\d+/.exec(why)?.[0]
    if (id) {
      const onlyThisOutage = <T extends { outageId: string }>(all: T[]): T[] =>
        all.filter(({ outageId }) => outageId === id)
      log(
        JSON.stringify({
          now: (now - 1e9) / 1000,
          scopes: stored.scopes,
          outage: stored.outages.find((one) => one.id === id),
          watches: stored.watches,
          closed: stored.closed,
          gone: stored.gone,
        }),
      )
      for (const [name, one] of Object.entries(stored.channels))
        log(name, JSON.stringify(onlyThisOutage(one.alerts)), JSON.stringify(onlyThisOutage(one.escalations)))
      log(JSON.stringify([...clocks].filter(([key]) => key.startsWith(`${id} `))))
      for (const card of stored.cards) if (card.listed.includes(id)) log(JSON.stringify(card))
      log(JSON.stringify(stored.silences.filter(({ until }) => until > now)))
    }
    throw new BrokenRule(`seed ${seed}: ${why}`)
  }
  const countEvent = (what: string) => {
    stats.events[what] = (stats.events[what] ?? 0) + 1
  }
  const readClock = (env: Environment) => readClockMs(stored.scopes[env], now)
  const isSilencedIn = (channel: string, o: Tracked, at = now) => isSilenced(stored, channel, o, at)
  const findWantingWatches = (channel: string, o: Tracked): Watch[] =>
    stored.watches.filter(
      (w) =>
        w.channelId === channel &&
        matchesWatch(w, o) &&
        o.bad >= w.afterBadPolls &&
        !w.baseline.includes(o.id),
    )
  const listOpen = (env: Environment) => stored.outages.filter((o) => o.env === env && !o.endedAt)
  const isReachable = (channel: string, env: Environment) =>
    !stored.closed.includes(channel) && !stored.scopes[env].isBlind

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
    // Some are shorter than people may choose, so that a history has many reminders.
    reminderHours: pick([0, 0, 0.25, 1]) as ReminderHours,
    escalation: pick(listEscalations(channelId)),
    baseline: [],
    ...{ workspaceId: 'T1', ownerId: 'U1', madeAt: new Date(now), changedAt: new Date(now) },
  })
  const saveWatch = (w: Watch) => {
    addOrChangeWatch(stored, w)
  }

  const restartClock = (id: string) => {
    for (const [key] of clocks) if (key.startsWith(`${id} `)) clocks.delete(key)
    for (const [key] of unattendedTimes) if (key.startsWith(`${id} `)) unattendedTimes.delete(key)
  }

  const events: Record<string, () => void | Promise<void>> = {
    fall: () => {
      const c = pick([...world[pick(ENVS)].values()])
      c.isBad = true
    },
    fall2: () => {
      const c = pick([...world[pick(ENVS)].values()])
      c.isBad = true
    },
    rise: () => {
      const c = pick(ENVS.flatMap((e) => [...world[e].values()]).filter((one) => one.isBad))
      if (c) c.isBad = false
    },
    rise2: () => {
      const c = pick(ENVS.flatMap((e) => [...world[e].values()]).filter((one) => one.isBad))
      if (c) c.isBad = false
    },
    flap: () => {
      const c = pick([...world[pick(ENVS)].values()])
      c.isBad = !c.isBad
    },
    storm: () => {
      if (random() < 0.25) for (const c of world[pick(ENVS)].values()) if (random() < 0.8) c.isBad = true
    },
    calm: () => {
      if (random() < 0.3) for (const c of world[pick(ENVS)].values()) if (random() < 0.9) c.isBad = false
    },
    rename: () => {
      const c = pick([...world[pick(ENVS)].values()])
      if (c) c.name = `${pick(['web', 'pay', 'db', 'zzz'])}-${c.name.split('-')[1]}`
    },
    remove: () => {
      if (random() < 0.3) {
        const env = pick(ENVS)
        const c = pick([...world[env].values()])
        if (c && world[env].size > 4) world[env].delete(c.uuid)
      }
    },
    add: () => {
      if (random() < 0.3) {
        const env = pick(ENVS)
        const uuid = `${env[0]}${nextSerial++}`
        world[env].set(uuid, {
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
      const one = pick(stored.silences.filter(({ isOver }) => !isOver))
      if (one) one.until = now
      if (one && one.from > now) {
        one.from = now
      }
    },
    watch: () => {
      if (stored.watches.length < 7) saveWatch(createRandomWatch(pick(CHANNELS)))
    },
    edit: () => {
      const w = pick(stored.watches)
      if (w) {
        const e = createRandomWatch(w.channelId, w.id)
        saveWatch({ ...e, environment: w.environment })
      }
    },
    escalate: () => {
      const w = pick(stored.watches)
      const escalation = w && createRandomWatch(w.channelId).escalation
      if (w) stored.watches = stored.watches.map((one) => (one === w ? { ...w, escalation } : one))
    },
    unwatch: () => {
      if (random() < 0.6) {
        const w = pick(stored.watches)
        if (w && stored.watches.length > 1) stored.watches = stored.watches.filter((one) => one !== w)
      }
    },
    remake: async () => {
      const w = pick(stored.watches)
      if (w) {
        stored.watches = stored.watches.filter((one) => one !== w)
        if (random() < 0.5) {
          await update(stored, now)
          tickOracle()
        }
        saveWatch({ ...w, id: `w${nextSerial++}` })
      }
    },
    take: () => {
      const card = pick(stored.cards.filter(({ closedAt, shownVersion }) => !closedAt && shownVersion > 0))
      const by = pick(PEOPLE.filter((one) => !stored.gone.includes(one)))
      if (card && by) {
        const before = new Map(stored.outages.map((o) => [o.id, o.onIt]))
        take(stored, shownIds.get(card.id) ?? [], by, now)
        for (const o of stored.outages)
          if (o.onIt && before.get(o.id) !== o.onIt) lastTaken.set(o.id, { by, clockMs: readClock(o.env) })
      }
    },
    stepDown: () => {
      const o = pick(stored.outages.filter((one) => one.onIt && !one.endedAt))
      if (o) {
        release(stored, o, now)
        restartClock(o.id)
        lastTaken.delete(o.id)
      }
    },
    handOver: () => {
      const o = pick(stored.outages.filter((one) => one.onIt && !one.endedAt))
      const to = pick(PEOPLE.filter((one) => !stored.gone.includes(one)))
      if (o && to) {
        o.onIt = { by: to, name: to, at: new Date(now), clockMs: readClock(o.env) }
        lastTaken.set(o.id, o.onIt)
      }
    },
    leave: () => {
      if (random() < 0.3 && stored.gone.length < 2) {
        const who = pick(PEOPLE.filter((one) => !stored.gone.includes(one)))
        if (who) {
          stored.gone.push(who)
          for (const o of stored.outages)
            if (o.onIt?.by === who && !o.endedAt) {
              restartClock(o.id)
            }
        }
      }
    },
    back: () => {
      stored.gone = stored.gone.slice(1)
    },
    close: () => {
      const c = pick(CHANNELS)
      if (!stored.closed.includes(c) && random() < 0.5) {
        stored.closed.push(c)
      }
    },
    open: () => {
      const c = pick(stored.closed)
      if (c) {
        stored.closed = stored.closed.filter((one) => one !== c)
        for (const env of ENVS) stored.resumed = [...new Set([...stored.resumed, `${c} ${env}`])]
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
  let blindFor = 0

  for (const w of [createRandomWatch('A'), createRandomWatch('B'), createRandomWatch('C')]) saveWatch(w)

  const poll = (env: Environment, isOk: boolean) => {
    if (!isOk) {
      observe(stored, env, undefined, now)
      return
    }
    observe(
      stored,
      env,
      new Map([...world[env].values()].map(({ uuid, name, isBad }) => [uuid, { name, isBad }])),
      now,
    )
    for (const c of world[env].values()) {
      if (c.isBad) {
        c.goodPolls = 0
        c.hasBeenBad = true
      } else c.goodPolls += 1
    }
    const open = new Set(listOpen(env).map((o) => o.uuid))
    for (const c of world[env].values())
      if (open.has(c.uuid) !== (c.hasBeenBad && c.goodPolls < 2))
        fail(`${c.uuid} open ${open.has(c.uuid)} but good polls ${c.goodPolls}`)
    for (const uuid of open) if (!world[env].has(uuid)) fail(`${uuid} is deleted and open`)
    for (const o of listOpen(env))
      if (o.name !== world[env].get(o.uuid)?.name) fail(`${o.uuid} is called ${o.name}`)
    if (open.size !== listOpen(env).length) fail('two outages of one check')
    for (const o of stored.outages)
      if (o.onIt && !o.endedAt && !lastTaken.has(o.id)) {
        const last = stored.outages.findLast(
          (one) => one.uuid === o.uuid && one.env === o.env && one.id !== o.id,
        )
        if (last?.onIt) lastTaken.set(o.id, { by: o.onIt.by, clockMs: o.onIt.clockMs })
      }
  }

  /** Advances the oracle's clocks by the state since the last tick. */
  const lastSeen: Record<Environment, number> = { production: 0, ote: 0 }
  const runningClocks = new Map<string, Set<string>>()
  const tickOracle = () => {
    for (const { key, env } of stored.calls) if (!decidedAt.has(key)) decidedAt.set(key, readClock(env))
    for (const env of ENVS) {
      const elapsedMs = Math.max(0, readClock(env) - lastSeen[env])
      // If the clock was set back and nothing was decided since the last poll, that time counts again.
      lastSeen[env] = readClock(env)
      for (const { id } of listOpen(env))
        for (const channel of CHANNELS) {
          const silencedAt = wasSilenced.get(`${id} ${channel}`)
          if (silencedAt !== undefined)
            wasSilenced.set(`${id} ${channel}`, Math.min(silencedAt, readClock(env)))
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
        for (const o of stored.outages.filter((one) => one.env === env)) {
          const key = `${o.id} ${channel}`
          const isClosed = stored.closed.includes(channel)
          if (!stored.scopes[env].isBlind && !isClosed) {
            if (o.endedAt || findWantingWatches(channel, o).length === 0) wasSilenced.delete(key)
            else if (isSilencedIn(channel, o)) wasSilenced.set(key, readClock(env))
          }
          const isOnThisChannel =
            findWantingWatches(channel, o).length > 0 ||
            (findMessageOf(channel, o.id) !== undefined &&
              stored.watches.some((w) => w.channelId === channel && matchesWatch(w, o)))
          const isUnattended =
            !o.endedAt && isOnThisChannel && !isSilencedIn(channel, o) && !isClosed && !o.onIt
          if (!isUnattended) {
            if (unattendedTimes.has(key))
              log(
                `  un ${key} ${o.name} ended ${o.endedAt} home ${isOnThisChannel} sil ${isSilencedIn(channel, o)} closed ${isClosed} onIt ${o.onIt?.by}`,
              )
            unattendedTimes.delete(key)
          } else if (!stored.scopes[env].isBlind) {
            const at = unattendedTimes.get(key)
            if (at) at.ms += elapsedMs
            else unattendedTimes.set(key, { ms: 0, from: readClock(env) })
          }
          for (const w of stored.watches.filter((one) => one.channelId === channel)) {
            const clockKey = `${o.id} ${w.id}`
            const isWanted = findWantingWatches(channel, o).includes(w)
            // Waiting starts when the message is confirmed, so a lost reply delays it.
            const message = findMessageOf(channel, o.id)
            const isShown = message !== undefined && shownIds.get(message.key)?.includes(o.id)
            const isRunning = isWanted && isUnattended && !stored.scopes[env].isBlind && isShown === true
            const before = runningClocks.get(clockKey)?.has('run') ?? false
            const steps = JSON.stringify(w.escalation ?? [])
            let clock = clocks.get(clockKey)
            // Changed steps count from when escalation runs again.
            if (clock && clock.steps !== steps && isRunning) {
              clocks.delete(clockKey)
              clock = undefined
            }
            if (isRunning && !clock) {
              clock = { ms: 0, done: 0, steps }
              clocks.set(clockKey, clock)
              // Time before the change was noticed counts as waiting.
            } else if (clock && before) clock.ms += elapsedMs
            runningClocks.set(clockKey, new Set(isRunning ? ['run'] : []))
          }
        }
      }
    }
  }
  const listDownRows = (m: Message): Row[] => parseRows(m.content).filter(([, state]) => state === 'down')
  const findMessageOf = (channel: string, id: string): Message | undefined =>
    slack.find(
      (m) => m.channel === channel && m.why !== 'reminder' && listDownRows(m).some(([one]) => one === id),
    )

  const deliver = (isFaulty: boolean): void => {
    for (const card of stored.cards) {
      if (stored.closed.includes(card.channel) || card.shownVersion === card.version) continue
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
        const why = card.kind === 'reminder' ? 'reminder' : (card.reason ?? '')
        slack.push({
          key: card.id,
          channel: card.channel,
          env: card.env,
          why,
          content: card.content,
          postedSeen: readClock(card.env),
          postedAt: now,
          postedContent: card.content,
        })
        stats.posts += 1
        stats.seenKinds[why] = (stats.seenKinds[why] ?? 0) + 1
        recordRows(card, true)
        log(`  ${card.channel} ${card.env} post ${card.id} ${why} ${card.content}`)
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
      const findEscalation = (outage: string, watch: string) =>
        channel?.escalations.find((one) => one.outageId === outage && one.watchId === watch)
      const finishCall = (isPosted: boolean): void => {
        stored.calls = stored.calls.filter((one) => one !== call)
        if (channel)
          channel.escalations = channel.escalations.map(({ callId, ...one }) =>
            callId === call.key ? { ...one, step: one.step + (isPosted ? 1 : 0) } : { ...one, callId },
          )
      }
      if (calledKeys.has(call.key)) {
        finishCall(true)
        continue
      }
      const isObsolete = call.steps.some(({ outageId, watchId, run, step }) => {
        const o = stored.outages.find(({ id }) => id === outageId)
        const escalation = findEscalation(outageId, watchId)
        if (
          !o ||
          escalation?.run !== run ||
          escalation.step !== step ||
          o.endedAt ||
          o.onIt ||
          isSilencedIn(call.channel, o)
        )
          return true
        if (!isReachable(call.channel, o.env)) return true
        return !stored.watches.some(
          (w) =>
            w.id === watchId && matchesWatch(w, o) && JSON.stringify(w.escalation ?? []) === escalation.steps,
        )
      })
      // An obsolete page is dropped. If its step still applies, it is due again immediately.
      if (isObsolete) {
        finishCall(false)
        continue
      }
      const fault = isFaulty ? random() : 1
      if (fault < 0.1) continue
      calledKeys.add(call.key)
      stats.calls += 1
      log(`  call ${call.channel} ${call.people.join(' ')} ${JSON.stringify(call.steps)}`)
      for (const { outageId: outage, watchId: watch, run, step } of call.steps) {
        const o = stored.outages.find(({ id }) => id === outage) as Tracked
        if (
          callsPosted.some((one) =>
            one.steps.some(
              (a) => a.outageId === outage && a.watchId === watch && a.run === run && a.step === step,
            ),
          )
        )
          fail(`${outage} ${watch} run ${run} step ${step} is called twice`)
        if (o.endedAt || o.onIt || isSilencedIn(call.channel, o) || !isReachable(call.channel, o.env))
          fail(`called about ${outage}, which is over, taken, silenced or unseen`)
        const clock = clocks.get(`${outage} ${watch}`)
        const w = stored.watches.find(({ id }) => id === watch)
        if (!clock || !w) fail(`called without a clock ${outage} ${watch}`)
        else {
          if (clock.done !== step) fail(`${outage} ${watch}: step ${step} after ${clock.done} steps`)
          if (clock.ms < (w.escalation?.[step]?.afterMs ?? 0) - TOLERANCE_MS)
            fail(`${outage} ${watch}: step ${step} at ${clock.ms / MINUTE} min`)
          clock.done += 1
          const afterMs = w.escalation?.[step]?.afterMs ?? 0
          const since = readClock(call.env) - (decidedAt.get(call.key) ?? 0)
          clock.ms = Math.min(clock.ms, afterMs + since)
        }
      }
      callsPosted.push({ key: call.key, at: now, steps: call.steps })
      if (fault < 0.2) {
        stats.lost += 1
        continue
      }
      finishCall(true)
    }
  }
  /** Records which outages a post or an edit shows for the first time. */
  const recordRows = (card: TestCard, isPost: boolean): void => {
    const clockMs = readClock(card.env)
    for (const [id, state] of parseRows(card.content)) {
      if (state !== 'down') continue
      if (isPost) lastPost.set(`${id} ${card.channel}`, clockMs)
      if (card.kind === 'reminder') continue
      const key = `${id} ${card.channel}`
      if (firstShown.has(key)) continue
      firstShown.set(key, { isPost, key: card.id })
      const o = stored.outages.find((one) => one.id === id)
      if (isPost || !o) continue
      // Only an edit shows it if its last outage left this card recently, the card is a storm, or it is at most 30 seconds old.
      const before = stored.outages.filter(
        (one) => one.uuid === o.uuid && one.env === o.env && one.endedAt && one.id !== o.id,
      )
      const alerts = stored.channels[`${card.channel} ${card.env}`]?.alerts ?? []
      const addedClockMs = alerts.find(({ outageId }) => outageId === id)?.listedClockMs ?? clockMs
      const isRelapse =
        alerts.some(
          (one) =>
            one.uuid === o.uuid &&
            one.outageId !== id &&
            one.cardId === card.id &&
            one.removal &&
            addedClockMs - one.removal.clockMs < RELAPSE_MS,
        ) && before.some((one) => o.startedClockMs - (one.endedClockMs ?? 0) < RELAPSE_MS)
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
    // Nothing changes before the returned wake-up time.
    for (const at of [
      now + (Math.min(wake, now + INTERVAL) - now) * 0.5,
      Math.min(wake, now + INTERVAL) - 1,
    ]) {
      const later = structuredClone(stored)
      await update(later, at)
      if (at <= now || at >= wake) continue
      // While checks can't be seen, only the time of the next page changes.
      const snapshot = (world: typeof stored): string =>
        JSON.stringify({ ...world, cards: world.cards.map(({ nextCall: _, version: __, ...card }) => card) })
      if (snapshot(later) !== snapshot(stored))
        fail(`something happens ${(at - now) / 1000} s from now, before ${(wake - now) / 1000}`)
    }
    for (const env of ENVS)
      for (const channel of CHANNELS) {
        if (stored.closed.includes(channel)) continue
        const messages = slack.filter((m) => m.channel === channel && m.env === env)
        const cards = messages.filter(({ why }) => why !== 'reminder')
        const listedIds = cards.flatMap((m) => listDownRows(m).map(([id]) => id))
        if (new Set(listedIds).size !== listedIds.length)
          fail(`an outage is on two cards of ${channel}: ${listedIds}`)
        const clockMs = readClock(env)
        for (const id of listedIds) {
          const o = stored.outages.find((one) => one.id === id)
          if (!o || o.endedAt) fail(`${id} is called open in ${channel} and is over`)
          else {
            if (!stored.watches.some((w) => w.channelId === channel && matchesWatch(w, o)))
              fail(`${id} is on a card of ${channel}, which does not watch it`)
            const row = cards.flatMap(listDownRows).find(([one]) => one === id)
            if (row && row[2] !== o.name) fail(`${id} is called ${row[2]}, its name is ${o.name}`)
            if (row && row[3] !== (o.onIt?.by ?? '')) fail(`${id}: the card says ${row[3]} is on it`)
            if (row && row[4] !== isSilencedIn(channel, o)) fail(`${id}: the card says muted ${row[4]}`)
          }
        }
        for (const o of listOpen(env)) {
          const isWanted = findWantingWatches(channel, o).length > 0
          if (
            isWanted &&
            !isSilencedIn(channel, o) &&
            !stored.scopes[env].isBlind &&
            !listedIds.includes(o.id)
          )
            fail(`${o.id} ${o.name} is on no card of ${channel}`)
          const at = unattendedTimes.get(`${o.id} ${channel}`)
          const posted = lastPost.get(`${o.id} ${channel}`)
          if (
            at &&
            at.ms > RELAPSE_MS + TOLERANCE_MS &&
            !stored.scopes[env].isBlind &&
            (posted === undefined || posted < at.from - INTERVAL)
          )
            fail(
              `${o.id} is down in ${channel} for ${at.ms / MINUTE} min, and no message said so since (posted ${posted}, from ${at.from}, clockMs ${clockMs})`,
            )
          // Escalation keeps up with its clock.
          for (const w of stored.watches.filter((one) => one.channelId === channel)) {
            const clock = clocks.get(`${o.id} ${w.id}`)
            if (!clock || clock.steps !== JSON.stringify(w.escalation ?? []) || o.onIt) continue
            const wantedSteps = (w.escalation ?? []).filter(
              ({ afterMs }) => clock.ms > afterMs + TOLERANCE_MS * 2,
            ).length
            if (clock.done < wantedSteps && runningClocks.get(`${o.id} ${w.id}`)?.has('run'))
              fail(`${o.id} ${w.id}: ${clock.done} steps after ${clock.ms / MINUTE} min`)
          }
        }
        // At most one reminder is open, and it is correct.
        const reminders = messages.filter(({ why }) => why === 'reminder')
        for (const one of reminders.slice(0, -1)) if (listDownRows(one).length > 0) fail('two reminders')
        const last = reminders.at(-1)
        if (last)
          for (const [id, , , by, isMuted] of listDownRows(last)) {
            const o = stored.outages.find((it) => it.id === id)
            const isTrue =
              o && !o.endedAt && by === (o.onIt?.by ?? '') && isMuted === isSilencedIn(channel, o)
            if (!isTrue || !listedIds.includes(id))
              fail(`a reminder in ${channel} lists ${id} as ${by} ${isMuted}`)
          }
        for (const o of listOpen(env)) {
          const reminderTimesMs = findWantingWatches(channel, o).flatMap(({ reminderHours: hours }) =>
            hours ? [hours * 60 * MINUTE] : [],
          )
          const at = unattendedTimes.get(`${o.id} ${channel}`)
          const posted = lastPost.get(`${o.id} ${channel}`) ?? 0
          if (
            reminderTimesMs.length > 0 &&
            at &&
            !stored.scopes[env].isBlind &&
            Math.min(at.ms, clockMs - posted) > Math.min(...reminderTimesMs) + TOLERANCE_MS
          )
            fail(
              `${o.id} has no reminder in ${channel}: alone ${at.ms / MINUTE}, last message ${(clockMs - posted) / MINUTE}`,
            )
        }
        // Outages that are no longer silenced are posted immediately.
        for (const o of listOpen(env)) {
          const key = `${o.id} ${channel}`
          const isWanted = findWantingWatches(channel, o).length > 0
          const isSilencedNow = isSilencedIn(channel, o)
          const silencedAt = wasSilenced.get(key)
          if (
            silencedAt !== undefined &&
            !isSilencedNow &&
            isWanted &&
            !stored.scopes[env].isBlind &&
            (lastPost.get(key) ?? -1) < silencedAt - 2 * INTERVAL
          )
            fail(
              `${o.id} was silenced in ${channel} until ${silencedAt}, and the last message that says it is down is of ${lastPost.get(key)}`,
            )
          if (!stored.scopes[env].isBlind) wasSilenced.delete(key)
        }
      }
    for (const o of stored.outages)
      if (o.onIt && !o.endedAt) {
        if (stored.gone.includes(o.onIt.by)) fail(`${o.onIt.by} is on ${o.id} and gone`)
        const person = lastTaken.get(o.id)
        if (!person) fail(`nobody took ${o.id}, but someone is on it`)
        if (
          isInherited(o) &&
          readClock(o.env) - o.startedClockMs > RELAPSE_MS + TOLERANCE_MS &&
          !stored.scopes[o.env].isBlind
        )
          fail(`${o.id}: ${o.onIt.by} is still on it from an earlier outage`)
      }
    if (new Set(slack.map(({ key }) => key)).size !== slack.length) fail('posted twice')
  }

  const stepCount = 50 + Math.floor(random() * 150)
  for (let at = 0; at < stepCount; at += 1) {
    stats.steps += 1
    now += pick([20, 30, 60, 60, 60, 120, 180]) * 1000
    const eventCount = pick([1, 1, 1, 2])
    for (let n = 0; n < eventCount; n += 1) {
      const name = pick(eventNames)
      countEvent(name)
      log(`${at} ${Math.round((now - 1e9) / 1000)} ${name}`)
      await events[name]?.()
    }
    if (blindFor > 0) blindFor -= 1
    else if (random() < 0.01) blindFor = pick([2, 7, 12])
    for (const env of ENVS) poll(env, blindFor === 0)
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
    if (at % 20 === 19) {
      const listAlerts = (c: TestCard) =>
        stored.channels[`${c.channel} ${c.env}`]?.alerts.filter(({ cardId }) => cardId === c.id) ?? []
      const isOld = (c: TestCard) =>
        c.closedAt &&
        c.shownVersion === c.version &&
        listAlerts(c).every(({ removal }) => !removal || readClock(c.env) - removal.clockMs > 60 * MINUTE)
      stored.cards = stored.cards.filter((c) => !isOld(c))
      const used = new Set(stored.cards.flatMap(({ listed }) => listed))
      stored.outages = stored.outages.filter(
        (o) => !o.endedAt || used.has(o.id) || readClock(o.env) - (o.endedClockMs ?? 0) < 60 * MINUTE,
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
  stats.outages += stored.next
}
