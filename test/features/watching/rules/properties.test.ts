import fc from 'fast-check'
import { expect, it } from 'vitest'
import { getFallTime, getRiseTime, type Incident, isNoData } from '../../../../src/domain/outages/incident.ts'
import type { ChannelIncident } from '../../../../src/features/watching/rules/channel/state.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'
import { quickOrLong } from '../../../long.ts'
import { describeState, History, MINUTE_MS, type Read } from './history.ts'

const RUNS = quickOrLong('HISTORIES', { quick: 30, long: 3000 })
const CHECKS = ['a', 'b', 'c']
const BERLIN = 'Europe/Berlin'
/** An ordinary day, the ends of months, and the nights in which clocks change. */
const STARTS = [
  '2026-11-28T10:00Z',
  '2027-01-31T20:00Z',
  '2027-02-28T20:00Z',
  '2027-03-27T22:00Z',
  '2027-10-30T22:00Z',
]
const WATCHES = [
  { escalate: '10m @on-call, 30m @lead' },
  { name: 'a', escalate: '15m @team' },
  { channel: 'C2', after: 2, escalate: '5m @on-call' },
]
/** Whom each watch pages, and its shortest and longest wait for a page. */
const PAGES: Readonly<Record<string, { whom: readonly string[]; minMs: number; maxMs: number }>> = {
  W1: { whom: ['@on-call', '@lead'], minMs: 10 * MINUTE_MS, maxMs: 30 * MINUTE_MS },
  W2: { whom: ['@team'], minMs: 15 * MINUTE_MS, maxMs: 15 * MINUTE_MS },
  W3: { whom: ['@on-call'], minMs: 5 * MINUTE_MS, maxMs: 5 * MINUTE_MS },
}

const checkEvent = fc
  .tuple(
    fc.constantFrom(
      'down',
      'down',
      'up',
      'install',
      'delete',
      'Bea takes',
      'Bea leaves',
      'Ann pages',
      'mute',
      'unmute',
    ),
    fc.constantFrom(...CHECKS),
  )
  .map(([what, name]) => `${what} ${name}`)
const event = fc.oneof(
  { weight: 5, arbitrary: checkEvent },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        'mute all',
        'mute all C2',
        'unmute all',
        'pause',
        'pause C2',
        'resume',
        'resume C2',
        'share',
        'plan day',
        'plan month',
      ],
      ...[
        'stop',
        'start',
        'unseen',
        'seen',
        'hold',
        'send',
        'watch b 20m @b-team',
        'unwatch W4',
        'escalate W1 10m @on-call',
        'escalate W1 10m @on-call, 30m @lead',
      ],
      ...['Ann pages a @lee', 'flap a', 'down a'],
    ),
  },
)
const history = fc.record({
  start: fc.constantFrom(...STARTS),
  events: fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), event), { minLength: 5, maxLength: 60 }),
})

/** What each property remembers about an incident in a channel. */
interface Memory {
  /** When a card or a note said that it's down. */
  tells: number[]
  wasUpSaid: boolean
  upSaidAt: number
  releasedAt: number
  /** By watch: how long it was down and nobody was on it since its last page, at least and at most: nobody knows what a gap was. */
  waits: Map<string, { leastMs: number; mostMs: number }>
}

class Checked extends History {
  readonly memories = new Map<string, Memory>()
  readonly cardOf = new Map<string, string>()
  readonly downMs = new Map<string, number>()
  /** Slack delayed messages, so that those that were decided one after another arrive together. */
  wasHeld = false
  /** Something has happened since the last decision, so that a page may come at another time than a card has said. */
  isChanged = false
  /** When each card says that the next page about what it lists comes. */
  shownPages = new Map<string, number>()
  #read = 0

  remember(channelId: string, incidentId: string): Memory {
    const key = `${channelId} ${incidentId}`
    const memory = this.memories.get(key) ?? {
      tells: [],
      wasUpSaid: false,
      upSaidAt: 0,
      releasedAt: 0,
      waits: new Map(),
    }
    this.memories.set(key, memory)
    return memory
  }

