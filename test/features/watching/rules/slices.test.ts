import { describe, expect, it } from 'vitest'
import type { CardWithOutages, ListedOutage } from '../../../../src/features/watching/rules/card.ts'
import { cardModel, detailsModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { type Slices, sortedInSlices } from '../../../../src/features/watching/rules/slices.ts'
import { createRandom, readSeed } from '../../../random.ts'

const SEED = readSeed()

/** Runs all slices. Returns the result and the largest growth of the counter in a single slice. */
function runAllSlices<T>(
  slices: Slices<T>,
  readCounter: () => number = () => 0,
): { result: T; maxPerSlice: number } {
  let maxPerSlice = 0
  for (let before = readCounter(); ; before = readCounter()) {
    const slice = slices.next()
    maxPerSlice = Math.max(maxPerSlice, readCounter() - before)
    if (slice.done) return { result: slice.value, maxPerSlice }
  }
}

/** A card with this many outages. `reads` returns how often their checks have been read. */
function createStorm(count: number): { listing: CardWithOutages; reads: () => number } {
  let reads = 0
  const outages = Array.from({ length: count }, (_, index): ListedOutage => {
    const check = { uuid: `u${index}`, name: `web-${index}`, target: `https://h${index >> 1}.example/` }
    return {
      id: `o${index}`,
      get check() {
        reads += 1
        return check
      },
      status: 'UNHEALTHY',
      startedAt: new Date(index),
      ...(index % 2 === 0 && { endedAt: new Date(count + index) }),
      isBaseline: false,
      badPolls: 1,
      listed: 'here',
      isSilenced: false,
    }
  })
  const at = new Date(count)
  const card = { id: 'c', environment: 'production', channelId: 'C1', kind: 'outage' } as const
  return {
    listing: { card: { ...card, openedAt: at, changedAt: at }, version: 1, outages },
    reads: () => reads,
  }
}

describe('a card of 5,000 checks', () => {
  it('is built in slices that each visit at most 300 checks', () => {
    const { listing, reads } = createStorm(5000)
    const { result, maxPerSlice } = runAllSlices(cardModel(listing), reads)
    expect(result).toMatchObject({
      kind: 'multi-check',
      checkCount: 5000,
      downCount: 2500,
      groupedBy: 'host',
    })
    expect(result).toHaveProperty('rows.length', 90)
    expect(maxPerSlice).toBeLessThanOrEqual(300)
  })

  it('shows the latest events in its thread, which is built in slices too', () => {
    const { listing, reads } = createStorm(5000)
    const { result, maxPerSlice } = runAllSlices(detailsModel(listing), reads)
    expect(result).toMatchObject({ title: '5000 health checks', omittedCount: 7500 - 40 })
    expect(result?.events.at(-1)).toMatchObject({ kind: 'up', at: new Date(5000 + 4998) })
    expect(result?.events.at(0)).toMatchObject({ kind: 'up', at: new Date(5000 + 4998 - 39 * 2) })
    expect(maxPerSlice).toBeLessThanOrEqual(300)
  })
})

it.each([0, 1, 99, 100, 101, 250, 1000, 4321])(
  `sorts %s items in slices, with the same result as toSorted (SEED=${SEED})`,
  (count) => {
    const random = createRandom(SEED + count).next
    const items = Array.from({ length: count }, (_, index) => ({ key: Math.floor(random() * 50), index }))
    let compared = 0
    const compare = (left: { key: number }, right: { key: number }): number => {
      compared += 1
      return left.key - right.key
    }
    const { result, maxPerSlice } = runAllSlices(sortedInSlices(items, compare), () => compared)
    expect(result).toEqual(items.toSorted((left, right) => left.key - right.key))
    expect(maxPerSlice).toBeLessThanOrEqual(1000)
  },
)
