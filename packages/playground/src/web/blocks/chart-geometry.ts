import type { Series } from '../block-kit.ts'

/** The range of the value axis. It always includes zero and is never empty. */
export function valueRange(series: readonly Series[]): { low: number; high: number } {
  const values = series.flatMap(({ data }) => data.map(({ value }) => value))
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  return low === high ? { low, high: low + 1 } : { low, high }
}
