/** The reader's time zone and time. A parameter, so that tests always get the same text. */
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

function shown(at: Date, clock: Clock, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-US', { ...options, timeZone: clock.timeZone }).format(at)
}

/** `YYYY-MM-DD` on the reader's calendar. */
export function dayOf(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format(at)
}

function relativeDay(at: Date, clock: Clock): string | undefined {
  const day = dayOf(at, clock.timeZone)
  for (const [name, offset] of [
    ['today', 0],
    ['yesterday', -1],
    ['tomorrow', 1],
  ] as const) {
    if (dayOf(new Date(clock.now.getTime() + offset * DAY_MS), clock.timeZone) === day) return name
  }
  return undefined
}

function ago(at: Date, { now }: Clock): string {
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

function part(name: string, at: Date, clock: Clock): string | undefined {
  if (name === 'date_num') return dayOf(at, clock.timeZone)
  if (name === 'ago') return ago(at, clock)
  const pretty = name.endsWith('_pretty')
  const format = FORMATS[pretty ? name.slice(0, -'_pretty'.length) : name]
  if (!format) return undefined
  return (pretty ? relativeDay(at, clock) : undefined) ?? shown(at, clock, format)
}

/**
 * A `<!date^…>` for this reader: `{date_num}`, `{date}`, `{date_short}`, `{date_long}`, each of the last three also
 * `_pretty`, `{time}`, `{time_secs}`, `{ago}`. Undefined for a moment no calendar has, or a format with no known part:
 * the caller then shows the fallback, as Slack's older clients do.
 */
export function formatDate(timestamp: number, format: string, clock: Clock): string | undefined {
  const at = new Date(timestamp * 1000)
  if (Number.isNaN(at.getTime())) return undefined
  let known = false
  const out = format.replace(/\{([a-z_]+)\}/g, (whole, name: string) => {
    const value = part(name, at, clock)
    if (value !== undefined) known = true
    return value ?? whole
  })
  return known ? out : undefined
}
