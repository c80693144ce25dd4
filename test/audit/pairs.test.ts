import { describe, expect, it } from 'vitest'
import { EMPTY_DATABASES } from '../databases/databases.ts'
import { IS_LONG } from '../long.ts'
import { seeded, seedOf } from '../random.ts'
import { Audited, act, HONEST } from './audited.ts'

const NAMES = Object.keys(HONEST)
const PAIRS = NAMES.flatMap((first) => NAMES.map((then) => [first, then] as const))
const DAY_MS = 86_400_000

async function expectWhole(world: Audited): Promise<void> {
  for (const how of ['alone', 'anchored', 'copy'] as const)
    expect((await world.verify(how)).at(-1), how).toBe('The audit log is intact.')
}

describe.each(EMPTY_DATABASES)('audit verify on $name', ({ name, start }) => {
  const random = seeded(seedOf())
  const some = Number(process.env.PAIRS ?? (name === 'PostgreSQL' ? 4 : 10))
  // All pairs in the long tests or with `PAIRS=121`; otherwise this many.
  const pairs = IS_LONG ? PAIRS : PAIRS.toSorted(() => random.next() - 0.5).slice(0, some)
  it.each(pairs)('finds an intact log after two regular acts: %s, then %s', async (first, then) => {
    await using world = await new Audited(await start()).begin()
    const isAnchored = random.next() < 0.7
    await act(world, first, isAnchored)
    await expectWhole(world)
    await act(world, then)
    await expectWhole(world)
    // A year later, retention has deleted nearly everything.
    world.now += 300 * DAY_MS
    await world.retention()
    await world.append('T2')
    await world.anchor()
    await expectWhole(world)
    await world.rotate()
    await expectWhole(world)
  })
})
