import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../../src/app/store.ts'
import type { CardModel } from '../../../src/features/watching/rules/describe-card.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { IS_LONG, runs } from '../../long.ts'
import { endsWithItsTest } from '../../process.ts'
import { bundled } from '../../program.ts'
import { seeded, seedOf } from '../../random.ts'
import { createSandboxControl } from '../../sandbox-control.ts'
import { type CountingSlack, type Sent, startCountingSlack } from './counting-slack.ts'

/** How many processes are killed. */
const KILLS = runs('WATCH_KILLS', { quick: 3, long: 1000 })
/** The longest that a process lives, in milliseconds. */
const MAX_LIFE_MS = Number(process.env.WATCH_LIFE_MS ?? 1500)
const SEED = seedOf()
const WORKSPACES = 12
/** Channels per workspace. Each watches a share of the checks, so that none exceeds its rate limit. */
const CHANNELS = Math.min(10, KILLS)
/** So short that steps are due whenever a process dies. */
const STEPS = [
  { afterMs: 700, call: [{ name: '@oncall', id: 'S1', isGroup: true }] },
  { afterMs: 2000, call: [{ name: '@ann', id: 'U1' }] },
]
const MENTIONS = ['<!subteam^S1>', '<@U1>']
/** No message takes longer than this, even on a busy machine. */
const MAX_SEND_MS = 3000
/** Long enough that a process on a busy machine isn't taken for dead. */
const LONG_LEASE_MS = 60_000
const WAIT_TIMEOUT_MS = 40_000 + KILLS * 2000

interface Stage {
  database: TestDatabase
  sandbox: Sandbox
  slack: CountingSlack
  store: Store
}

/** Starts a process that waits for `go`, so that its startup doesn't count against the time between two kills. */
async function startSpare({ database, sandbox, slack }: Stage, leaseMs = 600): Promise<ChildProcess> {
  const program = bundled(join(import.meta.dirname, 'watch-child.ts'))
  const times = [leaseMs, MAX_SEND_MS].map(String)
  const args = [database.url, database.keys, sandbox.productionUrl, sandbox.token, slack.url, ...times]
  // Piped, because a child that inherits the worker's stderr would keep the run from ending.
  const child = endsWithItsTest(
    spawn(process.execPath, [...program.args, ...args], {
      env: { ...process.env, ...program.env },
    }),
  )
  child.stderr.pipe(process.stderr, { end: false })
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (!String(said).startsWith('ready')) throw new Error(`A replica ended with ${said}.`)
  return child
}

async function startReplica(stage: Stage, leaseMs?: number): Promise<ChildProcess> {
  return go(await startSpare(stage, leaseMs))
}

