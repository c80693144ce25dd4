import { expect, it, vi } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createWatchingWork } from '../../../src/features/watching/watching-work.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { changeWatching } from '../../decide.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { simulateProcess } from '../../simulated-process.ts'
import {
  createFaultyService,
  createFaultySlack,
  createWeather,
  MINUTE_MS,
  type Simulation,
  type SlackMessage,
} from './faulty-outside.ts'
import { createOutsideEvents, PAGE_MS } from './outside-events.ts'

const NAMES = ['alpha', 'bravo', 'carol']
const POLL_MS = 30_000
const TICK_MS = 15_000
const LEASE_MS = 5000
/** From then on, everything is up, and the outside works. */
const RECOVERY_MS = 60 * MINUTE_MS
const END_MS = 100 * MINUTE_MS
/** The longest that Signalman waits before it sends again what Slack refused, or looks again for a message: a minute each. */
const RETRY_MS = 2 * MINUTE_MS
/** After this long up, whoever was on it isn't anymore when it falls. */
const RELEASED_MS = 10 * MINUTE_MS
/** How long Signalman may not notice that a channel is shared if Slack's event is lost. */
const NOTICED_MS = 2.5 * MINUTE_MS
/** How long Signalman may not notice that somebody has left if Slack's event is lost. */
const NOTICED_GONE_MS = 15 * MINUTE_MS

const listNames = (text: string): string[] => NAMES.filter((name) => text.includes(name))
const listLines = ({ text }: SlackMessage, part: string): string[] =>
  text.split(/\n|(?<=\.) /).filter((line) => line.includes(part))
/** The checks that a card says are down, and those that a message says are up again. */
const listDown = (message: SlackMessage): string[] =>
  listLines(message, '🔴')
    // A note is a sentence, and isn't edited.
    .filter((line) => !/\.(?:\s|$)/.test(line))
    .flatMap(listNames)
const listUp = (message: SlackMessage): string[] => listLines(message, ' up again').flatMap(listNames)
/** The checks that a message says are up again, or were deleted. */
const listOver = (message: SlackMessage): string[] => [
  ...listUp(message),
  ...listLines(message, ' down anymore').flatMap(listNames),
]
/** The names in a message as they are today: a check that is renamed has another one. */
const listExact = ({ text, json }: SlackMessage): Set<string> =>
  new Set(`${text} ${json}`.match(new RegExp(`(?:${NAMES.join('|')})(?:-renamed)?`, 'g')))
const isPage = ({ text }: SlackMessage): boolean =>
  text.includes('<!subteam^S1>') || text.includes('Signalman would have paged')

type World = ReturnType<typeof createWorld>

/** The outside of one history, and what went wrong in it. */
function createWorld(seed: number) {
  const random = createRandom(seed)
  // Pauses are random, too.
  vi.spyOn(Math, 'random').mockImplementation(random.next)
  const startMs = Date.UTC(2026, 10, 28)
  let nowMs = startMs
  const simulation: Simulation = {
    random,
    now: () => nowMs,
    pass: (ms) => {
      nowMs += ms
    },
  }
  const weathers = [0, 1].map(() => createWeather(simulation, startMs + RECOVERY_MS))
  const [serviceWeather = expect.fail(), slackWeather = expect.fail()] = weathers
  const failures: string[] = []
  /** What happened, to be read if something fails. */
  const story: string[] = []
  const tell = (what: string) => story.push(`${((nowMs - startMs) / MINUTE_MS).toFixed(1)} ${what}`)
  const clock = { aheadMs: 0 }
  const service = createFaultyService(simulation, serviceWeather, NAMES)
  const slack = createFaultySlack(simulation, slackWeather, (message) => {
    tell(
      `#${message.ts}${message.threadTs ? ` in #${message.threadTs}` : ''}${message.to ? ` to ${message.to}` : ''}: ${message.text}`,
    )
    checkShown(world, message)
  })
  const outside = createOutsideEvents({ ...simulation, clock, service, slack, tell }, NAMES)
  const world = {
    ...simulation,
    ...{ startMs, failures, story, tell },
    /** When a process died last. */
    diedAt: startMs,
    changedAt: new Map(NAMES.map((name) => [name, startMs])),
    /** Who took a check last, and when. */
    takenBy: new Map<string, { by: string; at: number }>(),
    /** What was up on a card when somebody took the rest: they're on it, too, if it falls again soon. */
    alsoTaken: new Set<string>(),
    ...{ clock, service, slack, outside },
    /** The checks that each message has named, and what the channel has read last about each check. */
    named: new Map<string, Set<string>>(),
    /** By name: the threads that said since its last fall that it's up. */
    heard: new Map<string, ReadonlySet<string>>(),
    isFaulty: () => weathers.some((weather) => weather.isFaulty()),
    goodSince: (): number => Math.max(outside.state.changedAt, world.fairSince()),
    /** Since when everything answers, and no process has died. */
    fairSince: (): number => Math.max(world.diedAt, ...weathers.map((weather) => weather.goodSince())),
    report(failure: string): void {
      failures.push(`seed ${seed}: ${failure}`)
      tell(`FAILURE: ${failure}`)
    },
  }
  return world
}

