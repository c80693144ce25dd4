/** Set by `npm run test:long`, which takes hours. `npm test` runs the same tests with fewer repetitions. */
export const IS_LONG = process.env.TEST_LONG === '1'

/**
 * Chooses how many times a test repeats, or how large its input is. The environment variable called `name` overrides the number. To
 * reproduce a run, set that variable to the number and SEED to the seed that the run printed.
 */
export const quickOrLong = (name: string, { quick, long }: { quick: number; long: number }): number =>
  Number(process.env[name] ?? (IS_LONG ? long : quick))