function go(child: ChildProcess): ChildProcess {
  child.stdin?.write('go\n')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

const channelOf = (workspace: number, channel: number): string => `C${workspace}.${channel}`

function* everyChannel(): Generator<[workspace: number, channel: number]> {
  for (let workspace = 0; workspace < WORKSPACES; workspace += 1)
    for (let channel = 0; channel < CHANNELS; channel += 1) yield [workspace, channel]
}

async function watchEverywhere({ watching }: Store): Promise<void> {
  for (const [index, channel] of everyChannel())
    await watching.watches.add({
      workspaceId: `T${index}`,
      channelId: channelOf(index, channel),
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

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + WAIT_TIMEOUT_MS
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`Timed out waiting for ${what}.`)
    await pause(50)
  }
}

const pollsOf = async ({ watching }: Store): Promise<number> => {
  const polls = Array.from({ length: WORKSPACES }, (_, index) =>
    watching.history.polling(`T${index}`, 'production'),
  )
  return Math.min(...(await Promise.all(polls)).map((one) => one?.polls ?? 0))
}

/**
 * Takes checks down one by one, waits for every notification, and lets all but the last recover. Returns the number of
 * expected notifications.
 */
async function runOutages(stage: Stage, count: number, between: () => Promise<void>): Promise<number> {
  const control = createSandboxControl(stage.sandbox)
  const uuids: string[] = []
  for (let index = 0; index < count; index += 1)
    uuids.push(await control.addCheck({ name: `${index}-of-${index % CHANNELS}`, status: 'HEALTHY' }))
  await until('the baseline', async () => (await pollsOf(stage.store)) >= 1)
  for (const uuid of uuids) {
    await control.hold(uuid, 'UNHEALTHY')
    await between()
  }
  const channels = [...everyChannel()].map(([index, channel]) => ({
    id: channelOf(index, channel),
    expectedCount: uuids.filter((_, check) => check % CHANNELS === channel).length,
  }))
  const findMissing = () => {
    const checkCounts = stage.slack.checkCounts()
    return channels.flatMap(({ id, expectedCount }) =>
      (checkCounts.get(id) ?? 0) === expectedCount
        ? []
        : [`${id}: ${checkCounts.get(id) ?? 0} of ${expectedCount}`],
    )
  }
  await until('every outage in every channel', async () => findMissing().length === 0).catch(
    (error: unknown) => {
      throw new Error(`Missing or repeated notifications: ${findMissing().slice(0, 20).join(', ')}`, {
        cause: error,
      })
    },
  )
  await until('every page about every outage', async () => {
    const called = stage.slack.called()
    return channels.every(({ id, expectedCount }) =>
      MENTIONS.every((who) => (called.get(`${id} ${who}`) ?? 0) >= expectedCount),
    )
  })
  const expected = channels
    .filter(({ expectedCount }) => expectedCount > 0)
    .flatMap(({ id, expectedCount }) => MENTIONS.map((who) => [`${id} ${who}`, expectedCount] as const))
  expect(stage.slack.called()).toEqual(new Map(expected))
  for (const uuid of uuids.slice(0, -1)) await control.hold(uuid, 'HEALTHY')
  const isWrong = ({ model }: Sent): boolean => !isCorrect(model, uuids.at(-1))
  await until('the final edits', async () => !stage.slack.latestMessages().some(isWrong)).catch(
    (error: unknown) => {
      throw new Error(JSON.stringify(stage.slack.latestMessages().filter(isWrong)), { cause: error })
    },
  )
  return uuids.length * WORKSPACES
}

function isCorrect(model: CardModel, down: string | undefined): boolean {
  if (model.kind === 'outage') return (model.state === 'down') === (model.check.uuid === down)
  if (model.kind !== 'many') return false
  const { rows, stillDown } = model
  const isEachCorrect = rows.every(({ check, endedAt }) => (check.uuid === down) === !endedAt)
  return isEachCorrect && rows.filter(({ endedAt }) => !endedAt).length === stillDown
}

async function startStage(database: TestDatabase) {
  await using started = new AsyncDisposableStack()
  const sandbox = started.use(await startSandbox({ seed: false, checking: false }))
  const slack = started.use(await startCountingSlack())
  const store = started.use(await openStore(database))
  await watchEverywhere(store)
  const all = started.move()
  return { database, sandbox, slack, store, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Each test runs on one of the databases; in long runs, on both. */
describe.each(SHARED_DATABASES)('several processes on $name', ({ name, start }) => {
  it.skipIf(name !== 'PostgreSQL' && !IS_LONG)('post nothing twice', async () => {
    await using database = await start()
    await using stage = await startStage(database)
    const replicas = await Promise.all([
      startReplica(stage, LONG_LEASE_MS),
      startReplica(stage, LONG_LEASE_MS),
    ])
    try {
      await runOutages(stage, 3, () => pause(1200))
      expect(stage.slack.doubled()).toBe(0)
      expect(stage.slack.calledTwice()).toBe(0)
    } finally {
      await Promise.all(replicas.map(end))
    }
  })

  it.skipIf(name === 'PostgreSQL' && !IS_LONG)(
    `lose nothing when killed ${KILLS} times (seed ${SEED})`,
    { timeout: 120_000 + KILLS * 10_000 },
    async () => {
      const random = seeded(SEED)
      await using database = await start()
      await using stage = await startStage(database)
      let child = await startReplica(stage)
      let spare = startSpare(stage)
      try {
        const expected = await runOutages(stage, KILLS, async () => {
          await pause(random.below(MAX_LIFE_MS))
          const next = await spare
          spare = startSpare(stage)
          await end(child)
          child = go(next)
        })
        const doubled = stage.slack.doubled()
        const cards = stage.slack.posts.length - doubled
        process.stdout.write(
          `${expected} notifications on ${cards} cards, ${doubled} posted twice, ${stage.slack.calls()} pages, ${stage.slack.found()} found after a lost reply, ${KILLS} kills\n`,
        )
        expect(stage.slack.calledTwice()).toBe(0)
        // Fewer than one in a thousand, even if a process died while it was sending.
        expect(doubled).toBeLessThan(Math.max(1, cards / 1000))
      } finally {
        await Promise.all([child, await spare].map(end))
      }
    },
  )
})
