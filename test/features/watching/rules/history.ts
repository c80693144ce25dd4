import { getWasOnIt, type Incident, observe, openIncident } from '../../../../src/domain/outages/incident.ts'
import { type CheckFacts, NO_DATA_AFTER_MS, type Span } from '../../../../src/domain/outages/outage.ts'
import { applyNote } from '../../../../src/features/watching/rules/channel/heard.ts'
import type { ChannelIncident, PageNow, Post } from '../../../../src/features/watching/rules/channel/state.ts'
import { type Changes, decideChannel } from '../../../../src/features/watching/rules/decide-channel.ts'
import { createFindWatches, type FindWatches } from '../../../../src/features/watching/rules/matching.ts'
import { parsePageSteps } from '../../../../src/features/watching/rules/page-step.ts'
import {
  createSumSilenced,
  findNextChange,
  findSilenced,
  inForce,
  type Silence,
} from '../../../../src/features/watching/rules/silence.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'

export const MINUTE_MS = 60_000
export const START = Date.UTC(2026, 10, 28)
/** Polls further apart leave a gap. */
const MAX_GAP_MS = 3 * MINUTE_MS

const MAX_SENT = 1000

/** A watch of a channel: what it matches, and `escalate` as people type it. */
export interface WrittenWatch {
  readonly name?: string
  readonly after?: number
  readonly escalate?: string
  readonly channel?: string
}

/** What happens in a minute, as people would tell it: `shop down`, `Bea takes shop`, `mute shop`. */
export type Events = Readonly<Record<number, string | readonly string[]>>

interface Options {
  readonly watches?: readonly WrittenWatch[]
  /** The last minute. */
  readonly until?: number
}

/** Plays a written history: one poll and one decision a minute. Returns what channel C1 reads: `10 page @on-call: shop`. */
export function play(events: Events, { watches = [{}], until = 120 }: Options = {}): string[] {
  const world = new History(watches)
  for (let minute = 0; minute <= until; minute += 1)
    world.passMinute([events[minute] ?? []].flat(), minute === 0 ? 0 : 1)
  return world.log.filter(({ channelId }) => channelId === 'C1').map(({ text }) => text)
}

/** What a channel read: when, and the message. */
export interface Read {
  readonly channelId: string
  readonly at: number
  readonly text: string
  readonly post: Post
  readonly named: readonly Incident[]
}

const ACTORS = { Bea: 'U1', Ann: 'U2' } as const

/** The service, a database, and Slack, as far as the rules know them. */
export class History {
  nowMs = START
  readonly statuses = new Map<string, 'down' | 'up' | 'installing' | 'deleted'>()
  readonly incidents = new Map<string, Incident>()
  readonly known = new Map<string, ChannelIncident>()
  readonly posts = new Map<string, Post>()
  readonly silences: Silence[] = []
  readonly watches: Watch[]
  readonly paused = new Set<string>()
  readonly closed = new Set<string>()
  readonly log: Read[] = []
  /** What each message in a channel says now, by its ID. */
  readonly shown = new Map<string, string>()
  readonly observed: Span[] = []
  isStopped = false
  hasNoData = false
  /** Since when the service hasn't answered. */
  failingSinceMs: number | undefined
  /** Slack accepts nothing for now. */
  isHeld = false
  /** What is sent may have been posted: nobody knows before Slack answers. */
  isSlow = false
  /** How far the clock is ahead. */
  aheadMs = 0
  polls = 0
  seenSince = START
  seenUntil = 0
  lastOkMs = 0
  wakeAtMs = Number.POSITIVE_INFINITY
  #ids = 0
  #watches = 0
  pageNow: PageNow | undefined
  savedId: string | undefined
  times: number[] = []

  constructor(written: readonly WrittenWatch[]) {
    this.watches = written.map((watch) => this.toWatch(watch))
  }

  passMinute(events: readonly string[] = [], minutes = 1): void {
    const endMs = this.nowMs + minutes * MINUTE_MS
    // Timers between polls.
    while (this.wakeAtMs < endMs && this.wakeAtMs > this.nowMs && !this.isStopped) {
      this.nowMs = this.wakeAtMs
      this.decide()
    }
    this.nowMs = endMs
    for (const event of events) this.happen(event)
    if (this.isStopped) return
    this.poll()
    this.decide()
  }

  get now(): Date {
    return new Date(this.nowMs)
  }

  newId = (): string => {
    this.#ids += 1
    return `id${this.#ids}`
  }

  find(name: string): Incident | undefined {
    return [...this.incidents.values()].find(({ check, closedAt }) => check.name === name && !closedAt)
  }

