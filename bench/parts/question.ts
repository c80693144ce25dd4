/** A goal of the project, in ratios of the same run unless its unit says otherwise. */
export interface Goal {
  goal: string
  /** It is met up to this value, or from it on. */
  bound: { atMost: number } | { atLeast: number }
  reached: number
  /** What the numbers are in; ratios have none. */
  unit?: 'ms' | 'MB'
}

export interface Table {
  title: string
  columns: readonly string[]
  /** A name, then a number or nothing per column. */
  rows: readonly (readonly [name: string, ...values: (number | undefined)[]])[]
}

export interface Findings {
  tables: readonly Table[]
  goals: readonly Goal[]
}

/** How a question is to be answered. */
export interface Run {
  /** Tells what is being done. */
  progress(doing: string): void
  /** The size that counts, or the tiny one of a run that only shows that everything works. */
  size(full: number, tiny: number): number
}

/** One row of what is promised. A new one is a file in `measures/` and a line in `questions.ts`. */
export interface Question {
  name: string
  asks: string
  answer(run: Run): Promise<Findings>
}

export const isMet = ({ bound, reached }: Goal): boolean =>
  'atMost' in bound ? reached <= bound.atMost : reached >= bound.atLeast
