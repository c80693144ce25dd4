import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, quickOrLong } from '../long.ts'
import { createRandom, type Random, readSeed } from '../random.ts'
import { chooseKinds } from './act-kinds.ts'
import { actTogether } from './act-together.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { addPairs } from './people.ts'

/** The number of jumps. Each is two hours, alternately forwards and backwards. */
const JUMPS = quickOrLong('JUMPS', { quick: 2, long: 200 })
/** The acts that are under way at once. */
const ACTS = 3
/** The longest time from sending acts to the jump, and from the jump to its end. */
const MAX_MOMENT_MS = 250
const MAX_WRONG_MS = 400
const SEED = readSeed()

/** Makes the clock wrong for a while in the process that Slack sends requests to. In a third of the cases, also kills the process. */
async function jump(deployment: Deployment, random: Random): Promise<void> {
  await pause(random.below(MAX_MOMENT_MS))
  deployment.signal('SIGUSR2')
  await pause(random.below(MAX_WRONG_MS))
  if (random.below(3) > 0) return deployment.signal('SIGCONT')
  await deployment.kill('first')
  deployment.connectSlack()
  await deployment.start()
}

it.each(eitherOf(SHARED_DATABASES))(
  'neither loses nor repeats an act when the clock jumps by two hours, on $name',
  async ({ name, start }) => {
    process.stdout.write(`${JUMPS} jumps on ${name}, SEED=${SEED}\n`)
    const random = createRandom(SEED)
    await using database = await start()
    await using deployment = await startDeployment(database, { script: 'test/acts/jumping-child.ts' })
    await Promise.all([deployment.start(), deployment.start()])
    const pairs = await addPairs(deployment, ACTS)
    const faults: string[] = []
    for (let index = 0; index < JUMPS; index += 1) {
      const results = await actTogether(
        pairs,
        chooseKinds(random, ACTS),
        `jump-${index}x`,
        async (sendNext) => {
          for (let sent = 0; sent < ACTS; sent += 1) sendNext()
          await jump(deployment, random)
        },
      )
      faults.push(...results.flatMap((result) => result.faults))
    }
    expect(faults).toEqual([])
  },
)
