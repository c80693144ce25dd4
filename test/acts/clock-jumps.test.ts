import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, quickOrLong } from '../long.ts'
import { createRandom, type Random, readSeed } from '../random.ts'
import { ACT_KINDS } from './act-kinds.ts'
import { actOnce, measureUndisturbedTimes } from './act-once.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { chooseMoment, type Plan, type UndisturbedTimes } from './disruptions.ts'

/** The number of jumps. Each is two hours, alternately forwards and backwards. */
const JUMPS = quickOrLong('JUMPS', { quick: 2, long: 200 })
const SEED = readSeed()

/** Makes the clock wrong for a while in the process that Slack sends requests to. In a third of the cases, also kills the process. */
function planJump(random: Random, undisturbed: UndisturbedTimes): Plan {
  const wrongMs = random.below(400)
  const isKilled = random.below(3) === 0
  async function cause(deployment: Deployment) {
    deployment.signal('SIGUSR2')
    await pause(wrongMs)
    if (!isKilled) {
      deployment.signal('SIGUSR2')
      return {}
    }
    await deployment.kill('first')
    const starting = deployment.start()
    deployment.connectSlack()
    return { replacement: starting }
  }
  const description = `clock wrong for ${wrongMs} ms${isKilled ? ', then SIGKILL' : ''}`
  return { disruption: { ...chooseMoment(random, undisturbed), description, cause } }
}

it.each(eitherOf(SHARED_DATABASES))(
  'neither loses nor repeats an act when the clock jumps by two hours, on $name',
  { timeout: 120_000 + JUMPS * 20_000 },
  async ({ name, start }) => {
    process.stdout.write(`${JUMPS} jumps on ${name}, SEED=${SEED}\n`)
    const random = createRandom(SEED)
    await using database = await start()
    await using deployment = await startDeployment(database, { script: 'test/acts/jumping-child.ts' })
    await deployment.start()
    const kinds = Array.from({ length: JUMPS }, () => random.oneOf(ACT_KINDS))
    const times = await measureUndisturbedTimes(deployment, [...new Set(kinds)])
    const faults: string[] = []
    for (const [index, kind] of kinds.entries()) {
      const undisturbed = times.get(kind)
      if (!undisturbed) throw new Error(`${kind.name} was never timed.`)
      while (deployment.urls.length < 2) await deployment.start()
      const result = await actOnce(deployment, kind, `jump-${index}`, planJump(random, undisturbed))
      faults.push(...result.faults)
      for (const fault of result.faults) process.stdout.write(`${fault}\n`)
    }
    expect(faults).toEqual([])
  },
)
