// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: a history and what must hold in it are read top to bottom
import type { Environment } from '../../../../src/domain/environment.ts'
import { RELAPSE_MS, STORM_SIZE } from '../../../../src/features/watching/rules/decide.ts'
import type { ReminderHours, Watch } from '../../../../src/features/watching/rules/watch.ts'
import { seeded } from '../../../random.ts'
import {
  begin,
  type Call,
  fits,
  INTERVAL,
  isInherited,
  isSilenced,
  MINUTE,
  newWorld,
  observe,
  release,
  STEPS,
  seenAt,
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
const rows = (content: string): Row[] => (content.startsWith('[') ? JSON.parse(content) : [])

export class Broken extends Error {}

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

export async function history(
  seed: number,
  stats: Stats,
  options: { trace?: (...text: string[]) => void } = {},
): Promise<void> {
  const random = seeded(seed).next
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const log = options.trace ?? (() => undefined)
  let now = 1_000_000_000
  const s = newWorld(now)
  // The service's checks.
  interface Check {
    uuid: string
    name: string
    isBad: boolean
    goods: number
    everBad: boolean
  }
  const world: Record<Environment, Map<string, Check>> = { production: new Map(), ote: new Map() }
  for (const env of ENVS)
    for (let at = 0; at < 9; at += 1) {
      const uuid = `${env[0]}${at}`
      world[env].set(uuid, {
        uuid,
        name: `${pick(['web', 'pay', 'db'])}-${at}`,
        isBad: false,
        goods: 2,
        everBad: false,
      })
    }
  let serial = 100
  const slack: Message[] = []
  const calledKeys = new Set<string>()
  const callsPosted: { key: string; at: number; about: Call['about'] }[] = []
  const shownIds = new Map<string, string[]>()
  // The oracle's state.
  interface Unattended {
    ms: number
    from: number
  }
  const unattended = new Map<string, Unattended>()
  const clocks = new Map<string, { ms: number; done: number; steps: string }>()
  /** When each page was decided, on the watch clock. The next step waits from then. */
  const callsDecided = new Map<string, number>()
  const lastPost = new Map<string, number>()
  const oracleBase = new Map<string, Set<string>>()
  const firstShown = new Map<string, { isPost: boolean; key: string }>()
  const wasSilenced = new Map<string, number>()
  const aware = new Map<string, { by: string; seen: number }>()
  const fail = (why: string): never => {
    const id = /o\d+/.exec(why)?.[0]
    if (id) {
      const of = <T extends { outageId: string }>(all: T[]): T[] =>
        all.filter(({ outageId }) => outageId === id)
      log(
        JSON.stringify({
          now: (now - 1e9) / 1000,
          scopes: s.scopes,
          outage: s.outages.find((one) => one.id === id),
          watches: s.watches,
          closed: s.closed,
          gone: s.gone,
        }),
      )
      for (const [name, one] of Object.entries(s.channels))
        log(name, JSON.stringify(of(one.alerts)), JSON.stringify(of(one.escalations)))
      log(JSON.stringify([...clocks].filter(([key]) => key.startsWith(`${id} `))))
      for (const card of s.cards) if (card.listed.includes(id)) log(JSON.stringify(card))
      log(JSON.stringify(s.silences.filter(({ until }) => until > now)))
    }
    throw new Broken(`seed ${seed}: ${why}`)
  }
  const count = (what: string) => {
    stats.events[what] = (stats.events[what] ?? 0) + 1
  }
  const seenOf = (env: Environment) => seenAt(s.scopes[env], now)
  const silencedIn = (channel: string, o: Tracked, at = now) => isSilenced(s, channel, o, at)
  const wantedIn = (channel: string, o: Tracked): Watch[] =>
    s.watches.filter(
      (w) => w.channelId === channel && fits(w, o) && o.bad >= w.afterBadPolls && !w.baseline.includes(o.id),
    )
  const openOf = (env: Environment) => s.outages.filter((o) => o.env === env && !o.endedAt)
  const reachable = (channel: string, env: Environment) =>
    !s.closed.includes(channel) && !s.scopes[env].isBlind

  const newWatch = (channelId: string, id = `w${serial++}`): Watch => ({
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
    escalation: pick(STEPS(channelId)),
    baseline: [],
    ...{ workspaceId: 'T1', ownerId: 'U1', madeAt: new Date(now), changedAt: new Date(now) },
  })
  const start = (w: Watch) => {
    begin(s, w)
    // The oracle's copy of the baseline.
    oracleBase.set(w.id, new Set(s.watches.find(({ id }) => id === w.id)?.baseline))
  }

  const restartClock = (id: string) => {
    for (const [key] of clocks) if (key.startsWith(`${id} `)) clocks.delete(key)
    for (const [key] of unattended) if (key.startsWith(`${id} `)) unattended.delete(key)
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
        const uuid = `${env[0]}${serial++}`
        world[env].set(uuid, { uuid, name: `web-${uuid}`, isBad: random() < 0.5, goods: 2, everBad: false })
      }
    },
    mute: () => {
      s.silences.push({
        id: `s${serial++}`,
        about: pick(['*', 'web-*', 'pay-*', 'p1', 'p2']),
        env: pick(ENVS),
        channel: pick(CHANNELS),
        from: now,
        until: now + pick([5, 20, 60, 600]) * MINUTE,
      })
    },
    maintenance: () => {
      const from = now + pick([0, 0, 10, 30]) * MINUTE
      const silence = {
        id: `s${serial++}`,
        about: pick(['*', 'web-*', 'db-*', 'o1']),
        env: pick(ENVS),
        from,
        until: from + pick([10, 45, 120]) * MINUTE,
        channel: random() < 0.5 ? pick(CHANNELS) : undefined,
      }
      s.silences.push(silence)
    },
    unmute: () => {
      const one = pick(s.silences.filter(({ over }) => !over))
      if (one) one.until = now
      if (one && one.from > now) {
        one.from = now
      }
    },
    watch: () => {
      if (s.watches.length < 7) start(newWatch(pick(CHANNELS)))
    },
    edit: () => {
      const w = pick(s.watches)
      if (w) {
        const e = newWatch(w.channelId, w.id)
        start({ ...e, environment: w.environment })
      }
    },
    escalate: () => {
      const w = pick(s.watches)
      const escalation = w && newWatch(w.channelId).escalation
      if (w) s.watches = s.watches.map((one) => (one === w ? { ...w, escalation } : one))
    },
    unwatch: () => {
      if (random() < 0.6) {
        const w = pick(s.watches)
        if (w && s.watches.length > 1) s.watches = s.watches.filter((one) => one !== w)
      }
    },
    remake: async () => {
      const w = pick(s.watches)
      if (w) {
        s.watches = s.watches.filter((one) => one !== w)
        if (random() < 0.5) {
          await update(s, now)
          tickOracle()
        }
        start({ ...w, id: `w${serial++}` })
      }
    },
    take: () => {
      const card = pick(s.cards.filter(({ closedAt, shownVersion }) => !closedAt && shownVersion > 0))
      const by = pick(PEOPLE.filter((one) => !s.gone.includes(one)))
      if (card && by) {
        const before = new Map(s.outages.map((o) => [o.id, o.onIt]))
        take(s, shownIds.get(card.id) ?? [], by, now)
        for (const o of s.outages)
          if (o.onIt && before.get(o.id) !== o.onIt) aware.set(o.id, { by, seen: seenOf(o.env) })
      }
    },
    stepDown: () => {
      const o = pick(s.outages.filter((one) => one.onIt && !one.endedAt))
      if (o) {
        release(s, o, now)
        restartClock(o.id)
        aware.delete(o.id)
      }
    },
    handOver: () => {
      const o = pick(s.outages.filter((one) => one.onIt && !one.endedAt))
      const to = pick(PEOPLE.filter((one) => !s.gone.includes(one)))
      if (o && to) {
        o.onIt = { by: to, name: to, at: new Date(now), seen: seenOf(o.env) }
        aware.set(o.id, o.onIt)
      }
    },
    leave: () => {
      if (random() < 0.3 && s.gone.length < 2) {
        const who = pick(PEOPLE.filter((one) => !s.gone.includes(one)))
        if (who) {
          s.gone.push(who)
          for (const o of s.outages)
            if (o.onIt?.by === who && !o.endedAt) {
              restartClock(o.id)
            }
        }
      }
    },
    back: () => {
      s.gone = s.gone.slice(1)
    },
    close: () => {
      const c = pick(CHANNELS)
      if (!s.closed.includes(c) && random() < 0.5) {
        s.closed.push(c)
      }
    },
    open: () => {
      const c = pick(s.closed)
      if (c) {
        s.closed = s.closed.filter((one) => one !== c)
        for (const env of ENVS) s.resumed = [...new Set([...s.resumed, `${c} ${env}`])]
      }
    },
    jump: () => {
      if (random() < 0.3) now += pick([-2, 2]) * 60 * MINUTE
    },
    nothing: () => undefined,
    nothing2: () => undefined,
    nothing3: () => undefined,
  }
  const names = Object.keys(events)
  let blindFor = 0

  for (const w of [newWatch('A'), newWatch('B'), newWatch('C')]) start(w)

  const poll = (env: Environment, isOk: boolean) => {
    if (!isOk) {
      observe(s, env, undefined, now)
      return
    }
    observe(
      s,
      env,
      new Map([...world[env].values()].map(({ uuid, name, isBad }) => [uuid, { name, isBad }])),
      now,
    )
    for (const c of world[env].values()) {
      if (c.isBad) {
        c.goods = 0
        c.everBad = true
      } else c.goods += 1
    }
    const open = new Set(openOf(env).map((o) => o.uuid))
    for (const c of world[env].values())
      if (open.has(c.uuid) !== (c.everBad && c.goods < 2))
        fail(`${c.uuid} open ${open.has(c.uuid)} but good polls ${c.goods}`)
    for (const uuid of open) if (!world[env].has(uuid)) fail(`${uuid} is deleted and open`)
    for (const o of openOf(env))
      if (o.name !== world[env].get(o.uuid)?.name) fail(`${o.uuid} is called ${o.name}`)
    if (open.size !== openOf(env).length) fail('two outages of one check')
    for (const o of s.outages)
      if (o.onIt && !o.endedAt && !aware.has(o.id)) {
        const last = s.outages.findLast((one) => one.uuid === o.uuid && one.env === o.env && one.id !== o.id)
        if (last?.onIt) aware.set(o.id, { by: o.onIt.by, seen: o.onIt.seen })
      }
  }

  /** Advances the oracle's clocks by the state since the last tick. */
  const lastSeen: Record<Environment, number> = { production: 0, ote: 0 }
  const was = new Map<string, Set<string>>()
  const tickOracle = () => {
    for (const { key, env } of s.calls) if (!callsDecided.has(key)) callsDecided.set(key, seenOf(env))
    for (const env of ENVS) {
      const d = Math.max(0, seenOf(env) - lastSeen[env])
      // If the clock was set back and nothing was decided since the last poll, that time counts again.
      lastSeen[env] = seenOf(env)
      for (const { id } of openOf(env))
        for (const channel of CHANNELS) {
          const was = wasSilenced.get(`${id} ${channel}`)
          if (was !== undefined) wasSilenced.set(`${id} ${channel}`, Math.min(was, seenOf(env)))
        }
      const decided = CHANNELS.flatMap((channel) => {
        const { alerts = [], escalations = [] } = s.channels[`${channel} ${env}`] ?? {}
        return [...alerts, ...escalations].map(({ since = 0 }) => since)
      })
      const latest = Math.max(
        0,
        ...decided,
        ...s.cards.flatMap((card) => (card.env === env ? card.seen : [])),
      )
      if (latest > seenOf(env)) fail(`the watch clock of ${env} ran back to ${seenOf(env)} from ${latest}`)
      for (const channel of CHANNELS) {
        for (const o of s.outages.filter((one) => one.env === env)) {
          const key = `${o.id} ${channel}`
          const isClosed = s.closed.includes(channel)
          if (!s.scopes[env].isBlind && !isClosed) {
            if (o.endedAt || wantedIn(channel, o).length === 0) wasSilenced.delete(key)
            else if (silencedIn(channel, o)) wasSilenced.set(key, seenOf(env))
          }
          const isHome =
            wantedIn(channel, o).length > 0 ||
            (shownOn(channel, o.id) !== undefined &&
              s.watches.some((w) => w.channelId === channel && fits(w, o)))
          const isUnattended = !o.endedAt && isHome && !silencedIn(channel, o) && !isClosed && !o.onIt
          if (!isUnattended) {
            if (unattended.has(key))
              log(
                `  un ${key} ${o.name} ended ${o.endedAt} home ${isHome} sil ${silencedIn(channel, o)} closed ${isClosed} onIt ${o.onIt?.by}`,
              )
            unattended.delete(key)
          } else if (!s.scopes[env].isBlind) {
            const at = unattended.get(key)
            if (at) at.ms += d
            else unattended.set(key, { ms: 0, from: seenOf(env) })
          }
          for (const w of s.watches.filter((one) => one.channelId === channel)) {
            const clockKey = `${o.id} ${w.id}`
            const isWanted = wantedIn(channel, o).includes(w)
            // Waiting starts when the message is confirmed, so a lost reply delays it.
            const message = shownOn(channel, o.id)
            const isShown = message !== undefined && shownIds.get(message.key)?.includes(o.id)
            const run = isWanted && isUnattended && !s.scopes[env].isBlind && isShown === true
            const before = was.get(clockKey)?.has('run') ?? false
            const steps = JSON.stringify(w.escalation ?? [])
            let clock = clocks.get(clockKey)
            // Changed steps count from when escalation runs again.
            if (clock && clock.steps !== steps && run) {
              clocks.delete(clockKey)
              clock = undefined
            }
            if (run && !clock) {
              clock = { ms: 0, done: 0, steps }
              clocks.set(clockKey, clock)
              // Time before the change was noticed counts as waiting.
            } else if (clock && before) clock.ms += d
            was.set(clockKey, new Set(run ? ['run'] : []))
          }
        }
      }
    }
  }
  const liveRows = (m: Message): Row[] => rows(m.content).filter(([, state]) => state === 'down')
  const shownOn = (channel: string, id: string): Message | undefined =>
    slack.find(
      (m) => m.channel === channel && m.why !== 'reminder' && liveRows(m).some(([one]) => one === id),
    )

  const deliver = (isFaulty: boolean): void => {
    for (const card of s.cards) {
      if (s.closed.includes(card.channel) || card.shownVersion === card.version) continue
      const fault = isFaulty ? random() : 1
      if (fault < 0.1) continue
      card.isUnposted = false
      const found = slack.find(({ key }) => key === card.id)
      if (found) {
        if (found.content !== card.content) {
          noteRows(card, false)
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
          postedSeen: seenOf(card.env),
          postedAt: now,
          postedContent: card.content,
        })
        stats.posts += 1
        stats.seenKinds[why] = (stats.seenKinds[why] ?? 0) + 1
        noteRows(card, true)
        log(`  ${card.channel} ${card.env} post ${card.id} ${why} ${card.content}`)
      }
      if (fault < 0.2) {
        stats.lost += 1
        continue
      }
      card.shownVersion = card.version
      shownIds.set(
        card.id,
        rows(card.content).flatMap(([id, state]) => (state === 'down' ? [id] : [])),
      )
    }
    for (const call of [...s.calls]) {
      const channel = s.channels[`${call.channel} ${call.env}`]
      const escalationOf = (outage: string, watch: string) =>
        channel?.escalations.find((one) => one.outageId === outage && one.watchId === watch)
      const done = (isPosted: boolean): void => {
        s.calls = s.calls.filter((one) => one !== call)
        if (channel)
          channel.escalations = channel.escalations.map(({ callId, ...one }) =>
            callId === call.key ? { ...one, step: one.step + (isPosted ? 1 : 0) } : { ...one, callId },
          )
      }
      if (calledKeys.has(call.key)) {
        done(true)
        continue
      }
      const isMoot = call.about.some(({ outageId, watchId, run, step }) => {
        const o = s.outages.find(({ id }) => id === outageId)
        const now_ = escalationOf(outageId, watchId)
        if (
          !o ||
          now_?.run !== run ||
          now_.step !== step ||
          o.endedAt ||
          o.onIt ||
          silencedIn(call.channel, o)
        )
          return true
        if (!reachable(call.channel, o.env)) return true
        return !s.watches.some(
          (w) => w.id === watchId && fits(w, o) && JSON.stringify(w.escalation ?? []) === now_.steps,
        )
      })
      // An obsolete page is dropped. If its step still applies, it is due again immediately.
      if (isMoot) {
        done(false)
        continue
      }
      const fault = isFaulty ? random() : 1
      if (fault < 0.1) continue
      calledKeys.add(call.key)
      stats.calls += 1
      log(`  call ${call.channel} ${call.people.join(' ')} ${JSON.stringify(call.about)}`)
      for (const { outageId: outage, watchId: watch, run, step } of call.about) {
        const o = s.outages.find(({ id }) => id === outage) as Tracked
        if (
          callsPosted.some((one) =>
            one.about.some(
              (a) => a.outageId === outage && a.watchId === watch && a.run === run && a.step === step,
            ),
          )
        )
          fail(`${outage} ${watch} run ${run} step ${step} is called twice`)
        if (o.endedAt || o.onIt || silencedIn(call.channel, o) || !reachable(call.channel, o.env))
          fail(`called about ${outage}, which is over, taken, silenced or unseen`)
        const clock = clocks.get(`${outage} ${watch}`)
        const w = s.watches.find(({ id }) => id === watch)
        if (!clock || !w) fail(`called without a clock ${outage} ${watch}`)
        else {
          if (clock.done !== step) fail(`${outage} ${watch}: step ${step} after ${clock.done} steps`)
          if (clock.ms < (w.escalation?.[step]?.afterMs ?? 0) - TOLERANCE_MS)
            fail(`${outage} ${watch}: step ${step} at ${clock.ms / MINUTE} min`)
          clock.done += 1
          const afterMs = w.escalation?.[step]?.afterMs ?? 0
          const since = seenOf(call.env) - (callsDecided.get(call.key) ?? 0)
          clock.ms = Math.min(clock.ms, afterMs + since)
        }
      }
      callsPosted.push({ key: call.key, at: now, about: call.about })
      if (fault < 0.2) {
        stats.lost += 1
        continue
      }
      done(true)
    }
  }
  /** Records which outages a post or an edit shows for the first time. */
  const noteRows = (card: TestCard, isPost: boolean): void => {
    const seen = seenOf(card.env)
    for (const [id, state] of rows(card.content)) {
      if (state !== 'down') continue
      if (isPost) lastPost.set(`${id} ${card.channel}`, seen)
      if (card.kind === 'reminder') continue
      const key = `${id} ${card.channel}`
      if (firstShown.has(key)) continue
      firstShown.set(key, { isPost, key: card.id })
      const o = s.outages.find((one) => one.id === id)
      if (isPost || !o) continue
      // Only by an edit: its last outage left this card recently, the card is a storm, or it is at most half a minute old.
      const before = s.outages.filter(
        (one) => one.uuid === o.uuid && one.env === o.env && one.endedAt && one.id !== o.id,
      )
      const alerts = s.channels[`${card.channel} ${card.env}`]?.alerts ?? []
      const placed = alerts.find(({ outageId }) => outageId === id)?.since ?? seen
      const isRelapse =
        alerts.some(
          (one) =>
            one.uuid === o.uuid &&
            one.outageId !== id &&
            one.cardId === card.id &&
            one.left &&
            placed - one.left.seen < RELAPSE_MS,
        ) && before.some((one) => o.startedSeen - (one.endedSeen ?? 0) < RELAPSE_MS)
      const isStorm = card.lines > STORM_SIZE && placed - card.seen <= RELAPSE_MS
      const isYoung = placed - card.seen <= 30_000
      if (!isRelapse && !isStorm && !isYoung)
        fail(`${id} was first said in ${card.channel} by an edit of ${card.id}`)
    }
    if (isPost && card.kind === 'reminder') stats.reminders += 1
  }

  const settleAndCheck = async (): Promise<void> => {
    let turns = 0
    let wake = Number.POSITIVE_INFINITY
    for (; ; turns += 1) {
      const before = JSON.stringify(s)
      wake = await update(s, now)
      tickOracle()
      deliver(false)
      if (JSON.stringify(s) === before) break
      if (turns > 6) fail('it does not come to rest')
    }
    // Nothing changes before the returned wake-up time.
    for (const at of [
      now + (Math.min(wake, now + INTERVAL) - now) * 0.5,
      Math.min(wake, now + INTERVAL) - 1,
    ]) {
      const then = structuredClone(s)
      await update(then, at)
      if (at <= now || at >= wake) continue
      // While checks can't be seen, only the time of the next page changes.
      const known = (world: typeof s): string =>
        JSON.stringify({ ...world, cards: world.cards.map(({ nextCall: _, version: __, ...card }) => card) })
      if (known(then) !== known(s))
        fail(`something happens ${(at - now) / 1000} s from now, before ${(wake - now) / 1000}`)
    }
    for (const env of ENVS)
      for (const channel of CHANNELS) {
        if (s.closed.includes(channel)) continue
        const messages = slack.filter((m) => m.channel === channel && m.env === env)
        const cards = messages.filter(({ why }) => why !== 'reminder')
        const said = cards.flatMap((m) => liveRows(m).map(([id]) => id))
        if (new Set(said).size !== said.length) fail(`an outage is on two cards of ${channel}: ${said}`)
        const seen = seenOf(env)
        for (const id of said) {
          const o = s.outages.find((one) => one.id === id)
          if (!o || o.endedAt) fail(`${id} is called open in ${channel} and is over`)
          else {
            if (!s.watches.some((w) => w.channelId === channel && fits(w, o)))
              fail(`${id} is on a card of ${channel}, which does not watch it`)
            const row = cards.flatMap(liveRows).find(([one]) => one === id)
            if (row && row[2] !== o.name) fail(`${id} is called ${row[2]}, its name is ${o.name}`)
            if (row && row[3] !== (o.onIt?.by ?? '')) fail(`${id}: the card says ${row[3]} is on it`)
            if (row && row[4] !== silencedIn(channel, o)) fail(`${id}: the card says muted ${row[4]}`)
          }
        }
        for (const o of openOf(env)) {
          const isWanted = wantedIn(channel, o).length > 0
          if (isWanted && !silencedIn(channel, o) && !s.scopes[env].isBlind && !said.includes(o.id))
            fail(`${o.id} ${o.name} is on no card of ${channel}`)
          const at = unattended.get(`${o.id} ${channel}`)
          const posted = lastPost.get(`${o.id} ${channel}`)
          if (
            at &&
            at.ms > RELAPSE_MS + TOLERANCE_MS &&
            !s.scopes[env].isBlind &&
            (posted === undefined || posted < at.from - INTERVAL)
          )
            fail(
              `${o.id} is down in ${channel} for ${at.ms / MINUTE} min, and no message said so since (posted ${posted}, from ${at.from}, seen ${seen})`,
            )
          // Escalation keeps up with its clock.
          for (const w of s.watches.filter((one) => one.channelId === channel)) {
            const clock = clocks.get(`${o.id} ${w.id}`)
            if (!clock || clock.steps !== JSON.stringify(w.escalation ?? []) || o.onIt) continue
            const wantedSteps = (w.escalation ?? []).filter(
              ({ afterMs }) => clock.ms > afterMs + TOLERANCE_MS * 2,
            ).length
            if (clock.done < wantedSteps && was.get(`${o.id} ${w.id}`)?.has('run'))
              fail(`${o.id} ${w.id}: ${clock.done} steps after ${clock.ms / MINUTE} min`)
          }
        }
        // At most one reminder is open, and it is correct.
        const reminders = messages.filter(({ why }) => why === 'reminder')
        for (const one of reminders.slice(0, -1)) if (liveRows(one).length > 0) fail('two reminders')
        const last = reminders.at(-1)
        if (last)
          for (const [id, , , by, isMuted] of liveRows(last)) {
            const o = s.outages.find((it) => it.id === id)
            const isTrue = o && !o.endedAt && by === (o.onIt?.by ?? '') && isMuted === silencedIn(channel, o)
            if (!isTrue || !said.includes(id))
              fail(`a reminder in ${channel} lists ${id} as ${by} ${isMuted}`)
          }
        for (const o of openOf(env)) {
          const asked = wantedIn(channel, o).flatMap(({ reminderHours: hours }) =>
            hours ? [hours * 60 * MINUTE] : [],
          )
          const at = unattended.get(`${o.id} ${channel}`)
          const posted = lastPost.get(`${o.id} ${channel}`) ?? 0
          if (
            asked.length > 0 &&
            at &&
            !s.scopes[env].isBlind &&
            Math.min(at.ms, seen - posted) > Math.min(...asked) + TOLERANCE_MS
          )
            fail(
              `${o.id} has no reminder in ${channel}: alone ${at.ms / MINUTE}, last message ${(seen - posted) / MINUTE}`,
            )
        }
        // Outages that are no longer silenced are posted immediately.
        for (const o of openOf(env)) {
          const key = `${o.id} ${channel}`
          const isWanted = wantedIn(channel, o).length > 0
          const is = silencedIn(channel, o)
          const was = wasSilenced.get(key)
          if (
            was !== undefined &&
            !is &&
            isWanted &&
            !s.scopes[env].isBlind &&
            (lastPost.get(key) ?? -1) < was - 2 * INTERVAL
          )
            fail(
              `${o.id} was silenced in ${channel} until ${was}, and the last message that says it is down is of ${lastPost.get(key)}`,
            )
          if (!s.scopes[env].isBlind) wasSilenced.delete(key)
        }
      }
    for (const o of s.outages)
      if (o.onIt && !o.endedAt) {
        if (s.gone.includes(o.onIt.by)) fail(`${o.onIt.by} is on ${o.id} and gone`)
        const person = aware.get(o.id)
        if (!person) fail(`nobody said to be on ${o.id}`)
        if (
          isInherited(o) &&
          seenOf(o.env) - o.startedSeen > RELAPSE_MS + TOLERANCE_MS &&
          !s.scopes[o.env].isBlind
        )
          fail(`${o.id}: ${o.onIt.by} was on it before it came up`)
      }
    if (new Set(slack.map(({ key }) => key)).size !== slack.length) fail('posted twice')
  }

  const length = 50 + Math.floor(random() * 150)
  for (let at = 0; at < length; at += 1) {
    stats.steps += 1
    now += pick([20, 30, 60, 60, 60, 120, 180]) * 1000
    const many = pick([1, 1, 1, 2])
    for (let n = 0; n < many; n += 1) {
      const name = pick(names)
      count(name)
      log(`${at} ${Math.round((now - 1e9) / 1000)} ${name}`)
      await events[name]?.()
    }
    if (blindFor > 0) blindFor -= 1
    else if (random() < 0.01) blindFor = pick([2, 7, 12])
    for (const env of ENVS) poll(env, blindFor === 0)
    // The process dies before it saves, or before it sends.
    if (random() < 0.12) {
      stats.crashes += 1
      await update(structuredClone(s), now)
      continue
    }
    await update(s, now)
    tickOracle()
    if (random() < 0.1) {
      stats.crashes += 1
      continue
    }
    deliver(true)
    if (random() < 0.5) await settleAndCheck()
    // What is long over is forgotten.
    if (at % 20 === 19) {
      const alertsOf = (c: TestCard) =>
        s.channels[`${c.channel} ${c.env}`]?.alerts.filter(({ cardId }) => cardId === c.id) ?? []
      const isOld = (c: TestCard) =>
        c.closedAt &&
        c.shownVersion === c.version &&
        alertsOf(c).every(({ left }) => !left || seenOf(c.env) - left.seen > 60 * MINUTE)
      s.cards = s.cards.filter((c) => !isOld(c))
      const used = new Set(s.cards.flatMap(({ listed }) => listed))
      s.outages = s.outages.filter(
        (o) => !o.endedAt || used.has(o.id) || seenOf(o.env) - (o.endedSeen ?? 0) < 60 * MINUTE,
      )
      const ids = new Set(s.outages.map(({ id }) => id))
      for (const channel of Object.values(s.channels)) {
        channel.alerts = channel.alerts.filter(({ outageId }) => ids.has(outageId))
        channel.escalations = channel.escalations.filter(({ outageId }) => ids.has(outageId))
      }
    }
  }
  await settleAndCheck()
  stats.histories += 1
  stats.outages += s.next
}
