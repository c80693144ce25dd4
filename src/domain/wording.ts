/** Formats a whole number: `50,000`. Not `toLocaleString`, which loads tables for 10 ms at startup. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `1 row`, `50,000 rows`. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

/** The first items, formatted, and the number of others: `a, b, 3 more`. */
export function formatList(
  items: readonly string[],
  maxItems: number,
  format: (item: string) => string,
): string {
  const shown = items.slice(0, maxItems).map(format)
  const more = items.length - shown.length
  return [...shown, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ')
}

/** The first items, formatted, and the number of others: `a, b and 3 more`. */
export function joinFirst<T>(items: readonly T[], maxItems: number, format: (item: T) => string): string {
  const more = items.length - maxItems
  return items.slice(0, maxItems).map(format).join(', ') + (more > 0 ? ` and ${formatCount(more)} more` : '')
}

/** Starts a text with a capital letter. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
