import type { Point, Series } from '../block-kit.ts'

export interface Slice {
  label: string
  /** The share of the total, 0 to 1. */
  share: number
  /** The position on the circle where the slice starts and ends, 0 to 1, clockwise from the top. */
  from: number
  to: number
}

export function toSlices(segments: readonly Point[]): Slice[] {
  const total = segments.reduce((sum, { value }) => sum + value, 0)
  let from = 0
  return segments.map(({ label, value }) => {
    const slice = { label, share: value / total, from, to: from + value / total }
    from = slice.to
    return slice
  })
}

/** The SVG path of a slice of the unit circle. A full circle is drawn as two halves. */
export function slicePath({ from, to }: Slice): string {
  if (to - from >= 0.999) return 'M0 -1A1 1 0 1 1 0 1A1 1 0 1 1 0 -1Z'
  const pointAt = (share: number) => {
    const angle = share * 2 * Math.PI
    return `${Math.sin(angle).toFixed(4)} ${(-Math.cos(angle)).toFixed(4)}`
  }
  return `M0 0L${pointAt(from)}A1 1 0 ${to - from > 0.5 ? 1 : 0} 1 ${pointAt(to)}Z`
}

/** The range of the value axis. It always includes zero and is never empty. */
export function valueRange(series: readonly Series[]): { low: number; high: number } {
  const values = series.flatMap(({ data }) => data.map(({ value }) => value))
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  return low === high ? { low, high: low + 1 } : { low, high }
}
