import { describe, expect, it } from 'vitest'
import { formatDate } from '../../src/web/text/date.ts'

const reader = { now: new Date('2026-11-20T12:00:00Z'), timeZone: 'Europe/Berlin' }
const toSeconds = (iso: string) => Date.parse(iso) / 1000

describe('a date in mrkdwn', () => {
  it.each([
    ['2026-02-03T08:00:00Z', '{date_short} | {date_short_pretty}', 'Feb 3, 2026 | Feb 3, 2026'],
    ['2026-11-20T08:00:00Z', 'Seen {date_short_pretty}', 'Seen today'],
    ['2026-11-20T23:30:00Z', '{date_short_pretty} at {time}', 'tomorrow at 12:30 AM'],
    ['2026-11-19T08:00:00Z', '{date_short_pretty} at {time}', 'yesterday at 9:00 AM'],
    ['2026-11-20T08:00:00Z', '{nonsense} {time}', '{nonsense} 9:00 AM'],
  ])('shows %s in the format %s as %s', (iso, format, text) => {
    expect(formatDate(toSeconds(iso), format, reader)?.replaceAll('\u202f', ' ')).toBe(text)
  })

  it.each([
    [9_999_999_999_999, '{date_short}'],
    [0, 'no date part'],
  ])('shows the fallback for the timestamp %d in the format %j', (timestamp, format) => {
    expect(formatDate(timestamp, format, reader)).toBeUndefined()
  })
})
