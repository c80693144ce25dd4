/** Set by `npm run test:long`, which takes hours. `npm test` runs the same with fewer repetitions. */
export const IS_LONG = process.env.TEST_LONG === '1'

/** The number of repetitions, or a size. `NAME=…` overrides it, to repeat a run with a seed. */
export const runs = (name: string, { quick, long }: { quick: number; long: number }): number =>
  Number(process.env[name] ?? (IS_LONG ? long : quick))
