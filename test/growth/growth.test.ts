import { afterAll, describe, expect, it } from 'vitest'
import { IS_LONG } from '../long.ts'
import { readSeed } from '../random.ts'
import { findSlowest, MAX_EXPONENT, measureGrowth } from './grow.ts'
import { WORKS } from './table.ts'

const seed = readSeed()
/** A quick run tries a fifth of the hostile texts, chosen by the seed. */
const EVERY_NTH = IS_LONG ? 1 : 5
const SHAPES = IS_LONG ? 6 : 2

const works = (await Promise.all(WORKS.map((create) => create(seed, EVERY_NTH)))).flat()
afterAll(async () => {
  for (const { close } of works) await close?.()
})

describe(`work that others can make, seed ${seed}`, () => {
  it.each(works)('grows in proportion: $name', async (work) => {
    const tooFast: string[] = []
    for (const shape of await findSlowest(work, SHAPES)) {
      const { exponent = 0, cpuMs, sizes } = await measureGrowth(work, shape)
      if (exponent > MAX_EXPONENT)
        tooFast.push(
          `${shape.name}: n^${exponent.toFixed(2)}, ${cpuMs.at(-1)?.toFixed()} ms for ${sizes.at(-1)} ${work.unit}`,
        )
    }
    expect(tooFast).toEqual([])
  })
})
