const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 time, or `YYYY-MM-DD HH:MM:SS`. A time without a zone is read as UTC, not in this machine's zone. */
export function parseDate(text: string): Date | undefined {
  const exact = parseWireForm(text)
  if (exact) return exact
  const date = new Date(toIsoUtc(text) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The only format in the interface. */
const WIRE_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** A page of 500 checks has 1,000 of these, and Date's own parser takes twice as long. */
function parseWireForm(text: string): Date | undefined {
  if (!WIRE_FORM.test(text)) return undefined
  const [year, month, day] = [digits(text, 0) * 100 + digits(text, 2), digits(text, 5), digits(text, 8)]
  const [hour, minute, second] = [digits(text, 11), digits(text, 14), digits(text, 17)]
  // Date.UTC takes a year below 100 for one of the 20th century.
  if (year < 100 || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return undefined
  const ms = digits(text, 20) * 10 + Number(text[22])
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms))
  // 31 February would be a day in March.
  return date.getUTCDate() === day ? date : undefined
}

/** The number that two digits are. */
const digits = (text: string, at: number): number =>
  (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48

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