  change(name: string, values: Partial<Incident>): Incident | undefined {
    const incident = this.find(name)
    if (incident) this.incidents.set(incident.id, { ...incident, ...values })
    return incident
  }

  happen(event: string): void {
    const [what = '', about = '', ...more] = event.split(' ')
    const act = this.#acts[what as keyof typeof ACTORS]
    if (!act) throw new Error(`“${event}” isn’t an event of a history.`)
    act(about, more.join(' '))
  }

  readonly #acts: Readonly<Record<string, (about: string, more: string) => unknown>> = {
    down: (name) => this.statuses.set(name, 'down'),
    up: (name) => this.statuses.set(name, 'up'),
    install: (name) => this.statuses.set(name, 'installing'),
    delete: (name) => this.statuses.set(name, 'deleted'),
    Bea: (verb, name) => this.#press('Bea', verb, name),
    Ann: (verb, name) => this.#press('Ann', verb, name),
    mute: (name, channelId) => this.silence(name, channelId || 'C1'),
    unmute: (name) => this.unmute(name),
    /** Slack refuses all messages in the channel. */
    pause: (channelId) => this.paused.add(channelId || 'C1'),
    resume: (channelId) => {
      this.paused.delete(channelId || 'C1')
      this.closed.delete(channelId || 'C1')
    },
    share: (channelId) => {
      this.paused.add(channelId || 'C1')
      this.closed.add(channelId || 'C1')
    },
    stop: () => {
      this.isStopped = true
    },
    start: () => {
      this.isStopped = false
      // The timers that were due come first.
      this.decide()
    },
    /** The service rejects the token. */
    unseen: () => {
      this.hasNoData = true
    },
    /** The service doesn't answer. */
    fail: () => {
      this.failingSinceMs ??= this.nowMs
    },
    seen: () => {
      this.hasNoData = false
      this.failingSinceMs = undefined
    },
    hold: () => {
      this.isHeld = true
    },
    slow: () => {
      this.isSlow = true
    },
    send: () => {
      this.isHeld = false
      this.isSlow = false
    },
    ahead: (minutes) => this.#setClock(Number(minutes) * MINUTE_MS),
    back: () => this.#setClock(0),
    watch: (name, escalate) => {
      const watch = this.toWatch({ name: name === 'all' ? '' : name, escalate })
      this.watches.push(watch)
      this.savedId = watch.id
    },
    widen: (id) => this.#save(id, { filter: { include: [], exclude: [] } }),
    /** Changes the names of a watch. */
    rename: (id, names) =>
      this.#save(id, {
        filter: { include: names.split(' ').map((pattern) => ({ field: 'name', pattern })), exclude: [] },
      }),
    runbook: (id, runbook) => this.#save(id, { runbook }),
    escalate: (id, escalate) => this.#save(id, { page: escalate ? parsePageSteps(escalate) : undefined }),
    unwatch: (id) => {
      const index = this.watches.findIndex((watch) => watch.id === id)
      if (index >= 0) this.watches.splice(index, 1)
    },
  }

  #setClock(aheadMs: number): void {
    this.nowMs += aheadMs - this.aheadMs
    this.aheadMs = aheadMs
  }

  #save(id: string, values: Partial<Watch>): void {
    const index = this.watches.findIndex((watch) => watch.id === id)
    const [watch] = this.watches.slice(index)
    if (!watch) return
    const saved = { ...watch, ...values }
    const knew = watch.page || !saved.page ? watch.filter : undefined
    this.watches[index] = { ...saved, edits: [...(watch.edits ?? []), { at: this.now, knew }] }
    this.savedId = id
  }

  #press(who: keyof typeof ACTORS, verb: string, typed: string): void {
    const [name = '', whom] = typed.split(' ')
    if (verb === 'takes') {
      const onIt = { by: ACTORS[who], name: who, at: this.now }
      this.change(name, { onIt, wasOnIt: undefined, takenFirst: this.find(name)?.takenFirst ?? onIt })
      // As in the app, whose poll comes later.
      if (!this.isStopped) this.decide()
    } else if (verb === 'leaves') {
      if (this.find(name)?.onIt?.name === who) this.release(name)
    } else if (verb === 'pages') {
      const incident = this.find(name)
      this.pageNow = {
        ...{ channelId: 'C1', askedBy: who, incidentIds: incident ? [incident.id] : [] },
        responders: whom === undefined ? undefined : [{ name: whom }],
      }
    } else throw new Error(`“${who} ${verb}” isn’t an event of a history.`)
  }

  release(name: string): void {
    const onIt = this.find(name)?.onIt
    this.change(name, { onIt: undefined, ...(onIt && { wasOnIt: { ...onIt, because: 'stepped-down' } }) })
  }

  /** Mutes for a year, or as `times` say. */
  silence(name: string, channelId: string, times: Partial<Silence> = {}): void {
    const subject = name === 'all' ? ({ kind: 'all' } as const) : ({ kind: 'name', pattern: name } as const)
    this.silences.push({
      ...{
        id: this.newId(),
        workspaceId: 'T1',
        environment: 'production',
        channelId,
      },
      ...{ subject, isMaintenance: false, from: this.now, to: new Date(this.nowMs + 1e10), timeZone: 'UTC' },
      ...{ reason: '', ownerId: 'U1', ownerName: 'Bea', madeAt: this.now, ...times },
    })
  }

  unmute(name: string): void {
    for (const [index, silence] of this.silences.entries())
      if (
        silence.subject.kind === 'all'
          ? name === 'all'
          : 'pattern' in silence.subject && silence.subject.pattern === name
      )
        this.silences[index] = { ...silence, endedAt: silence.endedAt ?? this.now }
  }

  isSilenced(channelId: string, check: CheckFacts): boolean {
    return inForce(this.silences, channelId, this.now).some(({ covers }) => covers(check))
  }

  poll(): void {
    const at = this.now
    const isFailing = this.failingSinceMs !== undefined
    if (this.hasNoData || (this.failingSinceMs ?? this.nowMs) <= this.nowMs - NO_DATA_AFTER_MS) {
      const known = this.find('production')
      if (!known) {
        const noData = openIncident({ uuid: '', name: 'production' }, at, this.newId())
        this.incidents.set(noData.id, noData)
      } else if (!known.isDown)
        this.incidents.set(known.id, { ...known, isDown: true, downs: [...known.downs, { from: at }] })
      return
    }
    if (isFailing) return
    if (this.nowMs > this.seenUntil) {
      if (this.lastOkMs > this.seenSince)
        this.observed.push({ from: new Date(this.seenSince), to: new Date(this.lastOkMs) })
      this.seenSince = this.nowMs
    }
    const known = new Map(
      [...this.incidents.values()].flatMap((incident) =>
        incident.closedAt ? [] : [[incident.check.uuid, incident]],
      ),
    )
    const list = (status: string) =>
      [...this.statuses].flatMap(([name, other]) => (other === status ? [name] : []))
    const sighting = {
      ...{ at, seenSince: new Date(this.seenSince), isFirst: this.polls === 0 },
      lastOkAt: new Date(this.lastOkMs),
      bad: new Map(list('down').map((name): [string, CheckFacts] => [name, { uuid: name, name }])),
      good: new Set(list('up')),
      ...{ installing: new Set(list('installing')), deleted: new Set(list('deleted')) },
    }
    for (const incident of observe(known, sighting, this.newId)) this.incidents.set(incident.id, incident)
    this.polls += 1
    this.lastOkMs = this.nowMs
    this.seenUntil = this.nowMs + MAX_GAP_MS
  }

  /** Decides as all processes do, and sends what Slack accepts. Returns what was decided. */
  decide(): Changes[] {
    this.times = this.silences.flatMap((silence) => findNextChange(silence, this.now)?.getTime() ?? [])
    const channels = [...new Set([...this.watches, ...this.posts.values()].map(({ channelId }) => channelId))]
    const all = channels.map((channelId) => this.decideChannel(channelId))
    this.pageNow = undefined
    this.savedId = undefined
    this.deliver()
    this.wakeAtMs = Math.min(...this.times, Number.POSITIVE_INFINITY)
    return all
  }

  decideChannel(channelId: string): Changes {
    const changes = this.stepChannel(channelId)
    this.save(channelId, changes)
    if (changes.wakeAt) this.times.push(changes.wakeAt.getTime())
    return changes
  }

  /** The watches of a channel, as a decision asks for them. */
  createFindWatches(channelId: string): FindWatches {
    return createFindWatches(this.watches.filter((watch) => watch.channelId === channelId))
  }

  stepChannel(channelId: string, findWatches = this.createFindWatches(channelId)): Changes {
    const posts = [...this.posts.values()].filter((post) => post.channelId === channelId && !post.closedAt)
    const channel = {
      ...{ channelId, posts, isPaused: this.paused.has(channelId), isClosed: this.closed.has(channelId) },
      findWatches,
      findSilenced: (check: CheckFacts) => findSilenced(inForce(this.silences, channelId, this.now), check),
      sumSilencedMs: createSumSilenced(this.silences, channelId),
      known: [...this.known.values()].filter(
        (line) => line.channelId === channelId && posts.some(({ id }) => id === line.cardId),
      ),
      pageNow: this.pageNow?.channelId === channelId ? this.pageNow : undefined,
      savedId: this.savedId,
    }
    const seenSince = this.nowMs <= this.seenUntil ? new Date(this.seenSince) : undefined
    const incidents = [...this.incidents.values()]
    return decideChannel(
      channel,
      { incidents, seenSince, lastOkAt: new Date(this.lastOkMs) },
      this.now,
      this.newId,
    )
  }

  save(channelId: string, { known, forgotten, posts, deletedPosts }: Changes): void {
    for (const own of known) this.known.set(`${channelId} ${own.incidentId}`, own)
    for (const own of forgotten) this.known.delete(`${channelId} ${own.incidentId}`)
    for (const { id } of deletedPosts) this.posts.delete(id)
    for (const { isNew: _, isHandedOver, ...post } of posts) {
      this.posts.set(post.id, post)
      if (isHandedOver)
        this.write(post, this.listNamed(post), post.kind === 'note' ? ' in a DM to the owner' : ' in a DM')
    }
  }

  /** Sends what Slack accepts, cards first. What a note or a reply does is decided again before the next message. */
  deliver(): void {
    if (this.isHeld) return
    // A wrong rule may send without end, and nothing else would interrupt that.
    for (let sent = 0; ; sent += 1) {
      if (sent > MAX_SENT) throw new Error(`More than ${MAX_SENT} messages are sent at once.`)
      const unsent = [...this.posts.values()].filter(
        ({ channelId, shownVersion, version }) => shownVersion < version && !this.paused.has(channelId),
      )
      const next = unsent.find(({ kind }) => kind === 'card') ?? unsent[0]
      if (!next) return
      if (this.isSlow) {
        this.posts.set(next.id, { ...next, attemptedAt: next.attemptedAt ?? this.now })
        return
      }
      this.send(next)
    }
  }

  send(post: Post): void {
    const named = this.listNamed(post)
    const isFirst = post.shownVersion === 0
    const isDropped = isFirst && named.length === 0
    this.posts.set(post.id, {
      ...post,
      shownVersion: post.version,
      attemptedAt: isDropped ? undefined : (post.attemptedAt ?? this.now),
      ...((isDropped || post.kind === 'reply') && { closedAt: this.now }),
    })
    this.shown.set(post.id, named.map(describeState).sort().join())
    if (isFirst && !isDropped) this.write(post, named)
    if (!post.about || !isFirst) return
    for (const [key, line] of this.known)
      if (key.startsWith(post.channelId) && post.about[line.incidentId])
        this.known.set(key, applyNote(line, post, this.now, { isDirect: false }))
    this.decideChannel(post.channelId)
  }

  listNamed({ id, channelId, about }: Post): Incident[] {
    const lines = [...this.known.values()].filter((line) => line.channelId === channelId)
    const own = lines.filter(({ cardId, incidentId }) => (about ? about[incidentId] : cardId === id))
    return own.flatMap(({ incidentId }) => this.incidents.get(incidentId) ?? [])
  }

  write(post: Post, named: readonly Incident[], where = ''): void {
    const minute = (this.nowMs - this.aheadMs - START) / MINUTE_MS
    const names = named.map(({ check }) => check.name).sort()
    const was = named.flatMap((incident) => getWasOnIt(incident)?.name ?? [])
    const text = `${minute} ${describe(post)}${where}: ${names.join(' ')}${was.length > 0 && describe(post) === 'note' ? `, was ${was.join(' ')}` : ''}`
    this.log.push({ channelId: post.channelId, at: this.nowMs, text, post, named })
  }

  toWatch({ name, after = 1, escalate, channel = 'C1' }: WrittenWatch): Watch {
    this.#watches += 1
    return {
      ...{ id: `W${this.#watches}`, workspaceId: 'T1', channelId: channel, environment: 'production' },
      ...{ ownerId: 'U9', madeAt: this.now, afterBadPolls: after },
      filter: { include: name ? [{ field: 'name', pattern: name }] : [], exclude: [] },
      page: escalate ? parsePageSteps(escalate) : undefined,
    }
  }
}

/** What a message says of an incident that it names. */
export const describeState = ({ check: { name }, isDown, downs, onIt }: Incident): string =>
  `${name} ${isDown ? 'down' : 'up'} ${downs.length} ${onIt?.by ?? 'nobody'}`

function describe({ kind, responders, askedBy }: Post): string {
  if (kind === 'card') return 'card'
  if (kind === 'reply') return 'up again'
  const people = responders?.map(({ name }) => name).join(' ')
  return people === undefined ? 'note' : `page ${people}${askedBy ? ` by ${askedBy}` : ''}`
}
