import { expect, it } from 'vitest'
import { createShortCache } from '../src/short-cache.ts'

const MINUTE_MS = 60_000

function createCountingCache() {
  let at = 10 * MINUTE_MS
  let answers = 0
  const cache = createShortCache<number>({ freshMs: MINUTE_MS, maxEntries: 10, now: () => new Date(at) })
  return {
    get: (maxAgeMs?: number) => cache.get('key', async () => ++answers, maxAgeMs),
    advance: (ms: number) => {
      at += ms
    },
  }
}

it('returns the cached value while it’s fresh, then fetches it again', async () => {
  const { get, advance } = createCountingCache()
  expect(await get()).toBe(1)
  advance(MINUTE_MS - 1)
  expect(await get()).toBe(1)
  advance(1)
  expect(await get()).toBe(2)
})

it('never returns a value older than the requested maximum age', async () => {
  const { get, advance } = createCountingCache()
  expect(await get()).toBe(1)
  expect(await get(0)).toBe(2)
  advance(5)
  expect(await get(5)).toBe(3)
  expect(await get(5)).toBe(3)
})

it.each([undefined, 0])(
  'ignores a value from the future, after the clock was set back (maximum age %s)',
  async (maxAgeMs) => {
    const { get, advance } = createCountingCache()
    expect(await get()).toBe(1)
    advance(-MINUTE_MS)
    expect(await get(maxAgeMs)).toBe(2)
  },
)
