import { writeFileSync } from 'node:fs'
import { findSlowest, type Growth, MAX_EXPONENT, measureGrowth } from './grow.ts'
import { WORKS } from './table.ts'

/** Measures the whole table, or the works with one of these texts in their names, and prints what grows. */
const wanted = process.argv.slice(2)
const found: Growth[] = []
for (const create of WORKS)
  for (const work of await create(1, Number(process.env.GROWTH_NTH ?? 1))) {
    if (wanted.length === 0 || wanted.some((text) => work.name.includes(text)))
      for (const shape of await findSlowest(work, Number(process.env.GROWTH_SHAPES ?? 4))) {
        const growth = await measureGrowth(work, shape)
        found.push(growth)
        process.stdout.write(`${format(growth)}\n`)
      }
    await work.close?.()
  }
if (process.env.GROWTH_FILE) writeFileSync(process.env.GROWTH_FILE, JSON.stringify(found, undefined, 1))

function format({ work, shape, sizes, cpuMs, turnMs, exponent }: Growth): string {
  const numbers = (all: readonly number[]): string => all.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' ')
  const mark = exponent !== undefined && exponent > MAX_EXPONENT ? '✗' : ' '
  const turn = turnMs.at(-1) ?? 0
  return `${mark}${turn > 30 ? '!' : ' '} ${exponent?.toFixed(2) ?? '   -'}  ${work} | ${shape} | to ${sizes.at(-1)}: ${numbers(cpuMs.slice(-4))} ms; turn ${numbers([turn])}`
}
