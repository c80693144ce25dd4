/** A performance goal. Most are ratios to a reference program that was measured in the same run. */
export interface Goal {
  goal: string
  /** The maximum or minimum that `reached` must not exceed or fall below. */
  bound: { atMost: number } | { atLeast: number }
  reached: number
  /** The unit of both numbers. Ratios have none. */
  unit?: 'ms' | 'MB'
  /** Why it is missed, if it was in the last whole run. */
  reason?: string
}

export interface Table {
  title: string
  columns: readonly string[]
  /** A name, then one number per column; undefined for an empty cell. */
  rows: readonly (readonly [name: string, ...values: (number | undefined)[]])[]
}

export interface Findings {
  tables: readonly Table[]
  goals: readonly Goal[]
}

/** How to run a benchmark. */
export interface RunOptions {
  /** Reports progress. */
  progress(message: string): void
  /** Returns the full size, or with `--quick` the tiny one, which only shows that the benchmark works. */
  size(full: number, tiny: number): number
}

/** A benchmark. To add one, add a file in `measures/` and a line in `benchmarks.ts`. */
export interface Benchmark {
  name: string
  question: string
  answer(run: RunOptions): Promise<Findings>
}

export const isMet = ({ bound, reached }: Goal): boolean =>
  'atMost' in bound ? reached <= bound.atMost : reached >= bound.atLeast
