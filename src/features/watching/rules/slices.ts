/** Long work over many items in short slices: it yields after each, and the caller decides when it goes on. */
export type Slices<T> = Generator<void, T, void>

const SLICE_ITEMS = 100
/** Of what is looked at again for each item. */
const SLICE_LOOKS = 1000

/** Takes every item, in order; `looks`: with how many others each may be compared. */
export function* eachInSlices<T>(items: readonly T[], take: (item: T) => void, looks = 1): Slices<void> {
  const size = Math.max(1, Math.min(SLICE_ITEMS, Math.floor(SLICE_LOOKS / Math.max(1, looks))))
  for (let start = 0; start < items.length; start += size) {
    for (const item of items.slice(start, start + size)) take(item)
    yield
  }
}

type Compare<T> = (left: T, right: T) => number

/** A sorted copy; equals stay in their order. */
export function* sortedInSlices<T extends object>(items: readonly T[], compare: Compare<T>): Slices<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += SLICE_ITEMS) {
    runs.push(items.slice(start, start + SLICE_ITEMS).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* merged(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

function* merged<T extends object>(
  left: readonly T[],
  right: readonly T[],
  compare: Compare<T>,
): Slices<T[]> {
  const all: T[] = []
  let from = 0
  for (const other of right) {
    for (let one = left[from]; one !== undefined && compare(one, other) <= 0; one = left[from]) {
      all.push(one)
      from += 1
      if (all.length % SLICE_ITEMS === 0) yield
    }
    all.push(other)
    if (all.length % SLICE_ITEMS === 0) yield
  }
  // A copy of what is there takes next to nothing, however long.
  return all.concat(left.slice(from))
}
