/**
 * Random numbers that a seed repeats: mulberry32 (public domain,
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c).
 */
export function seeded(seed: number) {
  let state = seed >>> 0
  /** From 0 up to, not including, 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number from 0 up to, not including, `limit`. */
    below: (limit: number): number => Math.floor(next() * limit),
    oneOf<T>(choices: readonly T[]): T {
      const chosen = choices[Math.floor(next() * choices.length)]
      if (chosen === undefined) throw new Error('There is nothing to choose from.')
      return chosen
    },
  }
}

export type Random = ReturnType<typeof seeded>

/** The seed of this test run. `vitest.config.ts` draws and prints one unless `SEED` is set. */
export function seedOf(given = process.env.SEED): number {
  if (given === undefined || given === '' || !Number.isSafeInteger(Number(given)))
    throw new Error(`SEED is "${given}". It has to be a whole number, as vitest.config.ts sets it.`)
  return Number(given)
}
