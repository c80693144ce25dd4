import { expect, it } from 'vitest'
import { SHARED_DATABASES, startSqliteFile } from '../databases/databases.ts'
import { quickOrLong } from '../long.ts'
import { createRandom, readSeed } from '../random.ts'
import type { ActKind } from './act-kind.ts'
import { ACT_KINDS } from './act-kinds.ts'
import { actOnce, measureUndisturbedTimes } from './act-once.ts'
import { startDeployment } from './deployment.ts'
import { type Disruption, planKill } from './disruptions.ts'
import { LEASE_MS } from './times.ts'

/** The total number of SIGKILLs, spread evenly over the kinds of acts. */
const KILLS = quickOrLong('KILLS', { quick: 4, long: 300 })
const SQLITE_KILLS = Math.ceil((KILLS * 3) / 4)
const SEED = readSeed()

/** How far apart the chosen kinds are, so that few kills still cover all features. */
const STEP = Math.max(1, Math.floor(ACT_KINDS.length / KILLS))

function chooseKinds(killIndex: number): readonly ActKind[] {
  const index = (SEED + killIndex * STEP) % ACT_KINDS.length
  return ACT_KINDS.slice(index, index + 1)
}

it.each(SHARED_DATABASES)(
  `neither loses nor repeats an act when killed at random moments, on $name`,
  { timeout: 120_000 + KILLS * 20_000 },
  async ({ name, start }) => {
    const [firstKill, endKill] = name === 'PostgreSQL' ? [SQLITE_KILLS, KILLS] : [0, SQLITE_KILLS]
    const kinds = Array.from({ length: endKill - firstKill }, (_, index) =>
      chooseKinds(firstKill + index),
    ).flat()
    process.stdout.write(`${kinds.length} kills on ${name}, SEED=${SEED}\n`)
    const random = createRandom(SEED)
    await using database = await start()
    await using deployment = await startDeployment(database)
    await deployment.start()
    const times = await measureUndisturbedTimes(deployment, [...new Set(kinds)])
    const outcomeCounts = new Map<string, number>()
    const faults: string[] = []
    for (const [kill, kind] of kinds.entries()) {
      const undisturbed = times.get(kind)
      if (!undisturbed) throw new Error(`${kind.name} was never timed.`)
      while (deployment.urls.length < 2) await deployment.start()
      const result = await actOnce(deployment, kind, `kill-${kill}`, planKill(random, undisturbed))
      faults.push(...result.faults)
      for (const fault of result.faults) process.stdout.write(`${fault}\n`)
      outcomeCounts.set(result.outcome, (outcomeCounts.get(result.outcome) ?? 0) + 1)
    }
    process.stdout.write(`${JSON.stringify(Object.fromEntries(outcomeCounts))}\n`)
    expect(faults).toEqual([])
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
