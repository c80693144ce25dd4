/** `2026-11-20 14:05 UTC`: for files, and for clients that can't render Slack's dates. */
export const utc = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The format of all dates in messages. Slack shows, for example, `today 2:19 AM` in the reader's time zone. */
export const DATE_FORMAT = '{date_short_pretty} {time}'

/** Unix time in seconds. Undefined for invalid dates and those before 1970 (an API's empty date is often in the year 1). */
export const toTimestamp = (date: Date): number | undefined =>
  date.getTime() >= 0 ? Math.floor(date.getTime() / 1000) : undefined

/** Shown if Slack can't render the date. */
export const dateFallback = (date: Date): string => (Number.isNaN(date.getTime()) ? 'unreadable' : utc(date))

/** Formats a date in the reader's time zone, for mrkdwn and the `text` of a message. */
export function formatDate(date: Date): string {
  const timestamp = toTimestamp(date)
  return timestamp === undefined
    ? dateFallback(date)
    : `<!date^${timestamp}^${DATE_FORMAT}|${dateFallback(date)}>`
}
