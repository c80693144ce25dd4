import { newId } from '@signalman/runtime'
import { expect, it, vi } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import { createWatchingWork } from '../../../src/features/watching/watching-work.ts'
import { createLog } from '../../../src/log.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { changeWatching } from '../../decide.ts'
import { quickOrLong } from '../../long.ts'
import { createRandom, readSeed } from '../../random.ts'
import { simulateProcess } from '../../simulated-process.ts'
import { ALL_CHECKS } from './all-checks.ts'
import {
  createFaultyService,
  createFaultySlack,
  createWeather,
  MINUTE_MS,
  type Simulation,
  type SlackMessage,
} from './faulty-outside.ts'

const SCOPE = { workspaceId: 'T1', environment: 'production' } as const
const CHANNEL = 'C1'
const NAMES = ['alpha', 'bravo', 'carol']
const PAGE_MS = 10 * MINUTE_MS
const PAGE = [{ afterMs: PAGE_MS, responders: [{ name: '@on-call', id: 'S1', isGroup: true }] }]
const POLL_MS = 30_000
const TICK_MS = 15_000
const LEASE_MS = 5000
/** From then on, everything is up, and the outside works. */
const RECOVERY_MS = 60 * MINUTE_MS
const END_MS = 100 * MINUTE_MS
/** The longest that Signalman waits before it sends again what Slack refused, or looks again for a message: a minute each. */
const RETRY_MS = 2 * MINUTE_MS

const listNames = (text: string): string[] => NAMES.filter((name) => text.includes(name))
const listLines = ({ text }: SlackMessage, part: string): string[] =>
  text.split('\n').filter((line) => line.includes(part))
/** The checks that a card says are down, and those that a message says are up again. */
const listDown = (message: SlackMessage): string[] =>
  listLines(message, '🔴')
    // A note is a sentence, and isn't edited.
    .filter((line) => !/\.(?:\s|$)/.test(line))
    .flatMap(listNames)
const listUp = (message: SlackMessage): string[] => listLines(message, ' up again').flatMap(listNames)
const isPage = ({ text }: SlackMessage): boolean => text.includes('<!subteam^S1>')

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
  const world = {
    ...simulation,
    ...{ startMs, failures, story, tell },
    /** When a process died last. */
    diedAt: startMs,
    changedAt: new Map(NAMES.map((name) => [name, startMs])),
    /** Who took a check last, and when. */
    takenBy: new Map<string, { by: string; at: number }>(),
    service: createFaultyService(simulation, serviceWeather, NAMES),
    slack: createFaultySlack(simulation, slackWeather, (message) => {
      tell(`#${message.ts}${message.threadTs ? ` in #${message.threadTs}` : ''}: ${message.text}`)
      checkShown(world, message)
    }),
    isFaulty: () => weathers.some((weather) => weather.isFaulty()),
    goodSince: (): number => Math.max(world.diedAt, ...weathers.map((weather) => weather.goodSince())),
    report(failure: string): void {
      failures.push(`seed ${seed}: ${failure}`)
      tell(`FAILURE: ${failure}`)
    },
  }
  return world
}

