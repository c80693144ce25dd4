/** A mutant that no test can notice, because it doesn't change what the code does. */
export interface EquivalentMutant {
  path: string
  /** Its line of code, without the space around it. */
  code: string
  original: string
  replacement: string
  why: string
}

export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = []
