import { describe, expect, it } from 'vitest'
import { formatDate } from '../../src/blocks/dates.ts'
import { date } from '../../src/blocks/rich-text.ts'

describe('a date', () => {
  it.each([
    ['2026-11-20T11:59:01Z', '<!date^1795175941^{date_short_pretty} {time}|2026-11-20 11:59 UTC>', 'date'],
    ['1970-01-01T00:00:00Z', '<!date^0^{date_short_pretty} {time}|1970-01-01 00:00 UTC>', 'date'],
    ['0001-01-01T00:00:00Z', '0001-01-01 00:00 UTC', 'text'],
    ['not a date', 'unreadable', 'text'],
  ])('is formatted without throwing, even if it’s invalid: %s as %s', (typed, said, type) => {
    expect(formatDate(new Date(typed))).toBe(said)
    expect(date(new Date(typed)).type).toBe(type)
  })
})
