/** The one form of times that the interface shows. */
const WIRE_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** An ISO 8601 time, or `YYYY-MM-DD HH:MM:SS`. A time without a zone is read as UTC, not in this machine's zone. */
export function parseDate(text: string): Date | undefined {
  if (WIRE_FORM.test(text)) {
    const date = new Date(text)
    // Date's own parser takes 31 February for a day in March. Comparing days is much cheaper than toJSON().
    if (date.getUTCDate() === Number(text.slice(8, 10))) return date
  }
  const date = new Date(toIsoUtc(text) ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

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
