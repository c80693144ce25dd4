import { describe, expect, it } from 'vitest'
import { SHARED_DATABASES } from '../databases/databases.ts'
import { eitherOf, IS_LONG } from '../long.ts'
import { createRandom, readSeed } from '../random.ts'
import { AuditedDatabase, ORDINARY_ACTIONS, performAction } from './audited.ts'

const NAMES = Object.keys(ORDINARY_ACTIONS)
const PAIRS = NAMES.flatMap((first) => NAMES.map((second) => [first, second] as const))
const DAY_MS = 86_400_000

async function expectIntact(world: AuditedDatabase): Promise<void> {
  for (const mode of ['alone', 'anchored', 'copy'] as const)
    expect((await world.verify(mode)).at(-1), mode).toBe('The audit log is intact.')
}

describe.each(eitherOf(SHARED_DATABASES))('audit verify on $name', ({ name, start }) => {
  const random = createRandom(readSeed())
  const sampleSize = Number(process.env.PAIRS ?? (name === 'PostgreSQL' ? 4 : 10))
  // A quick run tests a random sample of the pairs. To test all of them, set PAIRS=225.
  const pairs = IS_LONG ? PAIRS : PAIRS.toSorted(() => random.next() - 0.5).slice(0, sampleSize)
  it.each(pairs)('finds an intact log after two regular actions: %s, then %s', async (first, second) => {
    await using world = await new AuditedDatabase(await start()).fill()
    const isAnchored = random.next() < 0.7
    await performAction(world, first, isAnchored)
    await expectIntact(world)
    await performAction(world, second)
    await expectIntact(world)
    // A year later, retention has deleted nearly everything.
    world.now += 300 * DAY_MS
    await world.retention()
    await world.append('T2')
    await world.anchor()
    await expectIntact(world)
    await world.rotate()
    await expectIntact(world)
  })
})
