/** What takes long for many items, done a little at a time: whoever does it decides when to go on. */
export type Steps<T> = Generator<void, T, void>

/** Items of one step. */
const FEW = 100

/** Takes every item, in order. */
export function* eachInSteps<T>(items: readonly T[], take: (item: T) => void): Steps<void> {
  for (let start = 0; start < items.length; start += FEW) {
    for (const item of items.slice(start, start + FEW)) take(item)
    yield
  }
}

type Compare<T> = (left: T, right: T) => number

/** A sorted copy; equals stay in their order. */
export function* sortedInSteps<T extends object>(items: readonly T[], compare: Compare<T>): Steps<T[]> {
  let runs: T[][] = []
  for (let start = 0; start < items.length; start += FEW) {
    runs.push(items.slice(start, start + FEW).sort(compare))
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

function* merged<T extends object>(left: readonly T[], right: readonly T[], compare: Compare<T>): Steps<T[]> {
  const all: T[] = []
  let from = 0
  for (const other of right) {
    for (let one = left[from]; one !== undefined && compare(one, other) <= 0; one = left[from]) {
      all.push(one)
      from += 1
      if (all.length % FEW === 0) yield
    }
    all.push(other)
    if (all.length % FEW === 0) yield
  }
  // A copy of what is there takes next to nothing, however long.
  return all.concat(left.slice(from))
}
