/** Formats a whole number: `50,000`. `toLocaleString` would first load tables, which took 10 ms of the start. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `1 row`, `50,000 rows`. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${grouped(count)} ${count === 1 ? noun : many}`

/** The first few items, formatted for people, and how many more: `a, b, 3 more`. */
export function listed(items: readonly string[], most: number, written: (item: string) => string): string {
  const shown = items.slice(0, most).map(written)
  const more = items.length - shown.length
  return [...shown, ...(more > 0 ? [`${grouped(more)} more`] : [])].join(', ')
}
