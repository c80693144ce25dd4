/** The median of some numbers, or the mean of the middle two. Throws for an empty list, which is always a mistake. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  if (upper === undefined || lower === undefined) throw new Error('An empty list has no median.')
  return (lower + upper) / 2
}

/** The percentile of some numbers, with `share` from 0 to 1. Returns 0 if there are no numbers. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0

/** The median of the ratios in each round. A slow round slows both sides, so it doesn't distort the result. */
export function ratio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length) throw new Error('The series have different numbers of rounds.')
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}
