/** `npm run test:long` sets it: the whole of what takes hours. `npm test` holds the same with fewer repetitions. */
export const IS_LONG = process.env.TEST_LONG === '1'

/** How often, or of how much. `NAME=…` beside the command is another figure, as for the run that a seed repeats. */
export const runs = (name: string, { quick, long }: { quick: number; long: number }): number =>
  Number(process.env[name] ?? (IS_LONG ? long : quick))
