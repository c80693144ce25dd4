/** `2026-11-20 14:05 UTC`: what a client that cannot draw Slack's dates shows, and what plain text carries. */
export const utc = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** A date in the reader's own time zone, with a UTC fallback; for our own mrkdwn and a message's `text`. */
export function when(date: Date): string {
  return `<!date^${Math.floor(date.getTime() / 1000)}^{date_short_pretty} {time}|${utc(date)}>`
}

const STEPS: readonly (readonly [seconds: number, name: string, from: number])[] = [
  [31_557_600, 'year', 2],
  [86_400, 'day', 1],
  [3600, 'hour', 1],
  [60, 'minute', 1],
]

/** `5 years`, `3 days`, `1 hour`, `less than a minute`: how long ago `date` was at `now`; the future counts as now. */
export function age(date: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - date.getTime()) / 1000)
  for (const [size, name, from] of STEPS) {
    const count = Math.floor(seconds / size)
    if (count >= from) return `${count} ${name}${count === 1 ? '' : 's'}`
  }
  return 'less than a minute'
}
