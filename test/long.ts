/** Set by `npm run test:long`, which takes hours. `npm test` runs the same tests with fewer repetitions. */
export const IS_LONG = process.env.TEST_LONG === '1'

/** The number of repetitions, or a size. To repeat a run, set the environment variable `name` to the same number, and SEED. */
export const quickOrLong = (name: string, { quick, long }: { quick: number; long: number }): number =>
  Number(process.env[name] ?? (IS_LONG ? long : quick))
