/** Formats a whole number: `50,000`. Not `toLocaleString`, which loads tables for 10 ms at startup. */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `1 row`, `50,000 rows`. */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`

/** The first items, formatted, and the number of others: `a, b`, `a and 9 more`, `a, b, and 3 more`. `total`: if these are only the first. */
export function formatList<T>(
  items: readonly T[],
  maxItems: number,
  format: (item: T) => string,
  total = items.length,
): string {
  const shown = items.slice(0, maxItems).map(format)
  const more = total - shown.length
  // Between names with commas, a comma would make two of one.
  const mark = shown.some((text) => text.includes(',')) ? ';' : ','
  return (
    shown.join(`${mark} `) + (more > 0 ? `${shown.length > 1 ? mark : ''} and ${formatCount(more)} more` : '')
  )
}

/**
 * Why a list is empty: there’s nothing of its kind, or, of the `total` that there is, nothing is all that the list wants: `is yours`,
 * `was rejected`.
 */
export function describeNone(
  total: number,
  wanted: readonly string[],
  one: string,
  many = `${one}s`,
): string {
  if (total === 0) return `There are no ${many}`
  if (total > 1) return `None of the ${formatCount(total)} ${many} ${wanted.join(' and ')}`
  return `The only ${one} ${wanted.map(negate).join(' or ')}`
}

const negate = (is: string): string => (/^(?:is|was) /.test(is) ? is.replace(' ', 'n’t ') : 'doesn’t match')

/** All items: `a`, `a and b`, `a, b, and c`. */
export const joinNames = (names: readonly string[]): string =>
  names.length > 2 ? `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}` : names.join(' and ')

/** Starts a text with a capital letter. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