/** Nobody is told what the service hasn't said, or has taken back for longer than two polls, and nothing twice. */
function checkShown({ now, goodSince, report, service, slack }: World, message: SlackMessage): void {
  const claims = [
    ...listDown(message).map((name) => [name, 'UNHEALTHY'] as const),
    ...listUp(message).map((name) => [name, 'HEALTHY'] as const),
  ]
  for (const [name, status] of claims) {
    const stated = service.stated.get(name)
    const isOld = now() - Math.max(stated?.since ?? 0, goodSince()) > 2 * POLL_MS + RETRY_MS
    if (stated?.status !== status && isOld) report(`says that ${name} is ${status}: ${message.text}`)
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
  if (at === now() && isRepeated) report(`says twice: ${text}`)
}

/** What has lasted for long enough is told, and somebody is paged about it. */
function checkChannel({ now, isFaulty, goodSince, changedAt, report, service, slack }: World): void {
  if (isFaulty()) return
  const { messages } = slack
  const shownDown = new Set(messages.flatMap(listDown))
  for (const name of NAMES) {
    const since = Math.max(changedAt.get(name) ?? 0, goodSince())
    const lastedMs = now() - since
    const isShown = shownDown.has(name)
    if (service.statuses.get(name) === 'HEALTHY') {
      if (isShown && lastedMs > 2.2 * POLL_MS + RETRY_MS) report(`doesn’t say that ${name} is up`)
      continue
    }
    if (!isShown && lastedMs > 1.1 * POLL_MS + RETRY_MS) report(`doesn’t say that ${name} is down`)
    const isTaken = messages.some(
      (one) => listDown(one).includes(name) && /U[12] (?:has been|is) on it/.test(one.text),
    )
    const isPaged = messages.some(
      (one) => isPage(one) && listNames(one.text).includes(name) && one.at >= since - PAGE_MS,
    )
    if (!isTaken && !isPaged && lastedMs > PAGE_MS + POLL_MS + RETRY_MS) report(`pages nobody about ${name}`)
  }
}

/** In the end, who was on something knows that it's up, and no page came twice. */
function checkEnd({ slack: { messages }, takenBy, report }: World): void {
  for (const [name, { by, at }] of takenBy) {
    const hears = (one: SlackMessage) => one.text.includes(`<@${by}>`) && listUp(one).includes(name)
    if (!messages.some((one) => one.at >= at && hears(one))) report(`doesn’t say to ${by} that ${name} is up`)
  }
  const pages = messages.filter(isPage).map(({ text, at }) => ({ names: listNames(text), at }))
  for (const [index, { names, at }] of pages.entries()) {
    const recent = pages.slice(0, index).filter((page) => at - page.at < PAGE_MS / 2)
    if (recent.some((page) => names.every((name) => page.names.includes(name))))
      report(`pages twice about ${names.join(' ')}`)
  }
}

/** Lets checks fall and come up. */
function change({ random, now, startMs, service, changedAt, tell }: World): void {
  const isOver = now() - startMs >= RECOVERY_MS
  const mayFall = now() - startMs > 2 * MINUTE_MS && !isOver
  for (const name of NAMES) {
    const isDown = service.statuses.get(name) === 'UNHEALTHY'
    const flips = isDown ? isOver || random.below(40) === 0 : mayFall && random.below(80) === 0
    if (!flips) continue
    service.statuses.set(name, isDown ? 'HEALTHY' : 'UNHEALTHY')
    changedAt.set(name, now())
    tell(`${name} is ${isDown ? 'up' : 'down'}`)
  }
}

/** Lets somebody press **I’m on it** on the latest card, now and then. */
async function press({ random, now, slack, takenBy, tell }: World, store: Store): Promise<void> {
  const card = slack.messages.findLast(({ json }) => json.includes('watch-ack'))
  const postId = /watch-ack \\?"?([\w-]+)/.exec(card?.json ?? '')?.[1]
  if (random.below(40) > 0 || !postId) return
  const by = random.oneOf(['U1', 'U2'])
  const taken = await changeWatching(store, 'T1', ({ onIt }) => onIt.take(postId, { userId: by, name: by }))
  if (typeof taken !== 'object' || !('taken' in taken)) return
  for (const { name } of taken.taken.filter((one) => NAMES.includes(one.name)))
    takenBy.set(name, { by, at: now() })
  tell(`${by} takes ${taken.taken.map(({ name }) => name).join(' ')}`)
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
      now: () => new Date(world.now()),
    },
    ...{ intervalMs: POLL_MS, getApi: async () => service.api },
  } as unknown as Parameters<typeof createWatchingWork>[0])
  const names = kinds.map(({ kind }) => kind)
  const { signal } = new AbortController()
  const { owner } = state

  /** Runs what is due, like the engine. */
  async function runDue(): Promise<void> {
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

/** Runs one history with two processes. Fails, with its story, if a promise wasn't kept. */
async function runHistory(seed: number, start: (typeof SHARED_DATABASES)[number]['start']): Promise<void> {
  const world = createWorld(seed)
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await start())
  const store = opened.use(await openStore({ ...database, clock: () => new Date(world.now()) }))
  await changeWatching(store, 'T1', ({ watches }) =>
    watches.add({
      ...{ id: newId(), ...SCOPE, channelId: CHANNEL, filter: ALL_CHECKS, afterBadPolls: 1, page: PAGE },
      ownerId: 'U9',
    }),
  )
  const pending = { calls: 0 }
  const processes = [0, 1].map(() => startProcess(world, store, pending))
  while (world.now() - world.startMs < END_MS) {
    world.pass(TICK_MS)
    change(world)
    await press(world, store)
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
  expect(world.failures, world.story.join('\n')).toEqual([])
}

const HISTORIES = quickOrLong('OUTSIDE_HISTORIES', { quick: 5, long: 1000 })

it.each(SHARED_DATABASES)(
  `keeps the promises of watching, whatever Slack and the service answer, on $name (seed ${readSeed()})`,
  async ({ name, start }) => {
    const count = name === 'PostgreSQL' ? Math.ceil(HISTORIES / 20) : HISTORIES
    for (let history = 0; history < count; history += 1) await runHistory(readSeed() + history, start)
  },
)
