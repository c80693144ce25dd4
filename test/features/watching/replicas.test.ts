import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { IS_LONG, quickOrLong } from '../../long.ts'
import { killAfterTest } from '../../process.ts'
import { bundleProgram } from '../../program.ts'
import { createRandom, readSeed } from '../../random.ts'
import { createSandboxControl } from '../../sandbox-control.ts'
import { type CountingSlack, type SentCard, startCountingSlack } from './counting-slack.ts'

/** How many processes are killed. */
const KILLS = quickOrLong('WATCH_KILLS', { quick: 2, long: 1000 })
/** The longest time until a process is killed, in milliseconds. */
const MAX_LIFE_MS = Number(process.env.WATCH_LIFE_MS ?? 1500)
const SEED = readSeed()
const WORKSPACES = quickOrLong('WATCH_WORKSPACES', { quick: 3, long: 12 })
/** Channels per workspace. Each watches some of the checks, so that no channel reaches its rate limit. */
const CHANNELS = Math.min(10, KILLS)
/** Short escalation steps, so that some are always due when a process is killed. */
const STEPS = [
  { afterMs: 700, responders: [{ name: '@oncall', id: 'S1', isGroup: true }] },
  { afterMs: 2000, responders: [{ name: '@ann', id: 'U1' }] },
]
const PAGED_IDS = ['S1', 'U1']
/** No message takes longer than this, even on a busy machine. */
const MAX_SEND_MS = 3000
/** Long enough that a slow process on a busy machine doesn't count as dead. */
const LONG_LEASE_MS = 60_000
const WAIT_TIMEOUT_MS = 40_000 + KILLS * 2000

interface Cluster {
  database: TestDatabase
  sandbox: Sandbox
  slack: CountingSlack
  store: Store
}

/** Starts a process that waits for `go`. It starts up in advance, so that no time passes between two kills. */
async function startSpare({ database, sandbox, slack }: Cluster, leaseMs = 600): Promise<ChildProcess> {
  const program = bundleProgram(join(import.meta.dirname, 'watch-child.ts'))
  const times = [leaseMs, MAX_SEND_MS].map(String)
  const args = [database.url, database.keys, sandbox.productionUrl, sandbox.token, slack.url, ...times]
  // Piped, because a child that inherited the worker's stderr would prevent the test run from exiting.
  const child = killAfterTest(
    spawn(process.execPath, [...program.args, ...args], {
      env: { ...process.env, ...program.env },
    }),
  )
  child.stderr.pipe(process.stderr, { end: false })
  const [output] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (!String(output).startsWith('ready')) throw new Error(`A replica ended with ${output}.`)
  return child
}

async function startReplica(cluster: Cluster, leaseMs?: number): Promise<ChildProcess> {
  return startPolling(await startSpare(cluster, leaseMs))
}

function startPolling(child: ChildProcess): ChildProcess {
  child.stdin?.write('go\n')
  return child
}

async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const toChannelId = (workspace: number, channel: number): string => `C${workspace}.${channel}`

function* everyChannel(): Generator<[workspace: number, channel: number]> {
  for (let workspace = 0; workspace < WORKSPACES; workspace += 1)
    for (let channel = 0; channel < CHANNELS; channel += 1) yield [workspace, channel]
}

async function watchEverywhere({ watching }: Store): Promise<void> {
  for (const [index, channel] of everyChannel())
    await watching.watches.add({
      workspaceId: `T${index}`,
      channelId: toChannelId(index, channel),
      environment: 'production',
      filter: { include: [{ field: 'name', pattern: `*-of-${channel}` }], exclude: [] },
      afterBadPolls: 1,
      notify: 'once',
      reminderHours: 0,
      escalation: STEPS,
      ownerId: 'U1',
      madeAt: new Date(),
    })
}

async function waitUntil(label: string, isDone: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + WAIT_TIMEOUT_MS
  while (!(await isDone())) {
    if (performance.now() > deadlineMs) throw new Error(`Timed out waiting for ${label}.`)
    await pause(50)
  }
}

const countFewestPolls = async ({ watching }: Store): Promise<number> => {
  const polls = Array.from({ length: WORKSPACES }, (_, index) =>
    watching.history.findPollStatus(`T${index}`, 'production'),
  )
  return Math.min(...(await Promise.all(polls)).map((status) => status?.polls ?? 0))
}

/**
 * Takes checks down one by one, waits for every notification, and lets all but the last recover. Returns the number of
 * expected notifications.
 */
