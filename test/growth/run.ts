import { writeFileSync } from 'node:fs'
import { findSlowest, type Growth, isOnePiece, isTooFast, judgeGrowth, WHOLE } from './grow.ts'
import { WORKS } from './table.ts'

/** Measures the whole table, or the works with one of these texts in their names, and prints what grows. */
const wanted = process.argv.slice(2)
const found: Growth[] = []
for (const create of WORKS)
  for (const work of await create(Number(process.env.SEED ?? 1), Number(process.env.GROWTH_NTH ?? 1))) {
    if (wanted.length === 0 || wanted.some((text) => work.name.includes(text)))
      for (const shape of await findSlowest(work, Number(process.env.GROWTH_SHAPES ?? 4))) {
        const growth = await judgeGrowth(work, shape, { ...WHOLE, turns: true })
        found.push(growth)
        process.stdout.write(`${format(growth)}\n`)
      }
    await work.close?.()
  }
if (process.env.GROWTH_FILE) writeFileSync(process.env.GROWTH_FILE, JSON.stringify(found, undefined, 1))

function format(growth: Growth): string {
  const { work, shape, sizes, cpuMs, turnMs, exponent } = growth
  const numbers = (all: readonly number[]): string => all.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' ')
  const mark = isTooFast(growth) ? '✗' : ' '
  const turn = turnMs.at(-1) ?? 0
  return `${mark}${isOnePiece(growth) ? '!' : ' '} ${exponent?.toFixed(2) ?? '   -'}  ${work} | ${shape} | to ${sizes.at(-1)}: ${numbers(cpuMs.slice(-4))} ms; turn ${numbers([turn])}`
}
