import { expect, it } from 'vitest'
import { IS_LONG, quickOrLong } from '../../../long.ts'
import { readSeed } from '../../../random.ts'
import { CALM_SEEDS, newStats, runHistory } from './histories.ts'
import { RuleBroken } from './oracle.ts'

const SEED = readSeed()
const HISTORIES = quickOrLong('INCIDENT_HISTORIES', { quick: 2, long: 2500 })
/** Seeds of which an earlier version lost, doubled, or delayed a message. A quick run chooses one of them by its seed. */
const FOUND_BEFORE = [50_724, 30_425, 30_898, 50_339, 2_000_378, 680_026, 803_319, 448_685, 635_732].filter(
  (_, nth, all) => IS_LONG || nth === SEED % all.length,
)

async function listBroken(seeds: readonly number[]): Promise<string[]> {
  const stats = newStats()
  const broken: string[] = []
  for (const seed of seeds)
    await runHistory(seed, stats).catch((error: unknown) => {
      if (!(error instanceof RuleBroken)) throw error
      broken.push(error.message)
    })
  process.stdout.write(`${JSON.stringify(stats)}\n`)
  return broken
}

it(`follows the rules in ${HISTORIES} random histories (SEED=${SEED})`, { timeout: 3_600_000 }, async () => {
  // A fifth of them are calm.
  const seeds = Array.from(
    { length: HISTORIES },
    (_, index) => (SEED % 900_000) + index + ((SEED + index) % 5 === 0 ? CALM_SEEDS : 0),
  )
  expect(await listBroken(seeds)).toEqual([])
})

it('follows the rules in the histories that broke them before', async () => {
  expect(await listBroken(FOUND_BEFORE)).toEqual([])
})
