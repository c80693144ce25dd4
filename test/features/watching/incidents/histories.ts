// biome-ignore-all lint/complexity/noExcessiveCognitiveComplexity: a history and its checks, in the order in which they happen
import type { Environment } from '../../../../src/domain/environment.ts'
import type { EscalationStep } from '../../../../src/features/watching/rules/escalation-steps.ts'
import type { Watch, WatchRule } from '../../../../src/features/watching/rules/watch.ts'
import { createRandom } from '../../../random.ts'
import {
  canHear,
  decideAll,
  emptyState,
  handOver,
  holds,
  INTERVAL,
  limits,
  MINUTE,
  mute,
  poll,
  readClock,
  release,
  type State,
  saveWatch,
  type TestIncident,
  take,
} from './in-memory.ts'
import { createOracle, readContent } from './oracle.ts'

const ENVS: readonly Environment[] = ['production', 'ote']
const CHANNELS = ['A', 'B', 'C'] as const
const PEOPLE = ['ann', 'bob', 'cy', 'dee', 'eve'] as const
const START = 1_000_000_000

export interface Stats {
  histories: number
  posts: number
  edits: number
  pages: number
  dms: number
  lost: number
  crashes: number
}
export const newStats = (): Stats => ({
  histories: 0,
  posts: 0,
  edits: 0,
  pages: 0,
  dms: 0,
  lost: 0,
  crashes: 0,
})

/** From this seed on, little but the checks changes, so that waits of an hour and more come about. */
export const CALM_SEEDS = 1_000_000

interface Check {
  uuid: string
  name: string
  isBad: boolean | undefined
  /** Bad for so many polls, then good for so many. */
  flap?: readonly [number, number]
  polls: number
}

const FLAPS: readonly (readonly [number, number])[] = [
  [1, 1],
  [2, 1],
  [1, 2],
  [4, 3],
  [9, 4],
  [3, 7],
  [1, 9],
  [12, 5],
]
const person = (id: string) => ({ id, name: id })
const group = (id: string) => ({ id, name: id, isGroup: true })
const STEPS: readonly (readonly EscalationStep[])[] = [
  [],
  [],
  [{ afterMs: 5 * MINUTE, responders: [group('@team')] }],
  [{ afterMs: 2 * MINUTE, responders: [person('ann')] }],
  [
    { afterMs: 5 * MINUTE, responders: [group('@team'), person('ann')] },
    { afterMs: 8 * MINUTE, responders: [group('@night')] },
    { afterMs: 30 * MINUTE, responders: [group('@team')] },
  ],
  [
    { afterMs: 4 * MINUTE, responders: [person('eve')] },
    { afterMs: 10 * MINUTE, responders: [person('bob')] },
  ],
]
const byName = (...patterns: string[]): WatchRule[] => patterns.map((pattern) => ({ field: 'name', pattern }))

