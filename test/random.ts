/**
 * A random number generator with the seed of the test run, or another one: mulberry32 (public domain,
 * https://gist.github.com/tommyettinger/46a874533244883189143505d203312c).
 */
export function createRandom(seed = readSeed()) {
  let state = seed >>> 0
  /** A number from 0 (inclusive) to 1 (exclusive). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (limit: number): number => Math.floor(next() * limit),
    oneOf<T>(choices: readonly T[]): T {
      const chosen = choices[Math.floor(next() * choices.length)]
      if (chosen === undefined) throw new Error('The list of choices is empty.')
      return chosen
    },
  }
}

export type Random = ReturnType<typeof createRandom>

/** The seed of this test run. `vitest.config.ts` sets and prints it. */
export function readSeed(): number {
  const value = process.env.SEED
  if (value === undefined || value === '' || !Number.isSafeInteger(Number(value)))
    throw new Error(`SEED is "${value}". It must be an integer. vitest.config.ts sets it.`)
  return Number(value)
}
