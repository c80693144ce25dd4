import { expect, it } from 'vitest'
import type { CardWithIncidents, ListedIncident } from '../../../../src/features/watching/rules/card.ts'
import { cardModel } from '../../../../src/features/watching/rules/describe-card.ts'
import { type Slices, sortedInSlices } from '../../../../src/features/watching/rules/slices.ts'
import { cardView } from '../../../../src/features/watching/views/cards.ts'
import { createRandom, readSeed } from '../../../random.ts'
import { createCard, createListedIncident } from '../models.ts'

const SEED = readSeed()

/** Runs all slices. Returns the result, how many there were, and the largest growth of the counter in a single one. */
function runAllSlices<T>(
  slices: Slices<T>,
  readCounter: () => number = () => 0,
): { result: T; count: number; maxPerSlice: number } {
  let maxPerSlice = 0
  let count = 0
  for (let before = readCounter(); ; before = readCounter()) {
    const slice = slices.next()
    count += 1
    maxPerSlice = Math.max(maxPerSlice, readCounter() - before)
    if (slice.done) return { result: slice.value, count, maxPerSlice }
  }
}

/** A card with this many incidents, half of them up. `reads` returns how often their checks have been read. */
function createStorm(count: number): { listing: CardWithIncidents; reads: () => number } {
  let reads = 0
  const incidents = Array.from({ length: count }, (_, index): ListedIncident => {
    const check = { uuid: `u${index}`, name: `web-${index}`, target: `https://h${index >> 2}.example/` }
    const { check: _check, ...incident } = createListedIncident(
      `o${index}`,
      index % 2 === 0 ? { upAt: new Date(count + index) } : {},
    )
    return {
      ...incident,
      get check() {
        reads += 1
        return check
      },
    }
  })
  return { listing: { card: createCard(), version: 1, incidents, movedTo: [] }, reads: () => reads }
}

it('builds a card of 5,000 checks in slices that each visit at most 300 checks', () => {
  const { listing, reads } = createStorm(5000)
  const now = { at: new Date(0), clockMs: 0 }
  const { result, maxPerSlice } = runAllSlices(cardModel(listing, { now }), reads)
  expect(result).toMatchObject({ kind: 'card', total: 5000, downCount: 2500, groupedBy: 'host' })
  expect(result).toHaveProperty('rows.length', 90)
  expect(maxPerSlice).toBeLessThanOrEqual(300)
})

it('knows how all checks of a card ended, also those that it doesn’t list', () => {
  const upAt = new Date(5)
  const recovered = Array.from({ length: 120 }, (_, index) =>
    createListedIncident(`o${index}`, { upAt, ending: 'recovered' }),
  )
  const deleted = createListedIncident('last', { upAt, ending: 'deleted' })
  const card = { card: createCard(), version: 1, incidents: [...recovered, deleted], movedTo: [] }
  const { result } = runAllSlices(cardModel(card, { now: { at: new Date(0), clockMs: 0 } }))
  expect(result.rows.map(({ id }) => id)).not.toContain('last')
  expect(JSON.stringify(cardView(result))).toContain('121 health checks aren’t down anymore')
})

it('dates a card by the last change of what it lists', () => {
  const { listing } = createStorm(10)
  const now = { at: new Date(0), clockMs: 0 }
  const dateOf = (incidents: readonly ListedIncident[]) =>
    runAllSlices(cardModel({ ...listing, incidents }, { now })).result.at.getTime()
  const opened = listing.card.openedAt.getTime()
  expect(dateOf([])).toBe(opened)
  const [first] = listing.incidents
  if (!first) throw new Error('The card lists no incident.')
  const later = new Date(opened + 90_000)
  const fell = { ...first, fell: { ...first.fell, at: later } }
  const up = { ...first, up: { at: later, clockMs: 0, quietSinceMs: 0, isInstalling: false } }
  const over = { ...first, closed: { at: later, ending: 'recovered' as const } }
  for (const changed of [fell, up, over]) expect(dateOf([first, changed, first])).toBe(later.getTime())
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
    const sorted = runAllSlices(sortedInSlices(items, compare), () => compared)
    expect(sorted.result).toEqual(items.toSorted((left, right) => left.key - right.key))
    expect(sorted.maxPerSlice).toBeLessThanOrEqual(1000)
    // A slice for nearly every item would cost more than the sorting.
    expect(sorted.count).toBeLessThanOrEqual(3 + count / 5)
  },
)