/** Runs one random history in memory, and compares it with the rules. Throws RuleBroken. */
export async function runHistory(seed: number, stats: Stats, trace?: (text: string) => void): Promise<void> {
  const random = createRandom(seed)
  const { next, oneOf } = random
  const maybeOneOf = <T>(all: readonly T[]): T | undefined => (all.length > 0 ? oneOf(all) : undefined)
  limits.askMs = 90 * MINUTE
  let now = START
  let state: State = emptyState(now)
  const oracle = createOracle(
    seed,
    () => state,
    () => now,
  )
  const { fail, slack } = oracle
  for (const [index, id] of PEOPLE.entries())
    state.people[id] = {
      isActive: true,
      isGuest: id === 'eve',
      isAdmin: id === 'dee',
      channels: [['A', 'B', 'C'], ['A', 'B'], ['C']][index === 1 ? 1 : index === 2 ? 2 : 0] ?? [],
    }
  state.groups = { '@team': ['ann', 'bob'], '@night': ['cy'] }
  const world: Record<Environment, Map<string, Check>> = { production: new Map(), ote: new Map() }
  for (const env of ENVS)
    for (let index = 0; index < 8; index += 1) {
      const uuid = `${env[0]}${index}`
      world[env].set(uuid, { uuid, name: `${oneOf(['web', 'pay', 'db'])}-${index}`, isBad: false, polls: 0 })
    }
  let serial = 100
  let blindPolls = 0
  const typedEnds = new Map<string, number>()
  const begun = new Set<string>()
  const ended = new Set<string>()
  /** Cards whose sending failed once: it doesn't fail twice in a row. */
  const failedOnce = new Set<string>()

  const anyCheck = (): Check => oneOf([...world[oneOf(ENVS)].values()])
  const newWatch = (channelId: string, id = `w${serial++}`): Watch => ({
    ...{ id, channelId, workspaceId: 'T1', environment: oneOf(ENVS), ownerId: oneOf(PEOPLE) },
    filter: {
      include: byName(...oneOf([['*'], ['web-*'], ['pay-*'], ['web-*', 'db-*']])),
      exclude: next() < 0.2 ? byName(oneOf(['web-*', 'db-*', '*-3'])) : [],
    },
    afterBadPolls: oneOf([1, 1, 1, 2, 3, 5]),
    notify: next() < 0.1 ? 'every' : 'once',
    // Cast: shorter than people can choose, so that a history has more of them.
    reminderHours: oneOf([0, 0, 1 / 3, 1]) as Watch['reminderHours'],
    escalation: oneOf(STEPS),
    ...{ madeAt: new Date(now), isResumed: false },
  })
  const save = (watch: Watch): void => {
    const before = state.watches.find(({ id }) => id === watch.id)
    const hadLine = new Set(state.lines.map((line) => `${line.incidentId} ${line.channelId}`))
    const others = state.watches.filter(
      (one) => one.channelId === watch.channelId && one.environment === watch.environment,
    )
    const reply = saveWatch(state, watch, now)
    oracle.watchSaved(watch, reply.adopted, before)
    for (const incident of oracle.openIn(watch.environment)) {
      const { id, isDown } = incident
      const isNew = !hadLine.has(`${id} ${watch.channelId}`) && !others.some((one) => matches(one, incident))
      const isFound = isDown && incident.check.uuid !== '' && matches(watch, incident)
      if (isFound && incident.badPolls >= watch.afterBadPolls && isNew && !reply.adopted.includes(id))
        fail(`${id} is down, and neither posted nor named in the reply`)
    }
    for (const id of (watch.escalation ?? []).flatMap(({ responders }) => responders.map((one) => one.id)))
      if (!canHear(state, id ?? '', watch.channelId) !== reply.unreachable.includes(id ?? ''))
        fail(`the reply is wrong about ${id}`)
  }
  const matches = (watch: Watch, { check }: TestIncident): boolean => {
    const patterns = (rules: readonly WatchRule[]) =>
      rules.some(({ pattern }) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(check.name))
    return patterns(watch.filter.include) && !patterns(watch.filter.exclude)
  }
  const setMute = (about: string, env: Environment, channel: string, minutes: number): void => {
    const id = `mute ${channel} ${env} ${about}`
    if (!state.silences.some((one) => one.id === id && !one.isOver))
      for (const set of [begun, ended]) set.delete(id)
    const until = now + minutes * MINUTE
    const reply = mute(state, about, env, channel, until, now)
    typedEnds.set(id, until)
    if (!reply.by.some((one) => one.kind === 'mute' && one.about === about && one.until === until))
      fail('the reply to a mute names another end')
  }
  const fall = (): void => {
    const check = anyCheck()
    check.isBad = true
    delete check.flap
  }
  const rise = (): void => {
    const check = maybeOneOf(ENVS.flatMap((env) => [...world[env].values()]).filter(({ isBad }) => isBad))
    if (check) check.isBad = false
    delete check?.flap
  }
  const events: Record<string, () => void | Promise<void>> = {
    fall,
    fallAgain: fall,
    rise,
    riseAgain: rise,
    flap() {
      const check = anyCheck()
      check.flap = oneOf(FLAPS)
      check.polls = 0
    },
    toggle() {
      const check = anyCheck()
      check.isBad = !check.isBad
    },
    unknown() {
      if (next() < 0.5) Object.assign(anyCheck(), { isBad: undefined, flap: undefined })
    },
    storm() {
      if (next() < 0.25) for (const check of world[oneOf(ENVS)].values()) if (next() < 0.8) check.isBad = true
    },
    calm() {
      if (next() < 0.4)
        for (const check of world[oneOf(ENVS)].values())
          if (next() < 0.9) {
            check.isBad = false
            delete check.flap
          }
    },
    rename() {
      const check = anyCheck()
      check.name = `${oneOf(['web', 'pay', 'db', 'zzz'])}-${check.name.split('-')[1]}`
    },
    remove() {
      const env = oneOf(ENVS)
      const check = oneOf([...world[env].values()])
      if (next() < 0.2 && world[env].size > 4) world[env].delete(check.uuid)
    },
    add() {
      const env = oneOf(ENVS)
      const uuid = `${env[0]}${serial++}`
      if (next() < 0.2) world[env].set(uuid, { uuid, name: `web-${uuid}`, isBad: next() < 0.5, polls: 0 })
    },
    mute: () =>
      setMute(
        oneOf(['*', 'web-*', 'pay-*', 'p1', 'p2']),
        oneOf(ENVS),
        oneOf(CHANNELS),
        oneOf([5, 20, 60, 600]),
      ),
    muteAgain() {
      const old = maybeOneOf(
        state.silences.filter((one) => one.kind === 'mute' && !one.isOver && one.until > now),
      )
      if (old) setMute(old.about, old.env, old.channel ?? '', oneOf([1, 3, 15, 120]))
    },
    maintenance() {
      const from = now + oneOf([0, 0, 10, 30]) * MINUTE
      state.silences.push({
        ...{
          id: `s${serial++}`,
          kind: 'maintenance',
          about: oneOf(['*', 'web-*', 'db-*', 'o1']),
          env: oneOf(ENVS),
        },
        ...{ from, until: from + oneOf([10, 45, 120]) * MINUTE },
        ...(next() < 0.5 && { channel: oneOf(CHANNELS) }),
      })
    },
    endSilence() {
      const one = maybeOneOf(state.silences.filter(({ isOver }) => !isOver))
      if (!one) return
      one.until = now
      one.from = Math.min(one.from, now)
      if (one.kind === 'mute') typedEnds.set(one.id, now)
    },
    watch() {
      if (state.watches.length < 7) save(newWatch(oneOf(CHANNELS)))
    },
    edit() {
      const watch = maybeOneOf(state.watches)
      if (watch) save({ ...newWatch(watch.channelId, watch.id), environment: watch.environment })
    },
    widen() {
      const watch = maybeOneOf(state.watches)
      if (watch) save({ ...watch, filter: { include: byName('*'), exclude: [] } })
    },
    escalate() {
      const watch = maybeOneOf(state.watches)
      if (watch) save({ ...watch, escalation: oneOf(STEPS) })
    },
    unwatch() {
      const watch = maybeOneOf(state.watches)
      if (next() < 0.5 && state.watches.length > 1)
        state.watches = state.watches.filter((one) => one !== watch)
    },
    async remake() {
      const watch = maybeOneOf(state.watches)
      if (!watch) return
      state.watches = state.watches.filter((one) => one !== watch)
      if (next() < 0.5) await decideNow()
      save({ ...watch, id: `w${serial++}` })
    },
    take() {
      const message = maybeOneOf(
        slack.filter(({ content }) => readContent(content).rows.some(([, one]) => one !== 'over')),
      )
      const by = maybeOneOf(PEOPLE.filter((id) => state.people[id]?.isActive && !state.people[id]?.isGuest))
      const stored = state.messages.find(({ id }) => id === message?.key)
      if (!message || !by || !stored) return
      const version = posted.get(message.key) ?? 0
      const shown = new Set(readContent(message.content).rows.map(([id]) => id))
      const stands = new Set(
        message.kind === 'page'
          ? shown
          : state.lines.flatMap((line) => (line.cardId === message.key ? [line.incidentId] : [])),
      )
      const wanted = state.incidents
        .filter(({ id, closed }) => shown.has(id) && stands.has(id) && !closed && oracle.isFree(id))
        .map(({ id }) => id)
      const got = take(state, message.key, version, by, now)
      if ([...got].sort().join() !== wanted.sort().join())
        fail(`${by} pressed and got ${got}, should be ${wanted}`)
      oracle.taken(got, by)
    },
    stepDown() {
      const incident = maybeOneOf(state.incidents.filter(({ onIt, closed }) => onIt && !closed))
      if (!incident) return
      release(state, incident)
      oracle.released(incident.id)
    },
    handOver() {
      const incident = maybeOneOf(state.incidents.filter(({ onIt, closed }) => onIt && !closed))
      const [to, channel] = [oneOf(PEOPLE), oneOf(CHANNELS)]
      if (!incident) return
      const [dmsBefore, isHeard] = [state.dms.length, canHear(state, to, channel)]
      if (handOver(state, incident, to, channel, now) !== isHeard) fail(`hand over to ${to}`)
      if (isHeard && state.dms.length !== dmsBefore + 1) fail('handed over without a direct message')
      if (isHeard) oracle.taken([incident.id], to)
    },
    leave() {
      const id = oneOf(PEOPLE)
      const one = state.people[id]
      if (next() >= 0.3 || !one || PEOPLE.filter((other) => state.people[other]?.isActive).length <= 3) return
      one.isActive = false
      oracle.left(id)
    },
    comeBack() {
      if (oracle.freed.size === 0) for (const one of Object.values(state.people)) one.isActive = true
    },
    changeChannels() {
      const one = state.people[oneOf(PEOPLE)]
      if (one) one.channels = CHANNELS.filter(() => next() < 0.6)
    },
    changeGroup() {
      if (next() < 0.3) state.groups['@team'] = PEOPLE.filter(() => next() < 0.4)
    },
    pause() {
      const channel = oneOf(CHANNELS)
      if (!state.closedChannels.includes(channel) && next() < 0.4) state.closedChannels.push(channel)
    },
    resume() {
      const channel = maybeOneOf(state.closedChannels)
      if (channel === undefined) return
      state.closedChannels = state.closedChannels.filter((one) => one !== channel)
      state.resumed = [...new Set([...state.resumed, ...ENVS.map((env) => `${channel} ${env}`)])]
    },
    jump() {
      if (next() < 0.25) now += oneOf([-2, 2]) * 60 * MINUTE
    },
    blind() {
      if (blindPolls === 0 && next() < 0.15) blindPolls = oneOf([2, 7, 12, 20])
    },
  }
  const isCalm = seed >= CALM_SEEDS
  const calmNames = [
    'flap',
    'flap',
    'fall',
    'rise',
    'jump',
    'blind',
    'changeChannels',
    'take',
    'escalate',
    'unknown',
    'pause',
    'resume',
    'resume',
  ]
  const nothing = (count: number): string[] => Array.from({ length: count }, () => 'nothing')
  const names = isCalm ? [...nothing(40), ...calmNames] : [...Object.keys(events), ...nothing(6)]

  const pollAll = (env: Environment, isOk: boolean): void => {
    const gapMs = readClock(state.scopes[env], now) - state.scopes[env].clockMs
    if (!isOk) {
      poll(state, env, undefined, now)
      const { failedPolls, failingSince = now } = state.scopes[env]
      if (failedPolls >= 5 && now - failingSince >= 5 * MINUTE) oracle.observe(env, '', true, 0)
      oracle.checkPolls(env)
      return
    }
    for (const check of world[env].values())
      if (check.flap) {
        check.isBad = check.polls % (check.flap[0] + check.flap[1]) < check.flap[0]
        check.polls += 1
      }
    oracle.observe(env, '', false, gapMs)
    for (const { uuid, isBad } of world[env].values()) oracle.observe(env, uuid, isBad, gapMs)
    oracle.observeDeleted(env, (uuid) => world[env].has(uuid))
    poll(state, env, new Map([...world[env]].map(([uuid, { name, isBad }]) => [uuid, { name, isBad }])), now)
    oracle.checkPolls(env)
  }
  const decideNow = async (): Promise<number> => {
    const before = oracle.beforeDecision()
    const wakeAt = await decideAll(state, now)
    // What began stays begun, and what ended stays ended, whatever the clock does.
    for (const one of state.silences) {
      if (one.from <= now || one.kind === 'mute') begun.add(one.id)
      if (one.until <= now) ended.add(one.id)
      if ((begun.has(one.id) && !ended.has(one.id)) !== holds(one, now))
        fail(`${one.id} holds: ${holds(one, now)}`)
    }
    oracle.afterDecision(before)
    return wakeAt
  }
  /** The version of each message that Slack shows. */
  const posted = new Map<string, number>()
  const change = (id: string, changes: object): void => {
    state.messages = state.messages.map((one) => (one.id === id ? { ...one, ...changes } : one))
  }
  const deliver = (isFaulty: boolean): void => {
    for (const { id } of state.messages) {
      const message = state.messages.find((one) => one.id === id)
      if (!message || message.shownVersion === message.version) continue
      const { channelId, env, wanted, version, kind } = message
      const found = slack.find(({ key }) => key === id)
      if (state.closedChannels.includes(channelId)) {
        // Nothing can be posted, but a sending whose outcome is unknown is still looked up.
        if (message.attempted && message.shownVersion === 0) {
          if (found) change(id, { shownVersion: posted.get(id) ?? 0 })
          else {
            change(id, { attempted: undefined })
            oracle.neverArrived(id)
          }
        }
        continue
      }
      const fault = isFaulty && !failedOnce.has(id) ? next() : 1
      if (fault < 0.1) continue
      if (!found && message.attempted) {
        // The look-up says that it never arrived: it is as if it was never sent.
        change(id, { attempted: undefined })
        oracle.neverArrived(id)
        continue
      }
      if (found) {
        if (found.content !== wanted) stats.edits += 1
        found.content = wanted
      } else {
        if (kind === 'card') oracle.attempted(message)
        change(id, { attempted: { at: new Date(now), clockMs: oracle.clockOf(env) } })
        if (fault < 0.15) {
          failedOnce.add(id)
          continue
        }
        trace?.(`  ${channelId} ${env} ${kind} ${id} ${wanted}`)
        oracle.arrived(message)
        stats[kind === 'page' ? 'pages' : 'posts'] += 1
      }
      posted.set(id, version)
      if (fault < 0.2) stats.lost += 1
      else change(id, { shownVersion: version })
    }
    for (const dm of state.dms.splice(0)) {
      stats.dms += 1
      oracle.asked(dm)
    }
  }
  const check = async (): Promise<void> => {
    let wakeAt = Number.POSITIVE_INFINITY
    for (let turn = 0; ; turn += 1) {
      const before = JSON.stringify(state)
      wakeAt = await decideNow()
      deliver(false)
      // IDs of drafts that weren't kept don't count.
      if (withoutIds(JSON.stringify(state)) === withoutIds(before)) break
      if (turn > 8) fail('it doesn’t come to rest')
    }
    const span = Math.min(wakeAt, now + INTERVAL) - now
    for (const at of [now + span * 0.5, now + span - 1])
      if (at > now) {
        const later = structuredClone(state)
        await decideAll(later, at)
        if (trace && withoutIds(JSON.stringify(later)) !== withoutIds(JSON.stringify(state)))
          for (const key of Object.keys(later) as (keyof State)[])
            if (JSON.stringify(later[key]) !== JSON.stringify(state[key]))
              trace(`DIFF ${key}\n${JSON.stringify(state[key])}\n${JSON.stringify(later[key])}`)
        if (withoutIds(JSON.stringify(later)) !== withoutIds(JSON.stringify(state)))
          fail(`something changes ${(at - now) / 1000} s from now, before ${(wakeAt - now) / 1000}`)
      }
    oracle.check()
    for (const { id, kind, until } of state.silences)
      if (kind === 'mute' && until !== typedEnds.get(id))
        fail(`${id} ends at ${until}, typed was ${typedEnds.get(id)}`)
    const mutes = state.silences.filter(({ kind, isOver }) => kind === 'mute' && !isOver).map(({ id }) => id)
    if (new Set(mutes).size !== mutes.length) fail('two mutes of one subject')
  }

  for (const channel of CHANNELS) save(newWatch(channel))
  const length = (isCalm ? 250 : 60) + random.below(160)
  for (let step = 0; step < length; step += 1) {
    now += oneOf([20, 30, 60, 60, 60, 120, 180]) * 1000
    for (let count = oneOf([1, 1, 1, 2]); count > 0; count -= 1) {
      const name = oneOf(names)
      trace?.(`${step} ${Math.round((now - START) / 1000)} ${name}`)
      await events[name]?.()
    }
    for (const env of ENVS) pollAll(env, blindPolls === 0)
    if (blindPolls > 0) blindPolls -= 1
    if (next() < 0.12) {
      // The process dies before it saves.
      stats.crashes += 1
      await decideAll(structuredClone(state), now)
      continue
    }
    await decideNow()
    if (next() < 0.1) {
      stats.crashes += 1
      continue
    }
    deliver(true)
    if (next() < 0.4) await check()
    if (step % 10 === 9) state = prune(state, slack)
  }
  await check()
  stats.histories += 1
}
const withoutIds = (json: string): string => json.replace(/"nextId":\d+/, '')

