export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const WEEK_MS = 7 * DAY_MS
const YEAR_MS = 365.25 * DAY_MS

/** `42 s`, `12 min`, `1 h 5 min`, `2 d 3 h`, `40 d`, `5 years`: rounded down; `0 s` for what is no time. */
export function durationWords(ms: number): string {
  const whole = Math.max(0, ms)
  if (whole < MINUTE_MS) return `${Math.floor(whole / 1000)} s`
  if (whole < HOUR_MS) return `${Math.floor(whole / MINUTE_MS)} min`
  if (whole < DAY_MS) return twoUnits(whole, [HOUR_MS, 'h'], [MINUTE_MS, 'min'])
  if (whole < WEEK_MS) return twoUnits(whole, [DAY_MS, 'd'], [HOUR_MS, 'h'])
  const years = Math.floor(whole / YEAR_MS)
  return years < 2 ? `${Math.floor(whole / DAY_MS)} d` : `${years} years`
}

/** How long it was from one moment to another, in words. */
export const lasted = (from: Date, to: Date): string => durationWords(to.getTime() - from.getTime())

type Unit = readonly [ms: number, name: string]

function twoUnits(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ''}`
}

const UNITS: Readonly<Record<string, number>> = {
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
}

/** `30m`, `2h`, `1w`, `1h 30m`, `2 d 3 h` in milliseconds; undefined for what is no duration. */
export function readDuration(typed: string): number | undefined {
  if (!/^(?:\d{1,5}\s?(?:m|min|h|d|w)\s?){1,4}$/i.test(typed)) return undefined
  const parts = [...typed.matchAll(/(\d+)\s?([a-z]+)/gi)]
  return parts.reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0),
    0,
  )
}
