import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startSqliteFile } from '../databases/databases.ts'
import { quickOrLong } from '../long.ts'
import { createRandom, type Random } from '../random.ts'
import type { Fault } from '../sandbox-control.ts'
import { ACT_KINDS, chooseKinds } from './act-kinds.ts'
import { actTogether } from './act-together.ts'
import { KILLED_ON } from './database-outages.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { addPairs } from './people.ts'
import { LEASE_MS } from './times.ts'

const KILLS = quickOrLong('KILLS', { quick: 4, long: 1000 })
const KILLS_PER_ROUND = quickOrLong('KILLS_PER_ROUND', { quick: 4, long: 16 })
const ACTS = quickOrLong('ACTS', { quick: 6, long: 16 })
/** A process that isn't killed by time ends itself right before one of this many statements. */
const MAX_STATEMENTS = 400
const MAX_KILL_MS = 500
/** Much longer than a lease. */
const MAX_SUSPENDED_MS = 4 * LEASE_MS
/** The longest time from sending an act to deciding when the process dies. */
const MAX_PAUSE_MS = 250
/** Faults of the service: none, or it is slow, its reply is lost, or it closes the connection before doing anything. */
const FAULTS: readonly (Omit<Fault, 'path'> | null)[] = [
  null,
  null,
  { kind: 'delay', ms: 120 },
  { kind: 'drop-reply' },
  { kind: 'reset', ms: 20 },
]

/**
 * Kills processes one after another, and in some cases all at once, while acts are sent and other processes start. Some are stopped or
 * suspended instead. Returns how many there were.
 */
async function killRepeatedly(deployment: Deployment, random: Random, sendNext: () => void): Promise<number> {
  const pending: Promise<void>[] = []
  let kills = 0

  async function disturb(): Promise<void> {
    const { length } = deployment.urls
    const first = random.below(length)
    const way = random.oneOf(['kill', 'kill', 'stop', 'suspend'] as const)
    if (way === 'suspend') return void pending.push(deployment.suspend(first, random.below(MAX_SUSPENDED_MS)))
    if (way === 'stop') return void pending.push(deployment.stop(first), deployment.start())
    const which = random.below(4) === 0 ? Array.from({ length }, (_, index) => index) : [first]
    await Promise.all(
      which.map((index) =>
        deployment.killAt(index, 1 + random.below(MAX_STATEMENTS), random.below(MAX_KILL_MS)),
      ),
    )
    kills += which.length - 1
    pending.push(...which.map(() => deployment.start()))
  }

  while (kills < KILLS_PER_ROUND) {
    for (let sent = 0; sent < ACTS / KILLS_PER_ROUND; sent += 1) sendNext()
    await pause(random.below(MAX_PAUSE_MS))
    await disturb()
    kills += 1
    if (random.below(2) === 0 || deployment.urls.length === 0) await Promise.all(pending)
  }
  await Promise.all(pending)
  return kills
}

it.each(KILLED_ON)(
  `loses no act and does none twice when processes are killed, stopped, and suspended at random moments, on $name`,
  async ({ name, start }) => {
    const random = createRandom()
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
    for (let round = 0; kills < KILLS; round += 1) {
      // Everybody reads all messages after each round.
      await deployment.slack.reset()
      const fault = random.oneOf(FAULTS)
      const results = await actTogether(
        pairs,
        chooseKinds(random, ACTS),
        `round-${round}x`,
        async (sendNext) => {
          if (fault) await deployment.service.faults({ path: '/', times: 1 + random.below(4), ...fault })
          kills += await killRepeatedly(deployment, random, sendNext)
          await deployment.service.faults()
        },
      )
      process.stdout.write(`round ${round}, ${kills} kills, ${faults.length} faults\n`)
      for (const result of results) {
        faults.push(...result.faults)
        for (const fault of result.faults) process.stdout.write(`round ${round}: ${fault}\n`)
        outcomeCounts.set(result.outcome, (outcomeCounts.get(result.outcome) ?? 0) + 1)
      }
    }
    process.stdout.write(`${kills} kills on ${name}: ${JSON.stringify(Object.fromEntries(outcomeCounts))}\n`)
    expect(faults).toEqual([])
    expect(deployment.countExited()).toBe(0)
  },
)

it('can stop a job running on another replica, and never takes over work from a live replica', async () => {
  await using database = await startSqliteFile()
  await using deployment = await startDeployment(database)
  await Promise.all([deployment.start(), deployment.start()])
  const kinds = ACT_KINDS.filter(({ name }) => name === 'job-stop')
  const [result] = await actTogether([deployment], kinds, 'held', async (sendNext) => {
    sendNext()
    await pause(2 * LEASE_MS)
    await deployment.kill('first')
    deployment.connectSlack()
  })
  expect(result).toMatchObject({ faults: [] })
})
