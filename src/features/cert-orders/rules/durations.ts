/**
 * How many days a public authority may issue a certificate for, by the day of issue: CA/Browser Forum ballot SC-081v3. Newest first.
 */
const LONGEST_PUBLIC: readonly (readonly [from: string, days: number])[] = [
  ['2029-03-15', 47],
  ['2027-03-15', 100],
  ['2026-03-15', 200],
  ['2020-09-01', 398],
]
const BEFORE = 825

export const findLongestPublicDays = (at: Date): number =>
  LONGEST_PUBLIC.find(([from]) => at.toISOString() >= from)?.[1] ?? BEFORE