/** A new message or an edit that another organization may read names only what that message did before, or an admin agreed to. */
function checkReaders({ now, report, slack, outside, named }: World, message: SlackMessage): void {
  if (message.to) return
  const before = named.get(message.ts) ?? new Set()
  const { sharedAt, closedAt, hiddenAt, isAgreed } = outside.state
  const isKnown = now() > Math.min(closedAt, sharedAt + NOTICED_MS)
  const isForbidden = (slack.state.isShared && !isAgreed && isKnown) || now() > hiddenAt + NOTICED_MS
  const names = listExact(message)
  const added = [...names.difference(before)]
  if (isForbidden && added.length > 0)
    report(`tells another organization about ${added.join(' ')}: ${message.text}`)
  named.set(message.ts, before.union(names))
}

/** Nobody is told twice that something is up, or of what is muted. */
function checkNews({ now, goodSince, report, outside, heard }: World, message: SlackMessage): void {
  if (message.to) return
  const isNew = message.at === now()
  const { threadTs } = message
  const up = threadTs ? listOver(message) : []
  // Whoever has taken it since hears of it, too. Two outages of a check are on two cards, also if both are told late.
  const isAgain = up.length > 0 && up.every((name) => heard.get(name)?.has(threadTs ?? ''))
  if (isNew && isAgain && !message.text.includes('<@')) report(`says again that ${up.join(' ')} is up`)
  const down = NAMES.filter((name) => message.text.includes('🔴') && message.text.includes(name))
  const isSettled = !outside.isDisturbed() && now() - goodSince() > RETRY_MS + POLL_MS
  const muted = down.filter((name) => outside.state.muted.has(name))
  if (isNew && isSettled && muted.length > 0) report(`tells of ${muted.join(' ')}, which is muted`)
  for (const name of down) heard.delete(name)
  for (const name of up) heard.set(name, new Set([...(heard.get(name) ?? []), threadTs ?? '']))
}

/** Nobody is told what the service hasn't said, or has taken back for longer than two polls, and nothing twice. */
function checkShown(world: World, message: SlackMessage): void {
  const { now, goodSince, fairSince, report, service, slack, outside } = world
  checkReaders(world, message)
  checkNews(world, message)
  const claims = [
    ...listDown(message).map((name) => [name, 'UNHEALTHY'] as const),
    ...listUp(message).map((name) => [name, 'HEALTHY'] as const),
  ]
  for (const [name, status] of claims) {
    const stated = service.stated.get(name)
    const isOld = now() - Math.max(stated?.since ?? 0, goodSince()) > 2 * POLL_MS + RETRY_MS
    const isDown = stated?.status === 'UNHEALTHY'
    // What came up, and was deleted or installed afterwards, did come up.
    const isSo = status === 'UNHEALTHY' ? isDown : stated?.wasUp || service.statuses.get(name) === 'HEALTHY'
    const mayBeOld = isDown || status === 'UNHEALTHY'
    if (!isSo && (!mayBeOld || (isOld && !outside.isDisturbed())))
      report(`says that ${name} is ${status}: ${message.text}`)
  }
  const { text, threadTs, to, at } = message
  const isRepeated = slack.messages.some(
    (one) =>
      one !== message &&
      one.text === text &&
      one.threadTs === threadTs &&
      one.to === to &&
      at - one.at < 5 * MINUTE_MS,
  )
  // A channel may be paused again soon. By a clock that was set, a page is ten minutes after the one before, and Slack hasn't said for five
  // minutes whether it has a message: then it's sent again.
  const isAgain = at - outside.state.clockSetAt < RETRY_MS && (isPage(message) || at - fairSince() < RETRY_MS)
  if (at === now() && isRepeated && !isAgain && !text.includes(' is paused: ')) report(`says twice: ${text}`)
}

/** What a card says about its next page has come true. */
function checkNextPages({ now, goodSince, report }: World, messages: readonly SlackMessage[]): void {
  if (now() - goodSince() < POLL_MS + RETRY_MS) return
  for (const { text } of messages) {
    const dueMs = 1000 * Number(/Pages [^<]*<!date\^(\d+)/.exec(text)?.[1])
    if (now() - dueMs > POLL_MS + RETRY_MS) report(`says that somebody was paged: ${text}`)
  }
}

/** Whether somebody is on it, or was paged about it since, or soon before: the people of the watch, its owner, or an admin. */
const isTakenOrPaged = (messages: readonly SlackMessage[], name: string, since: number): boolean =>
  messages.some(
    (one) =>
      (listDown(one).includes(name) && /U[12] (?:has been|is) on it/.test(one.text)) ||
      (isPage(one) && listNames(one.text).includes(name) && one.at >= since - PAGE_MS),
  )

/** What has lasted for long enough is told, somebody is paged about it, and what a card says about its next page comes true. */
function checkChannel(world: World): void {
  const { isFaulty, slack, outside } = world
  if (isFaulty() || !outside.isQuiet()) return
  const messages = slack.messages.filter(({ at }) => at > outside.state.leftBehindAt)
  const isOpen = !outside.isBlocked()
  if (isOpen) checkNextPages(world, messages)
  const shownDown = new Set(messages.flatMap(listDown))
  if (isOpen) checkGone(world, messages)
  for (const name of NAMES) {
    if (world.service.statuses.get(name) === 'UNHEALTHY') {
      if (isOpen && !shownDown.has(name)) checkTold(world, name)
      checkPaged(world, messages, name)
    } else if (isOpen && shownDown.has(name)) checkUp(world, name)
  }
}

/** No card says for long that somebody is on it who has left. */
function checkGone(
  { now, fairSince, report, slack, outside }: World,
  messages: readonly SlackMessage[],
): void {
  const isKnown = now() - Math.max(outside.state.goneAt, fairSince()) > NOTICED_GONE_MS
  const saysOnIt = (one: SlackMessage) => listDown(one).length > 0 && one.text.includes('U1 has been on it')
  if (slack.state.isGone && isKnown && messages.some(saysOnIt)) report('says that U1 is on it, who has left')
}

const getSince = ({ changedAt, goodSince }: World, name: string): number =>
  Math.max(changedAt.get(name) ?? 0, goodSince())

function checkUp(world: World, name: string): void {
  if (world.service.statuses.get(name) !== 'HEALTHY') return
  if (world.now() - getSince(world, name) > 2.2 * POLL_MS + RETRY_MS)
    world.report(`doesn’t say that ${name} is up`)
}

function checkTold(world: World, name: string): void {
  const lastedMs = world.now() - getSince(world, name)
  if (!world.outside.state.muted.has(name) && lastedMs > 1.1 * POLL_MS + RETRY_MS)
    world.report(`doesn’t say that ${name} is down`)
}

/** Also if the channel accepts nothing: then its card doesn't say who is on it. */
function checkPaged(world: World, messages: readonly SlackMessage[], name: string): void {
  const { now, report, takenBy, alsoTaken, outside } = world
  const { muted, older, isClosed } = outside.state
  const since = getSince(world, name)
  const isSoon = now() - since < PAGE_MS + POLL_MS + RETRY_MS
  if (muted.has(name) || older.has(name) || isClosed || isSoon) return
  if (outside.isBlocked() && (takenBy.has(name) || alsoTaken.has(name))) return
  if (!isTakenOrPaged(messages, name, since)) report(`pages nobody about ${name}`)
}

/** In the end, who was on something knows that it's up, and no page came twice. */
function checkEnd({ slack: { messages }, takenBy, report, outside: { state } }: World): void {
  for (const [name, { by, at }] of takenBy) {
    // With a clock that is ahead, a check is up for long enough that nobody is on it anymore.
    if (at <= state.clockAheadAt) continue
    if (at <= (state.unseenAt.get(name) ?? 0) + 2 * POLL_MS + RETRY_MS || (by === 'U1' && at <= state.leftAt))
      continue
    // Nobody saw the check anymore, so what they were on is over; what is new isn't theirs.
    const ended = new RegExp(`^.*${name}.* when watching ended.*${by} was on it`, 'm')
    if (messages.some(({ text }) => ended.test(text))) continue
    const hears = (one: SlackMessage) => one.text.includes(`<@${by}>`) && listOver(one).includes(name)
    if (!messages.some((one) => one.at >= at && hears(one))) report(`doesn’t say to ${by} that ${name} is up`)
  }
  const pages = messages.filter(isPage).map(({ text, at }) => ({ names: listNames(text), at }))
  for (const [index, { names, at }] of pages.entries()) {
    const recent = pages
      .slice(0, index)
      .filter((page) => at - page.at < PAGE_MS / 2 && page.at > state.clockSetAt)
    if (recent.some((page) => names.every((name) => page.names.includes(name))))
      report(`pages twice about ${names.join(' ')}`)
  }
}

/** Whoever was on it for long enough isn't anymore, and a closed channel isn't told of that. */
function fall({ now, changedAt, takenBy, alsoTaken, outside: { state } }: World, name: string): void {
  if (now() - state.firstAt > 2 * POLL_MS + RETRY_MS) state.older.delete(name)
  else state.older.add(name)
  const isReleased = now() - (changedAt.get(name) ?? 0) >= RELEASED_MS - POLL_MS
  if (isReleased && state.isClosed) takenBy.delete(name)
  if (isReleased) alsoTaken.delete(name)
}

/** Lets checks fall and come up. */
function change(world: World): void {
  const { random, now, startMs, service, changedAt, tell, outside } = world
  const isOver = now() - startMs >= RECOVERY_MS
  const mayFall = now() - startMs > 2 * MINUTE_MS && !isOver
  for (const name of NAMES) {
    const isUp = service.statuses.get(name) === 'HEALTHY'
    const flips = isUp ? mayFall && random.below(80) === 0 : isOver || random.below(40) === 0
    if (!flips) continue
    service.statuses.set(name, isUp ? 'UNHEALTHY' : 'HEALTHY')
    if (isUp) fall(world, name)
    else outside.state.older.delete(name)
    changedAt.set(name, now())
    tell(`${name} is ${service.statuses.get(name)}`)
  }
}

/** Lets somebody press **I’m on it** on the latest card, now and then. */
async function press(world: World, store: Store): Promise<void> {
  const { random, now, slack, takenBy, tell } = world
  const card = slack.messages.findLast(({ json }) => json.includes('watch-ack'))
  const postId = /watch-ack \\?"?([\w-]+)/.exec(card?.json ?? '')?.[1]
  if (random.below(40) > 0 || !postId) return
  const by = slack.state.isGone ? 'U2' : random.oneOf(['U1', 'U2'])
  if (random.below(6) === 0) return stepDown(world, store, { postId, by })
  const take = () => changeWatching(store, 'T1', ({ onIt }) => onIt.take(postId, { userId: by, name: by }))
  const isTwice = random.below(6) === 0
  const taken = await take()
  // The second press takes nothing more.
  if (isTwice) await take()
  if (typeof taken !== 'object' || !('taken' in taken)) return
  for (const { name } of taken.taken.filter((one) => NAMES.includes(one.name)))
    takenBy.set(name, { by, at: now() })
  for (const name of listNames(card?.text ?? '')) world.alsoTaken.add(name)
  tell(`${by} takes ${taken.taken.map(({ name }) => name).join(' ')}`)
}

async function stepDown(
  { takenBy, changedAt, now, tell }: World,
  store: Store,
  { postId, by }: { postId: string; by: string },
): Promise<void> {
  const left = await changeWatching(store, 'T1', ({ onIt }) => onIt.stepDown(postId, by))
  for (const [name, taken] of left > 0 ? takenBy : []) {
    if (taken.by !== by) continue
    takenBy.delete(name)
    // Waiting for somebody begins again.
    changedAt.set(name, now())
  }
  tell(`${by} steps down from ${left}`)
}

