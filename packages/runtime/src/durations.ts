export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const WEEK_MS = 7 * DAY_MS
const YEAR_MS = 365.25 * DAY_MS

/** `42 s`, `12 min`, `1 h 5 min`, `2 d 3 h`, `40 d`, `5 years`: rounded down. `0 s` for an invalid duration. */
export function formatDuration(ms: number): string {
  const positiveMs = Math.max(0, ms)
  if (positiveMs < MINUTE_MS) return `${Math.floor(positiveMs / 1000)} s`
  if (positiveMs < HOUR_MS) return `${Math.floor(positiveMs / MINUTE_MS)} min`
  if (positiveMs < DAY_MS) return formatTwoUnits(positiveMs, [HOUR_MS, 'h'], [MINUTE_MS, 'min'])
  if (positiveMs < WEEK_MS) return formatTwoUnits(positiveMs, [DAY_MS, 'd'], [HOUR_MS, 'h'])
  const years = Math.floor(positiveMs / YEAR_MS)
  return years < 2 ? `${Math.floor(positiveMs / DAY_MS)} d` : `${years} years`
}

export const formatElapsed = (from: Date, to: Date): string => formatDuration(to.getTime() - from.getTime())

type Unit = readonly [ms: number, name: string]

function formatTwoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`
}
