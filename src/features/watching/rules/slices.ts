/** A long computation in short slices. It yields after each slice, and the caller decides when to continue. */
export type Slices<T> = Generator<void, T, void>

const SLICE_ITEMS = 100
/** Comparisons per slice. */
const SLICE_COMPARISONS = 1000

/** Visits every item in order. `comparisons` is how many comparisons a visit may take: the more, the fewer items per slice. */
export function* eachInSlices<T>(
  items: readonly T[],
  visit: (item: T) => void,
  comparisons = 1,
): Slices<void> {
  const size = Math.max(1, Math.min(SLICE_ITEMS, Math.floor(SLICE_COMPARISONS / Math.max(1, comparisons))))
  for (let start = 0; start < items.length; start += size) {
    for (const item of items.slice(start, start + size)) visit(item)
    yield
  }
}

type Compare<T> = (left: T, right: T) => number

/** Returns a sorted copy. Equal items keep their order. */
export function* sortedInSlices<T extends object>(items: readonly T[], compare: Compare<T>): Slices<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += SLICE_ITEMS) {
    runs.push(items.slice(start, start + SLICE_ITEMS).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* mergeRuns(runs[index] ?? [], runs[index + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* mergeRuns<T extends object>(
  left: readonly T[],
  right: readonly T[],
  compare: Compare<T>,
): Slices<T[]> {
  const merged: T[] = []
  let nextLeft = 0
  for (const rightItem of right) {
    for (
      let leftItem = left[nextLeft];
      leftItem !== undefined && compare(leftItem, rightItem) <= 0;
      leftItem = left[nextLeft]
    ) {
      merged.push(leftItem)
      nextLeft += 1
      if (merged.length % SLICE_ITEMS === 0) yield
    }
    merged.push(rightItem)
    if (merged.length % SLICE_ITEMS === 0) yield
  }
  // Copying the rest is cheap, however long it is.
  return merged.concat(left.slice(nextLeft))
}