const log = createLog('silent')

/** Starts a process, which dies at a random call. */
function startProcess(world: World, store: Store, pending: { calls: number }) {
  const { random, slack, service } = world
  const dies = { afterCalls: 50 + random.below(2000), isBefore: random.below(2) === 0 }
  const { state, died, wrapCalls } = simulateProcess(() => undefined, dies, pending)
  const { watching, steps, work, poster } = wrapCalls({
    ...{ watching: store.watching, steps: store.steps, work: store.work, poster: slack.poster },
  })
  const { reachability, clients, mayPost } = slack
  const posting = { poster, steps, mayPost, reachability, log }
  // Casts: only these parts are used.
  const kinds = createWatchingWork({
    ...{
      watching,
      steps,
      posting,
      clients,
      reachability,
      findAddress: async () => undefined,
      log,
      wake: () => undefined,
      now: world.outside.getClock,
    },
    ...{ intervalMs: POLL_MS, getApi: async () => service.api },
    checkPerson: (_: string, userId: string) => world.outside.checkPerson(store, userId),
  } as unknown as Parameters<typeof createWatchingWork>[0])
  const names = kinds.map(({ kind }) => kind)
  const { signal } = new AbortController()
  const { owner } = state

  /** Runs what is due, like the engine. */
  async function runDue(): Promise<void> {
    await work.makeDueAfterClockChange()
    // Between their turns, processes that are alive have no leases, so these are of one that died.
    const leases = world.now() - world.diedAt > 3 * TICK_MS ? [] : await work.listLeases()
    const taken = []
    for (const lease of leases) taken.push(await work.takeOver(lease, owner, LEASE_MS))
    for (const one of [...taken, ...(await work.claimDue(owner, names, 20))]) {
      if (!one) continue
      const kind = kinds.find((other) => other.kind === one.kind)
      const end = await kind
        ?.run({ work: one, owner, signal } as never)
        .catch(() => ({ state: 'waiting' as const, dueInMs: 2000 }))
      if (end) await work.release(one.id, owner, end)
    }
  }
  return { runDue: () => Promise.race([runDue(), died]), isDead: () => state.isDead }
}

/** Runs one history with two processes. */
async function runHistory(seed: number, start: (typeof SHARED_DATABASES)[number]['start']): Promise<World> {
  const world = createWorld(seed)
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await start())
  const { outside } = world
  const store = opened.use(await openStore({ ...database, clock: outside.getClock }))
  await outside.addWatch(store)
  const pending = { calls: 0 }
  let isOver = false
  const processes = [0, 1].map(() => startProcess(world, store, pending))
  while (world.now() - world.startMs < END_MS) {
    world.pass(TICK_MS)
    change(world)
    await press(world, store)
    if (world.now() - world.startMs < RECOVERY_MS) await outside.happen(store)
    else if (!isOver) isOver = await outside.restore(store)
    for (const [index, process] of processes.entries()) {
      if (index > 0 && world.random.below(2) === 0) continue
      await process.runDue()
      if (!process.isDead()) continue
      world.diedAt = world.now()
      world.tell('a process dies')
      await expect.poll(() => pending.calls, { interval: 1 }).toBe(0)
      processes[index] = startProcess(world, store, pending)
    }
    checkChannel(world)
  }
  checkEnd(world)
  return world
}

const HISTORIES = quickOrLong('OUTSIDE_HISTORIES', { quick: 5, long: 1000 })

it.each(SHARED_DATABASES)(
  `keeps the promises of watching, whatever Slack and the service answer, on $name (seed ${readSeed()})`,
  async ({ name, start }) => {
    const count = name === 'PostgreSQL' ? Math.ceil(HISTORIES / 20) : HISTORIES
    const broken: World[] = []
    for (let history = 0; history < count; history += 1) {
      const world = await runHistory(readSeed() + history, start)
      if (world.failures.length > 0) broken.push(world)
    }
    expect(
      broken.flatMap(({ failures }) => failures.slice(0, 2)),
      broken[0]?.story.join('\n'),
    ).toEqual([])
  },
)
