/** ISO 8601, or the `YYYY-MM-DD HH:MM:SS` of connection tokens, with or without a zone. */
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s?(Z|[+-]\d{2}:\d{2})?)?$/i

/** Parses a time of the service; undefined if it isn't one. A time without a zone is read as UTC, not as this machine's time. */
export function parseDate(text: string | undefined): Date | undefined {
  const [, day, time = '00:00', zone = 'Z'] = DATE_TIME.exec(text?.trim() ?? '') ?? []
  // `Date` turns 31 February into a day in March.
  if (day === undefined || new Date(`${day}T00:00Z`).toJSON()?.startsWith(day) !== true) return undefined
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
