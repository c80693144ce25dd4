/** Splits items into chunks of at most `size`, because a statement accepts a limited number of values. */
export function* splitChunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
