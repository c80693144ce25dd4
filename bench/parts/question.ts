/** A goal of the project, in ratios of the same run unless its unit says otherwise. */
export interface Goal {
  goal: string
  /** It is met up to this value, or from it on. */
  bound: { atMost: number } | { atLeast: number }
  value: number
  /** What the numbers are in; ratios have none. */
  unit?: 'ms'
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

/** One question of the bench; `progress` is told what is being done. */
export interface Question {
  name: string
  asks: string
  answer(progress: (doing: string) => void): Promise<Findings>
}

export const isMet = ({ bound, value }: Goal): boolean =>
  'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast
