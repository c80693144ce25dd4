/** The current time and the reader's time zone. They're parameters, so that tests don't depend on the machine. */
export interface ReaderTime {
  now: Date
  timeZone: string
}

const DAY_MS = 86_400_000

const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  date_short: { month: 'short', day: 'numeric', year: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
}

function formatAs(date: Date, reader: ReaderTime, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: reader.timeZone }).format(date)
}

/** `YYYY-MM-DD` in the given time zone. */
export function isoDay(date: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(date)
}

function relativeDay(date: Date, reader: ReaderTime): string | undefined {
  const day = isoDay(date, reader.timeZone)
  for (const [name, offset] of [
    ['today', 0],
    ['yesterday', -1],
    ['tomorrow', 1],
  ] as const) {
    if (isoDay(new Date(reader.now.getTime() + offset * DAY_MS), reader.timeZone) === day) return name
  }
  return undefined
}

function formatPart(name: string, date: Date, reader: ReaderTime): string | undefined {
  const pretty = name.endsWith('_pretty')
  const format = FORMATS[pretty ? name.slice(0, -'_pretty'.length) : name]
  if (!format) return undefined
  return (pretty ? relativeDay(date, reader) : undefined) ?? formatAs(date, reader, format)
}

/**
 * Formats a `<!date^…>` for the reader. The placeholders are `{date_short}`, `{date_short_pretty}`, and `{time}`. Returns undefined if the timestamp is invalid or the format has no known
 * placeholder. The caller then shows the fallback text, as Slack's older clients do.
 */
export function formatDate(timestamp: number, format: string, reader: ReaderTime): string | undefined {
  const date = new Date(timestamp * 1000)
  if (Number.isNaN(date.getTime())) return undefined
  let hasKnownPart = false
  const formatted = format.replace(/\{([a-z_]+)\}/g, (placeholder, name: string) => {
    const value = formatPart(name, date, reader)
    if (value !== undefined) hasKnownPart = true
    return value ?? placeholder
  })
  return hasKnownPart ? formatted : undefined
}
