import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findSurplus } from '../../../packages/durable/src/engine/take-over.ts'

const SEED = 4711

const createLeases = (owner: string, count: number, wantsStop = false) =>
  Array.from({ length: count }, (_, nth) => ({
    id: `${owner} ${nth} ${wantsStop}`,
    ...{ workspaceId: '', kind: 'k', owner, seenAt: '1', wantsStop },
  }))

const countByOwner = (wanted: readonly { owner: string }[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(wanted, ({ owner }) => owner)].map(([owner, all]) => [owner, all.length]),
  )

it.each([
  { has: { A: 256 }, own: 0, asked: { A: 128 } },
  { has: { A: 128, B: 128 }, own: 0, asked: { A: 43, B: 42 } },
  { has: { A: 3, B: 1 }, own: 1, asked: { A: 1 } },
  { has: { A: 2, B: 2 }, own: 1, asked: {} },
  { has: { A: 1 }, own: 0, asked: {} },
  { has: {}, own: 0, asked: {} },
])('asks processes that hold $has for $asked pieces of work while it holds $own', ({ has, own, asked }) => {
  const others = Object.entries<number>(has).flatMap(([owner, count]) => createLeases(owner, count))
  expect(countByOwner(findSurplus(others, own))).toEqual(asked)
})

it('doesn’t ask again for work that other processes were already asked for', () => {
  const others = [...createLeases('A', 128, true), ...createLeases('A', 128)]
  expect(findSurplus(others, 0)).toEqual([])
  expect(findSurplus([...createLeases('A', 10, true), ...createLeases('A', 100)], 0)).toHaveLength(40)
})

it('ends with equal shares, whichever process asks first', () => {
  const processes = fc.array(fc.nat({ max: 60 }), { minLength: 2, maxLength: 6 })
  const turns = fc.infiniteStream(fc.nat({ max: 5 }))
  const even = fc.property(processes, turns, (counts, order) => {
    const has = [...counts]
    let moved = 0
    for (const turn of order.take(40 * has.length)) {
      const me = turn % has.length
      const others = has.flatMap((count, nth) => (nth === me ? [] : createLeases(`${nth}`, count)))
      const wanted = findSurplus(others, has[me] ?? 0)
      moved += wanted.length
      for (const { owner } of wanted) has[Number(owner)] = (has[Number(owner)] ?? 0) - 1
      has[me] = (has[me] ?? 0) + wanted.length
    }
    for (let me = 0; me < has.length; me += 1) {
      const others = has.flatMap((count, nth) => (nth === me ? [] : createLeases(`${nth}`, count)))
      expect(findSurplus(others, has[me] ?? 0)).toEqual([])
    }
    expect(Math.max(...has) - Math.min(...has)).toBeLessThan(2)
    // Nothing moves back and forth.
    expect(moved).toBeLessThanOrEqual(counts.reduce((sum, count) => sum + count, 0))
  })
  fc.assert(even, { seed: SEED, numRuns: 100 })
})
