const UNITS: Readonly<Record<string, number>> = {
  day: 1,
  days: 1,
  week: 7,
  weeks: 7,
  month: 31,
  months: 31,
  year: 366,
  years: 366,
}

/**
 * The maximum days in `1 year` or `1 year 6 months`; undefined for anything else, such as `1,000 days` or `1.5 years`. The service
 * accepts free text.
 */
export function parseDays(duration: string): number | undefined {
  const text = duration.trim().toLowerCase().replace(/\s+/g, ' ')
  if (!/^\d{1,5} [a-z]+( \d{1,5} [a-z]+)*$/.test(text)) return undefined
  let days = 0
  for (const [, count, unit = ''] of text.matchAll(/(\d+) ([a-z]+)/g)) {
    const daysPerUnit = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
    if (daysPerUnit === undefined) return undefined
    days += Number(count) * daysPerUnit
  }
  return days > 0 ? days : undefined
}
