import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findSurplus } from '../../../packages/durable/src/engine/take-over.ts'

const SEED = 4711

const createLeases = (owner: string, count: number, wantsStop = false) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${owner} ${index} ${wantsStop}`,
    workspaceId: '',
    kind: 'k',
    owner,
    seenAt: '1',
    wantsStop,
  }))

const countByOwner = (wanted: readonly { owner: string }[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(wanted, ({ owner }) => owner)].map(([owner, all]) => [owner, all.length]),
  )

it.each([
  { othersOwn: { A: 256 }, own: 0, requested: { A: 128 } },
  { othersOwn: { A: 128, B: 128 }, own: 0, requested: { A: 43, B: 42 } },
  { othersOwn: { A: 3, B: 1 }, own: 1, requested: { A: 1 } },
  { othersOwn: { A: 2, B: 2 }, own: 1, requested: {} },
  { othersOwn: { A: 1 }, own: 0, requested: {} },
  { othersOwn: {}, own: 0, requested: {} },
])(
  'requests $requested from processes that own $othersOwn pieces of work if this process owns $own',
  ({ othersOwn, own, requested }) => {
    const others = Object.entries<number>(othersOwn).flatMap(([owner, count]) => createLeases(owner, count))
    expect(countByOwner(findSurplus(others, own))).toEqual(requested)
  },
)

it('counts work already requested from other processes before it requests more', () => {
  const others = [...createLeases('A', 128, true), ...createLeases('A', 128)]
  expect(findSurplus(others, 0)).toEqual([])
  expect(findSurplus([...createLeases('A', 10, true), ...createLeases('A', 100)], 0)).toHaveLength(40)
})

it('reaches equal shares in any order of requests', () => {
  const processes = fc.array(fc.nat({ max: 60 }), { minLength: 2, maxLength: 6 })
  const processOrder = fc.infiniteStream(fc.nat({ max: 5 }))
  const reachesEqualShares = fc.property(processes, processOrder, (initialCounts, order) => {
    const counts = [...initialCounts]
    let moved = 0
    for (const turn of order.take(40 * counts.length)) {
      const me = turn % counts.length
      const others = counts.flatMap((count, index) => (index === me ? [] : createLeases(`${index}`, count)))
      const wanted = findSurplus(others, counts[me] ?? 0)
      moved += wanted.length
      for (const { owner } of wanted) counts[Number(owner)] = (counts[Number(owner)] ?? 0) - 1
      counts[me] = (counts[me] ?? 0) + wanted.length
    }
    for (let me = 0; me < counts.length; me += 1) {
      const others = counts.flatMap((count, index) => (index === me ? [] : createLeases(`${index}`, count)))
      expect(findSurplus(others, counts[me] ?? 0)).toEqual([])
    }
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(2)
    // Nothing moves back and forth.
    expect(moved).toBeLessThanOrEqual(initialCounts.reduce((sum, count) => sum + count, 0))
  })
  fc.assert(reachesEqualShares, { seed: SEED, numRuns: 100 })
})
