/** A performance goal. Most are ratios to a reference program that was measured in the same run. */
export interface Goal {
  goal: string
  atMost: number
  reached: number
  /** The unit of both numbers. Ratios and counts have none. */
  unit?: string
  /** What a ratio divides. */
  sides?: { ours: number; theirs: number; unit: string }
  /** Why it is missed, if it was in the last whole run. */
  reason?: string
}

/** How to run a benchmark. */
export interface RunOptions {
  /** Reports progress. */
  progress(message: string): void
  /** Returns the full size, or with `--quick` the tiny one, which only shows that the benchmark works. */
  size(full: number, tiny: number): number
}

/** To add one, add a file in `measures/` and a line in `run.ts`. */
export type Benchmark = (run: RunOptions) => Promise<readonly Goal[]>
