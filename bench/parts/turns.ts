import type { Goal, RunOptions } from './benchmark.ts'
import { median, ratio } from './numbers.ts'

/**
 * Measures each program once per round, so A, B, A, B, … The first round isn't counted. Returns how to compare our program with another
 * one: by the median of the ratios within each round.
 */
export async function takeTurns<Name extends string, Value extends string>(
  { size, progress }: RunOptions,
  rounds: number,
  programs: Readonly<Record<Name | 'ours', (round: number) => Promise<Readonly<Record<Value, number>>>>>,
) {
  // Built from the keys of `programs`.
  const names = Object.keys(programs) as (Name | 'ours')[]
  const measured: { name: string; values: Readonly<Record<Value, number>> }[] = []
  for (let round = size(-1, 0); round < size(rounds, 1); round += 1) {
    progress(round < 0 ? 'warming up' : `round ${round + 1}: ${names.join(', ')} in turn`)
    for (const name of names) {
      const values = await programs[name](round)
      if (round >= 0) measured.push({ name, values })
    }
  }
  const list = (name: Name | 'ours', value: Value): number[] =>
    measured.filter((one) => one.name === name).map(({ values }) => values[value])
  return {
    median: (value: Value): number => median(list('ours', value)),
    divide(value: Value, name: Name, unit: string): Pick<Goal, 'reached' | 'sides'> {
      const [ours, theirs] = [list('ours', value), list(name, value)]
      return { reached: ratio(ours, theirs), sides: { ours: median(ours), theirs: median(theirs), unit } }
    },
  }
}
