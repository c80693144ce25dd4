import { afterAll, describe, expect, it } from 'vitest'
import { IS_LONG } from '../long.ts'
import { createRandom, readSeed } from '../random.ts'
import {
  findSlowest,
  isOnePiece,
  isTooFast,
  judgeGrowth,
  QUICK,
  type Shape,
  WHOLE,
  type Work,
} from './grow.ts'
import { WORKS } from './table.ts'

const seed = readSeed()
const works = (await Promise.all(WORKS.map((create) => create(seed, 1)))).flat()
afterAll(async () => {
  for (const { close } of works) await close?.()
})

const random = createRandom(seed)
const sample = <T>(choices: readonly T[], count: number): T[] =>
  choices
    .map((choice) => ({ choice, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ choice }) => choice)

/** A quick run measures a few shapes of some works. The seed alone chooses them, so that it repeats a failure. */
const chosen: readonly { work: Work; shapes?: readonly Shape[] }[] = IS_LONG
  ? works.map((work) => ({ work }))
  : sample(works, 20).map((work) => ({ work, shapes: sample(work.shapes, 3) }))

describe(`work that others can make, seed ${seed}`, () => {
  it.each(chosen)('grows in proportion: $work.name', async ({ work, shapes }) => {
    const tooFast: string[] = []
    for (const shape of shapes ?? (await findSlowest(work, 6))) {
      const growth = await judgeGrowth(work, shape, IS_LONG ? { ...WHOLE, turns: true } : QUICK)
      const { exponent, cpuMs, sizes, turnMs } = growth
      if (isTooFast(growth))
        tooFast.push(
          `${shape.name}: n^${exponent?.toFixed(2)}, ${cpuMs.at(-1)?.toFixed()} ms for ${sizes.at(-1)} ${work.unit}`,
        )
      if (IS_LONG && isOnePiece(growth))
        tooFast.push(`${shape.name}: one turn of ${turnMs.at(-1)?.toFixed()} ms`)
    }
    expect(tooFast).toEqual([])
  })
})
