import type { Fields } from './json.ts'

/** The default time zone. */
export const UTC = 'Etc/UTC'

/** Whether the name is an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const MINUTE_MS = 60_000

/** The formatters of each time zone that someone has. Creating one takes much longer than using it. */
const formatters = new Map<string, ReturnType<typeof createFormatters>>()

const createFormatters = (timeZone: string) => ({
  local: new Intl.DateTimeFormat('en-US', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  }),
  named: new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'long' }),
})

function findFormatters(timeZone: string): ReturnType<typeof createFormatters> {
  const found = formatters.get(timeZone) ?? createFormatters(timeZone)
  formatters.set(timeZone, found)
  return found
}

/** The offset from UTC at the given time, in seconds. */
function offsetSeconds(timeZone: string, date: Date): number {
  const formatter = findFormatters(timeZone).local
  const local = Date.parse(`${formatter.format(date)} UTC`)
  return Math.round((local - date.getTime()) / MINUTE_MS) * 60
}

function findLabel(timeZone: string, date: Date): string {
  const parts = findFormatters(timeZone).named.formatToParts(date)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}

/** The time zone fields of a user in the Web API and in events. */
export const zoneFields = (tz: string, date: Date): Fields => ({
  tz,
  tz_label: findLabel(tz, date),
  tz_offset: offsetSeconds(tz, date),
})
