import { readSeed } from './random.ts'

/** Set by `npm run test:long`, which takes hours. `npm test` runs the same tests with fewer repetitions. */
export const IS_LONG = process.env.TEST_LONG === '1'

/**
 * Chooses how many times a test repeats, or how large its input is. The environment variable called `name` overrides the number. To
 * reproduce a run, set that variable to the number and SEED to the seed that the run printed.
 */
export const quickOrLong = (name: string, { quick, long }: { quick: number; long: number }): number =>
  Number(process.env[name] ?? (IS_LONG ? long : quick))

/**
 * Chooses one of these by the seed of the run, and all of them in a long run. For flows that need not run on both kinds of database or
 * at both widths of a window, because other tests run what differs on each.
 */
export const eitherOf = <T>(choices: readonly T[]): readonly T[] => everyNthOf(choices.length, choices)

/** Chooses every nth one of these by the seed of the run, and all of them in a long run. For cases that take long and are alike. */
export const everyNthOf = <T>(nth: number, choices: readonly T[]): readonly T[] =>
  IS_LONG ? choices : choices.filter((_, index) => index % nth === readSeed() % nth)