/** Removes what is long over: first the messages, then the incidents that no message lists. */
function prune(state: State, slack: { key: string }[]): State {
  const isOld = (id: string): boolean => {
    const incident = state.incidents.find((one) => one.id === id)
    if (!incident) return true
    return (
      incident.closed !== undefined &&
      state.scopes[incident.env].clockMs - (incident.up?.clockMs ?? 0) > 30 * MINUTE
    )
  }
  const latest = new Map(
    state.messages.flatMap((one) => (one.kind === 'card' ? [[`${one.channelId} ${one.env}`, one.id]] : [])),
  )
  const isLatest = new Set(latest.values())
  const gone = new Set(
    state.messages
      .filter(({ id, shownVersion, version, page }) => {
        const ids =
          page?.incidentIds ?? state.lines.flatMap((line) => (line.cardId === id ? [line.incidentId] : []))
        return shownVersion === version && !isLatest.has(id) && ids.every(isOld)
      })
      .map(({ id }) => id),
  )
  const messages = state.messages.filter(({ id }) => !gone.has(id))
  const lines = state.lines.filter((line) =>
    line.cardId ? !gone.has(line.cardId) : line.adoptedFall !== undefined || !isOld(line.incidentId),
  )
  slack.splice(0, slack.length, ...slack.filter(({ key }) => !gone.has(key)))
  const used = new Set([
    ...lines.map(({ incidentId }) => incidentId),
    ...messages.flatMap(({ page }) => page?.incidentIds ?? []),
  ])
  return {
    ...state,
    messages,
    lines,
    incidents: state.incidents.filter(({ id }) => !isOld(id) || used.has(id)),
  }
}