  listOnCards(): [string, ChannelIncident & { readonly cardId: string }][] {
    return [...this.known].flatMap(([key, own]) =>
      own.cardId === undefined ? [] : [[key, { ...own, cardId: own.cardId }]],
    )
  }

  override happen(event: string): void {
    this.wasHeld ||= event === 'hold'
    this.isChanged = true
    super.happen(event)
  }

  override release(name: string): void {
    const incident = this.find(name)
    super.release(name)
    if (incident)
      for (const channelId of ['C1', 'C2']) this.remember(channelId, incident.id).releasedAt = this.nowMs
  }

  override poll(): void {
    const last = this.lastOkMs
    const wasDown = [...this.incidents.values()].filter(({ isDown, closedAt }) => isDown && !closedAt)
    super.poll()
    if (this.hasNoData || last < this.seenSince) return
    for (const { check } of wasDown)
      if (check.uuid !== '')
        this.downMs.set(check.uuid, (this.downMs.get(check.uuid) ?? 0) + this.lastOkMs - last)
  }

  override decide() {
    const before = new Set(this.listOnCards().map(([key]) => key))
    const wasKnown = this.isSeen()
    const asked = this.pageNow?.incidentIds ?? []
    const changes = super.decide()
    for (const [key, line] of this.listOnCards()) {
      const incident = this.incidents.get(line.incidentId)
      if (!incident) throw new Error('A line is about nothing.')
      if (!before.has(key) && !asked.includes(incident.id)) {
        expect(
          this.isSilenced(line.channelId, incident.check) && incident.check.uuid !== '',
          'a new line is silenced',
        ).toBe(false)
        expect(wasKnown || incident.check.uuid === '', 'something is told that nobody sees').toBe(true)
      }
      expect(this.cardOf.get(key) ?? line.cardId, 'an outage moved to another card').toBe(line.cardId)
      this.cardOf.set(key, line.cardId)
    }
    expect(this.wakeAtMs).toBeGreaterThan(this.nowMs)
    for (const read of this.log.slice(this.#read)) this.checkRead(read)
    this.#read = this.log.length
    this.checkShownPages()
    return changes
  }

  override deliver(): void {
    for (const channelId of ['C1', 'C2'])
      expect(this.stepChannel(channelId), 'deciding again changed something').toMatchObject({
        ...{ known: [], forgotten: [], posts: [] },
      })
    super.deliver()
  }

  /** No card says that a page will come at a time that has passed. */
  checkShownPages(): void {
    // Cards stay as they are while nobody sees the checks.
    if (this.isSeen()) this.isChanged = false
    this.shownPages.clear()
    for (const { id, kind, closedAt, nextPage } of this.posts.values()) {
      if (kind !== 'card' || closedAt || !nextPage) continue
      if (this.isSeen() && !this.isHeld && !this.paused.has(this.posts.get(id)?.channelId ?? ''))
        expect(nextPage.at.getTime(), 'a card shows a page that is due').toBeGreaterThan(
          this.nowMs - MINUTE_MS,
        )
      this.shownPages.set(id, nextPage.at.getTime())
    }
  }

  /** A minute in which nothing happens: the pages come that the cards have said, and the others still come when they said. */
  passQuietMinute(): void {
    const wasSeen = this.isSeen()
    const before = this.listInForce()
    const said = [...this.posts.values()].flatMap(({ id, closedAt, nextPage }) =>
      nextPage && !closedAt ? [{ id, ...nextPage }] : [],
    )
    const sinceMs = this.nowMs
    this.passMinute()
    if (!wasSeen || !this.isSeen() || this.isStopped || this.isHeld || this.listInForce() !== before) return
    const pages = this.log.filter(({ at, post }) => at > sinceMs && post.responders)
    for (const { id, at, names } of said) {
      const next = this.posts.get(id)?.nextPage
      const isSent = pages.some(
        ({ post, named }) =>
          post.responders?.map(({ name }) => name).join(' ') === names &&
          named.some((incident) => this.known.get(`${post.channelId} ${incident.id}`)?.cardId === id),
      )
      // After a page about something else, one page may name both.
      const isStill = pages.length > 0 || (next?.names === names && next.at.getTime() === at.getTime())
      expect(at.getTime() <= this.nowMs ? isSent : isStill, `a card said that ${names} are paged`).toBe(true)
    }
  }

  listInForce(): string {
    const names = ['C1', 'C2'].flatMap((channelId) =>
      CHECKS.map((name) => this.isSilenced(channelId, { uuid: name, name })),
    )
    return names.join()
  }

  /** A page isn't earlier than the card of what it names has said, unless it was due about what is only now seen down again. */
  checkShownTime({ channelId, post, named, text }: Read): void {
    if (this.wasHeld || this.isChanged || post.askedBy) return
    if (named.some((incident) => getFallTime(incident).getTime() > post.openedAt.getTime() - MINUTE_MS))
      return
    for (const { id } of named) {
      const shownMs = this.shownPages.get(this.known.get(`${channelId} ${id}`)?.cardId ?? '') ?? 0
      expect(shownMs - post.openedAt.getTime(), `its card said a later time: ${text}`).toBeLessThan(MINUTE_MS)
    }
  }

  isSeen(): boolean {
    return this.nowMs <= this.seenUntil && !this.find('production')?.isDown
  }

  checkRead(read: Read): void {
    const { channelId, post, named, text } = read
    const isKnown = ({ id, onIt }: Incident): boolean =>
      onIt !== undefined || this.remember(channelId, id).tells.length > 0
    if (post.kind === 'reply') expect(named.some(isKnown), `nobody was told: ${text}`).toBe(true)
    for (const incident of named) {
      const memory = this.remember(channelId, incident.id)
      if (post.kind === 'reply') {
        // Whoever took it while it was down again hears that it's up.
        const isTakenSince = Number(incident.onIt?.at) > memory.upSaidAt
        expect([memory.wasUpSaid && !isTakenSince, incident.isDown], text).toEqual([false, false])
        Object.assign(memory, { wasUpSaid: true, upSaidAt: read.at })
      } else this.checkTold(read, incident, memory)
    }
    if (post.responders) {
      this.checkPage(read, post.responders[0]?.name ?? '')
      this.checkShownTime(read)
    }
    if (post.kind === 'card') this.checkCard(read)
  }

  checkTold(read: Read, incident: Incident, memory: Memory): void {
    const { channelId, post, at, text } = read
    if (post.kind === 'note') this.checkNote(read, incident, memory)
    const last = memory.tells.at(-1) ?? 0
    if (!post.responders && last > 0 && memory.releasedAt < last) {
      const minMs = (memory.tells.length > 2 ? 60 : 10) * MINUTE_MS
      expect(getFallTime(incident).getTime(), `told twice: ${text}`).toBeGreaterThan(last - MINUTE_MS)
      expect(at - last, `told too soon in ${channelId}: ${text}`).toBeGreaterThanOrEqual(minMs)
    }
    if (post.responders && (getFallTime(incident).getTime() <= last || text.includes('in a DM'))) return
    if (memory.releasedAt > last) memory.tells = []
    if (incident.isDown || post.kind === 'card') memory.tells.push(at)
    memory.wasUpSaid = false
  }

  checkNote({ channelId, post, at, text }: Read, incident: Incident, { wasUpSaid }: Memory): void {
    expect(incident.isDown, text).toBe(true)
    if (post.askedBy) return
    expect(incident.check.uuid !== '' && this.isSilenced(channelId, incident.check), text).toBe(false)
    // Of what somebody is on, only what went down since is told, and what was said to be up, or would have been if Slack hadn't delayed it.
    const isNews = incident.onIt === undefined || getFallTime(incident) > incident.onIt.at
    const isAllowed = isNews || wasUpSaid || at > post.openedAt.getTime()
    expect(incident.onIt === undefined || (!post.responders && isAllowed), `taken: ${text}`).toBe(true)
  }

  /** Somebody is needed, and has been for as long as a step waits at least. */
  checkPage({ channelId, post, named, text }: Read, whom: string): void {
    const decidedMs = post.openedAt.getTime()
    const own = named.filter((incident) => this.isPageNeeded(channelId, incident))
    const watchIds = Object.keys(PAGES).filter((watchId) => PAGES[watchId]?.whom.includes(whom))
    const isDue = own.some(({ id, openedAt }) =>
      watchIds.some((watchId) => {
        const { waits, tells, releasedAt } = this.remember(channelId, id)
        const minMs = (PAGES[watchId]?.minMs ?? 0) - MINUTE_MS
        // Of what was just confirmed, it counts from the first bad poll.
        const isFirst = tells.length < 2 && releasedAt === 0 && openedAt.getTime() + minMs <= decidedMs
        return isFirst || Number(waits.get(watchId)?.mostMs) >= minMs
      }),
    )
    const isUnclear = this.wasHeld || whom === '@b-team'
    expect(post.askedBy !== undefined || isUnclear || isDue, `nobody needs this: ${text}`).toBe(true)
    for (const watchId of watchIds)
      for (const { id } of named) this.remember(channelId, id).waits.set(watchId, { leastMs: 0, mostMs: 0 })
  }

  /** Of two cards soon after each other, one is about what was down before the watch, what is up again, or checks that can't be seen. */
  checkCard(read: Read): void {
    const { channelId, post, at, text } = read
    const isRecent = (other: Read): boolean =>
      other.channelId === channelId && other.post.kind === 'card' && at - other.at < 5 * MINUTE_MS
    const hasDown = ({ post }: Read): boolean => this.listNamed(post).some(({ isDown }) => isDown)
    const recent = this.log.filter((other) => isRecent(other) && other.post.id !== post.id && hasDown(other))
    const isNews = ({ named }: Read): boolean =>
      !named.some(isNoData) && named.some((incident) => this.isNewlyDown(channelId, incident))
    const isEarly =
      isNews(read) && recent.some((other) => post.openedAt.getTime() >= other.at && isNews(other))
    expect(isEarly, `two cards within five minutes: ${text}`).toBe(false)
  }

  /** Whether it went down after this watch began, or after one of those that match it. */
  isNewlyDown(channelId: string, { id, check }: Incident, watchId?: string): boolean {
    const line = this.known.get(`${channelId} ${id}`)
    const isNewTo = (watch: { id: string }): boolean => line?.alreadyDown.includes(watch.id) === false
    return this.watches.some(
      (watch) =>
        watch.channelId === channelId &&
        (watchId === undefined || watch.id === watchId) &&
        watch.filter.include.every(({ pattern }) => pattern === check.name) &&
        isNewTo(watch),
    )
  }

  isPageNeeded(channelId: string, incident: Incident): boolean {
    return this.watches.some(({ id, page }) => page && this.isNewlyDown(channelId, incident, id))
  }

  /** The latest five notes about what isn't over say what is so. */
  checkNotes(): void {
    const newer = new Map<string, number>()
    for (const post of [...this.posts.values()].reverse()) {
      const { id, kind, channelId } = post
      const said = this.shown.get(id)
      if (kind !== 'note' || said === undefined) continue
      const named = this.listNamed(post)
      const open = named.filter(({ closedAt }) => !closedAt)
      const isLatest = open.some((incident) => (newer.get(`${channelId} ${incident.id}`) ?? 0) < 5)
      for (const incident of open) {
        const key = `${channelId} ${incident.id}`
        newer.set(key, (newer.get(key) ?? 0) + 1)
      }
      if (!isLatest || this.paused.has(channelId) || this.isHeld) continue
      expect(said, `a note of ${channelId} is out of date`).toBe(named.map(describeState).sort().join())
    }
  }

  checkMinute(): void {
    if (!this.isStopped) this.checkNotes()
    for (const incident of this.incidents.values())
      for (const channelId of ['C1', 'C2']) if (!incident.closedAt) this.checkIncident(channelId, incident)
  }

  checkIncident(channelId: string, incident: Incident): void {
    const memory = this.remember(channelId, incident.id)
    const watches = this.watches.filter(
      ({ channelId: other, filter: { include }, afterBadPolls }) =>
        other === channelId &&
        (incident.check.uuid === '' || include.every(({ pattern }) => pattern === incident.check.name)) &&
        (incident.check.uuid === '' || incident.badPolls >= afterBadPolls),
    )
    const isClosed = this.paused.has(channelId) || this.isHeld
    const isSilenced = incident.check.uuid !== '' && this.isSilenced(channelId, incident.check)
    const isSeen = this.isSeen() || incident.check.uuid === ''
    const line = new Map(this.listOnCards()).get(`${channelId} ${incident.id}`)
    if (watches.length > 0 && incident.isDown && !isSilenced && isSeen && !this.isStopped) {
      expect(line, `${incident.check.name} is on no card of ${channelId}`).toBeDefined()
      const card = this.posts.get(line?.cardId ?? '')
      if (!isClosed) expect(card?.shownVersion, 'a card is out of date').toBe(card?.version)
    }
    if (line && !isClosed && !this.isStopped) this.checkUp(line, incident, memory)
    this.checkPaged(channelId, incident, memory, isSeen)
  }

  /** What the channel was told is said to be up again, once nothing on its card is down. */
  checkUp(
    { cardId }: Pick<ChannelIncident, 'cardId'>,
    incident: Incident,
    { tells, wasUpSaid }: Memory,
  ): void {
    const onCard = [...this.known.values()].filter((line) => line.cardId === cardId)
    const isAllUp = onCard.every(({ incidentId }) => !this.incidents.get(incidentId)?.isDown)
    const sentAt = this.posts.get(cardId ?? '')?.attemptedAt
    const isUp = sentAt && Number(getRiseTime(incident)) > sentAt.getTime() && !incident.isInstalling
    if (isUp && isAllUp && tells.length > 0)
      expect(wasUpSaid, `nobody said that ${incident.check.name} is up`).toBe(true)
  }

  /** A page comes as soon as it was down for long enough while nobody was on it. */
  checkPaged(channelId: string, incident: Incident, { waits }: Memory, isSeen: boolean): void {
    const { cardId } = this.known.get(`${channelId} ${incident.id}`) ?? {}
    const mostMs = incident.isDown && this.isWaiting(channelId, incident) ? MINUTE_MS : 0
    const leastMs = isSeen && !this.isStopped && !this.isHeld ? mostMs : 0
    for (const { id, afterBadPolls } of this.listPaging(channelId, incident)) {
      const before = waits.get(id) ?? { leastMs: 0, mostMs: 0 }
      waits.delete(id)
      if (!cardId || incident.onIt || !this.isNewlyDown(channelId, incident, id)) continue
      if (leastMs > 0 && incident.badPolls >= afterBadPolls) this.checkDue(cardId, id, before.leastMs)
      waits.set(id, { leastMs: before.leastMs + leastMs, mostMs: before.mostMs + mostMs })
    }
  }

  checkDue(cardId: string, watchId: string, leastMs: number): void {
    const card = this.posts.get(cardId)
    expect(card?.nextPage, 'a card doesn’t say when the next page comes').toBeDefined()
    const maxMs = (PAGES[watchId]?.maxMs ?? 0) + MINUTE_MS
    expect(leastMs, `${watchId} pages nobody in ${card?.channelId}`).toBeLessThanOrEqual(maxMs)
  }

  listPaging(channelId: string, { check }: Incident): Watch[] {
    return this.watches.filter(
      (watch) =>
        watch.channelId === channelId &&
        PAGES[watch.id] &&
        check.uuid !== '' &&
        watch.filter.include.every(({ pattern }) => pattern === check.name),
    )
  }

  isWaiting(channelId: string, incident: Incident): boolean {
    const isFree = !incident.onIt && !this.isSilenced(channelId, incident.check)
    return isFree && !this.closed.has(channelId)
  }
}

function plan(world: History, every: 'day' | 'month'): void {
  const from = new Date(world.nowMs + 20 * MINUTE_MS)
  const to = new Date(from.getTime() + 35 * MINUTE_MS)
  world.silence('all', 'C1', { every, from, to, timeZone: BERLIN, isMaintenance: true })
}

function run({ start, events }: { start: string; events: readonly (readonly [number, string])[] }): Checked {
  const world = new Checked(WATCHES)
  world.nowMs = Date.parse(start)
  world.seenSince = world.nowMs
  for (const [index, watch] of world.watches.entries()) world.watches[index] = { ...watch, madeAt: world.now }
  const pass = (events: readonly string[] = []) => {
    if (events.length === 0) world.passQuietMinute()
    else world.passMinute(events)
    world.checkMinute()
  }
  const passMany = (minutes: number, events: readonly string[] = []) => {
    for (let minute = 0; minute < minutes; minute += 1) pass(events.slice(minute % 2, (minute % 2) + 1))
  }
  passMany(1)
  for (const [minutes, what] of events) {
    passMany(minutes)
    if (what.startsWith('plan')) plan(world, what === 'plan day' ? 'day' : 'month')
    else if (what.startsWith('flap')) passMany(10, ['down a', 'up a'])
    else pass([what])
  }
  for (const event of ['seen', 'send', ...(world.isStopped ? ['start'] : [])]) world.happen(event)
  passMany(90)
  return world
}

it('tells once, pages in time and nobody who isn’t needed, and decides the same again, whatever happens', () => {
  fc.assert(
    fc.property(history, (written) => void run(written)),
    { numRuns: RUNS },
  )
})

const change = fc.constantFrom(
  ...['down a', 'down a', 'up a', 'down b', 'up b', 'Bea takes a', 'Bea leaves a', 'mute all', 'unmute all'],
  ...['rename W1 a', 'rename W1 a b', 'rename W1 a c*', 'widen W1', 'runbook W1 https://wiki.example.com'],
)

it('pages about what a watch has always covered, however its names change, also during a mute', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), change), { maxLength: 25 }), (changes) => {
      const world = new History([{ name: 'a', escalate: '10m @on-call' }])
      const isPaged = () =>
        world.log.some(({ at, text }) => at > world.nowMs - 30 * MINUTE_MS && text.includes('page'))
      world.passMinute()
      for (const [minutes, what] of changes) {
        for (let minute = 1; minute < minutes; minute += 1) world.passMinute()
        world.passMinute([what])
      }
      const find = () => world.find('a')
      world.passMinute(['unmute all', 'down a', 'Bea leaves a'])
      for (let minute = 0; minute < 30; minute += 1) world.passMinute()
      expect(find()?.isDown && isPaged(), changes.join(' / ')).toBe(true)
    }),
    { numRuns: RUNS * 10 },
  )
})

it('pages about nothing that fell before a watch began to cover it during a mute', () => {
  const world = new History([{ name: 'a', escalate: '10m @on-call' }])
  for (const events of [[], ['mute all'], ['down b'], ['rename W1 a b'], ['rename W1 a b c'], ['unmute all']])
    world.passMinute(events)
  for (let minute = 0; minute < 40; minute += 1) world.passMinute()
  expect(world.log.map(({ text }) => text)).toEqual(['6 card: b'])
  for (const event of ['up b', 'down b']) world.passMinute([event])
  for (let minute = 0; minute < 12; minute += 1) world.passMinute()
  expect(world.log.at(-1)?.text).toBe('58 page @on-call: b')
})