async function runOutages(cluster: Cluster, count: number, between: () => Promise<void>): Promise<number> {
  const control = createSandboxControl(cluster.sandbox)
  const uuids: string[] = []
  for (let index = 0; index < count; index += 1)
    uuids.push(await control.addCheck({ name: `${index}-of-${index % CHANNELS}`, status: 'HEALTHY' }))
  await waitUntil('the baseline', async () => (await countFewestPolls(cluster.store)) >= 1)
  for (const uuid of uuids) {
    await control.setStatus(uuid, 'UNHEALTHY')
    await between()
  }
  const channels = [...everyChannel()].map(([index, channel]) => ({
    id: toChannelId(index, channel),
    expectedCount: uuids.filter((_, check) => check % CHANNELS === channel).length,
  }))
  const findMissing = () => {
    const counts = cluster.slack.countChecks()
    return channels.flatMap(({ id, expectedCount }) =>
      (counts.get(id) ?? 0) === expectedCount ? [] : [`${id}: ${counts.get(id) ?? 0} of ${expectedCount}`],
    )
  }
  await waitUntil('every outage in every channel', async () => findMissing().length === 0).catch(
    (error: unknown) => {
      throw new Error(`Missing or repeated notifications: ${findMissing().slice(0, 20).join(', ')}`, {
        cause: error,
      })
    },
  )
  const expected = channels
    .filter(({ expectedCount }) => expectedCount > 0)
    .flatMap(({ id, expectedCount }) => PAGED_IDS.map((who) => [`${id} ${who}`, expectedCount] as const))
  const listMissingPages = () => {
    const counts = cluster.slack.countPagedIncidents()
    return expected.filter(([key, expectedCount]) => (counts.get(key) ?? 0) < expectedCount)
  }
  await waitUntil('every page about every outage', async () => listMissingPages().length === 0).catch(
    (error: unknown) => {
      throw new Error(`Missing pages: ${listMissingPages().slice(0, 20).join('; ')}`, { cause: error })
    },
  )
  expect(cluster.slack.countPagedIncidents()).toEqual(new Map(expected))
  for (const uuid of uuids.slice(0, -1)) await control.setStatus(uuid, 'HEALTHY')
  const isWrong = ({ model }: SentCard): boolean => !isCorrect(model, uuids.at(-1))
  await waitUntil('the final edits', async () => !cluster.slack.latestMessages().some(isWrong)).catch(
    (error: unknown) => {
      throw new Error(JSON.stringify(cluster.slack.latestMessages().filter(isWrong)), { cause: error })
    },
  )
  return uuids.length * WORKSPACES
}

const isCorrect = ({ rows, downCount }: CardModel, downUuid: string | undefined): boolean =>
  rows.every(({ check, isDown }) => (check.uuid === downUuid) === isDown) &&
  rows.filter(({ isDown }) => isDown).length === downCount

async function startCluster(database: TestDatabase) {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const slack = started.use(await startCountingSlack())
  const store = started.use(await openStore(database))
  await watchEverywhere(store)
  const resources = started.move()
  return { database, sandbox, slack, store, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** In quick runs, each test runs on only one of the databases. */
describe.each(SHARED_DATABASES)('several processes on $name', ({ name, start }) => {
  it.skipIf(name !== 'PostgreSQL' && !IS_LONG)('post nothing twice', async () => {
    await using database = await start()
    await using cluster = await startCluster(database)
    const replicas = await Promise.all([
      startReplica(cluster, LONG_LEASE_MS),
      startReplica(cluster, LONG_LEASE_MS),
    ])
    try {
      await runOutages(cluster, 3, () => pause(1200))
      expect(cluster.slack.countRepeatedPosts()).toBe(0)
      expect(cluster.slack.countRepeatedPages()).toBe(0)
    } finally {
      await Promise.all(replicas.map(killProcess))
    }
  })

  it.skipIf(name === 'PostgreSQL' && !IS_LONG)(
    `lose nothing when killed ${KILLS} times (seed ${SEED})`,
    { timeout: 120_000 + KILLS * 10_000 },
    async () => {
      const random = createRandom(SEED)
      await using database = await start()
      await using cluster = await startCluster(database)
      let child = await startReplica(cluster)
      let spare: Promise<ChildProcess> | undefined = startSpare(cluster)
      let kills = 0
      try {
        const expected = await runOutages(cluster, KILLS, async () => {
          await pause(random.below(MAX_LIFE_MS))
          const next = await spare
          kills += 1
          spare = kills < KILLS ? startSpare(cluster) : undefined
          await killProcess(child)
          if (next) child = startPolling(next)
        })
        const repeatedPosts = cluster.slack.countRepeatedPosts()
        const cards = cluster.slack.posts.length - repeatedPosts - cluster.slack.countPages()
        process.stdout.write(
          `${expected} notifications on ${cards} cards, ${repeatedPosts} posted twice, ${cluster.slack.countPages()} pages, ${cluster.slack.countFoundMessages()} found after a lost reply, ${KILLS} kills\n`,
        )
        expect(cluster.slack.countRepeatedPages()).toBe(0)
        // A process that dies while it is sending may cause a repeated post, but in fewer than one post in a thousand.
        expect(repeatedPosts).toBeLessThan(Math.max(1, cards / 1000))
      } finally {
        for (const running of [child, await spare]) if (running) await killProcess(running)
      }
    },
  )
})
