import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { quickOrLong } from '../long.ts'
import { createRandom, type Random, readSeed } from '../random.ts'
import type { ActKind } from './act-kind.ts'
import { ACT_KINDS } from './act-kinds.ts'
import { actOnce, actTogether } from './act-once.ts'
import { type BreakableDatabase, KILLED_ON } from './database-outages.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { type Disruption, FAULTS } from './disruptions.ts'
import { addPairs } from './people.ts'
import { LEASE_MS } from './times.ts'

/** The number of SIGKILLs on each database. */
const KILLS = quickOrLong('KILLS', { quick: 4, long: 1000 })
/** How long the database is unavailable, once in the middle. */
const OUTAGE_MS = quickOrLong('OUTAGE_MS', { quick: 1000, long: 30_000 })
const KILLS_PER_ROUND = quickOrLong('KILLS_PER_ROUND', { quick: 4, long: 16 })
/** The acts that are under way at once. */
const ACTS = quickOrLong('ACTS', { quick: 6, long: 16 })
/** A process that isn't killed by time ends itself right before one of this many statements. */
const MAX_STATEMENTS = 400
const MAX_KILL_MS = 500
/** The longest time from sending an act to deciding when the process dies. */
const MAX_PAUSE_MS = 250
const SEED = readSeed()
/** Only acts with this in their names. `ACT=order KILLS=400` kills processes on each database while they have orders alone. */
const ONLY = process.env.ACT ?? ''

/** The test itself has the lease of this job, and can’t renew it in time beside so much else. */
const NOT_TOGETHER = ['job-stop']

/** Chooses kinds at random, at most one of those that share something. */
function chooseKinds(random: Random): ActKind[] {
  const left = ACT_KINDS.filter(({ name }) => name.includes(ONLY) && !NOT_TOGETHER.includes(name))
  const chosen: ActKind[] = []
  while (chosen.length < ACTS && left.length > 0) {
    const [kind] = left.splice(random.below(left.length), 1)
    if (kind && !(kind.shares && chosen.some(({ shares }) => shares === kind.shares))) chosen.push(kind)
  }
  return chosen
}

/**
 * Kills processes one after another, and in a quarter of the cases all at once, while acts are sent and other processes start. Returns how
 * many were killed.
 */
async function killRepeatedly(deployment: Deployment, random: Random, sendNext: () => void): Promise<number> {
  const starting: Promise<void>[] = []
  let kills = 0
  while (kills < KILLS_PER_ROUND) {
    for (let sent = 0; sent < ACTS / KILLS_PER_ROUND; sent += 1) sendNext()
    await pause(random.below(MAX_PAUSE_MS))
    const { length } = deployment.urls
    const first = random.below(length)
    const which = random.below(4) === 0 ? Array.from({ length }, (_, index) => index) : [first]
    await Promise.all(
      which.map((index) =>
        deployment.killAt(index, 1 + random.below(MAX_STATEMENTS), random.below(MAX_KILL_MS)),
      ),
    )
    kills += which.length
    starting.push(...which.map(() => deployment.start()))
    if (random.below(2) === 0 || deployment.urls.length === 0) await Promise.all(starting)
  }
  await Promise.all(starting)
  return kills
}

/** Makes the database unavailable for a while, with acts under way. */
async function interrupt(
  { makeUnavailable }: BreakableDatabase,
  { pids }: Deployment,
  sendNext: () => void,
): Promise<void> {
  for (let sent = 0; sent < ACTS; sent += 1) sendNext()
  const restore = makeUnavailable(pids)
  await pause(OUTAGE_MS)
  restore()
}

it.each(KILLED_ON)(
  `loses no act and does none twice when processes are killed at random moments and statements, on $name`,
  { timeout: 180_000 + KILLS * 20_000 },
  async ({ name, start }) => {
    const random = createRandom(SEED)
    await using database = await start()
    await using deployment = await startDeployment(database.direct, {
      env: { DATABASE_URL: database.url },
      hasStandby: true,
    })
    for (let started = 0; started < (name.includes('SQLite') ? 1 : 2); started += 1) await deployment.start()
    const pairs = await addPairs(deployment, ACTS)
    const outcomeCounts = new Map<string, number>()
    const faults: string[] = []
    let kills = 0
    let hasInterrupted = false
    for (let round = 0; kills < KILLS || !hasInterrupted; round += 1) {
      // Everybody reads all messages after each round.
      await deployment.slack.reset()
      const { fault } = random.oneOf(FAULTS)
      const isInterrupted: boolean = !hasInterrupted && kills >= KILLS / 2
      const results = await actTogether(pairs, chooseKinds(random), `round-${round}x`, async (sendNext) => {
        if (fault) await deployment.service.faults({ path: '/', times: 1 + random.below(4), ...fault })
        if (isInterrupted) await interrupt(database, deployment, sendNext)
        else kills += await killRepeatedly(deployment, random, sendNext)
        await deployment.service.faults()
      })
      hasInterrupted ||= isInterrupted
      process.stdout.write(`round ${round}, ${kills} kills, ${faults.length} faults\n`)
      for (const result of results) {
        faults.push(...result.faults)
        for (const fault of result.faults) process.stdout.write(`round ${round}: ${fault}\n`)
        outcomeCounts.set(result.outcome, (outcomeCounts.get(result.outcome) ?? 0) + 1)
      }
    }
    process.stdout.write(
      `${kills} kills on ${name}, SEED=${SEED}: ${JSON.stringify(Object.fromEntries(outcomeCounts))}\n`,
    )
    expect(faults).toEqual([])
    expect(deployment.countExited()).toBe(0)
  },
)

it('can stop a job running on another replica, and never takes over work from a live replica', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  await Promise.all([deployment.start(), deployment.start()])
  const kind = ACT_KINDS.find(({ name }) => name === 'job-stop')
  if (!kind) throw new Error('There is no act “job-stop”.')
  const disruption: Disruption = {
    phase: 'acknowledged',
    delayMs: 2 * LEASE_MS,
    description: 'SIGKILL to first',
    async cause() {
      await deployment.kill('first')
      deployment.connectSlack()
      return {}
    },
  }
  expect((await actOnce(deployment, kind, 'held', { disruption })).faults).toEqual([])
})
