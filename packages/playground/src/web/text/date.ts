/** The reader's time and time zone. A parameter, so that tests don't depend on the machine's. */
export interface Clock {
  now: Date
  timeZone: string
}

const DAY_MS = 86_400_000

const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  date: { month: 'long', day: 'numeric', year: 'numeric' },
  date_short: { month: 'short', day: 'numeric', year: 'numeric' },
  date_long: { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
}

function formatAs(at: Date, clock: Clock, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: clock.timeZone }).format(at)
}

/** `YYYY-MM-DD` in the given time zone. */
export function isoDay(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(at)
}

function relativeDay(at: Date, clock: Clock): string | undefined {
  const day = isoDay(at, clock.timeZone)
  for (const [name, offset] of [
    ['today', 0],
    ['yesterday', -1],
    ['tomorrow', 1],
  ] as const) {
    if (isoDay(new Date(clock.now.getTime() + offset * DAY_MS), clock.timeZone) === day) return name
  }
  return undefined
}

function formatAgo(at: Date, { now }: Clock): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  const steps = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit)
  }
  return words.format(seconds, 'second')
}

function formatPart(name: string, at: Date, clock: Clock): string | undefined {
  if (name === 'date_num') return isoDay(at, clock.timeZone)
  if (name === 'ago') return formatAgo(at, clock)
  const pretty = name.endsWith('_pretty')
  const format = FORMATS[pretty ? name.slice(0, -'_pretty'.length) : name]
  if (!format) return undefined
  return (pretty ? relativeDay(at, clock) : undefined) ?? formatAs(at, clock, format)
}

/**
 * Formats a `<!date^…>` for the reader. The parts are `{date_num}`, `{date}`, `{date_short}`, `{date_long}` (the last three also with
 * `_pretty`), `{time}`, `{time_secs}`, and `{ago}`. Undefined for an invalid timestamp, or a format without any known part: then the
 * caller shows the fallback, as Slack's older clients do.
 */
export function formatDate(timestamp: number, format: string, clock: Clock): string | undefined {
  const at = new Date(timestamp * 1000)
  if (Number.isNaN(at.getTime())) return undefined
  let known = false
  const formatted = format.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = formatPart(name, at, clock)
    if (value !== undefined) known = true
    return value ?? whole
  })
  return known ? formatted : undefined
}
