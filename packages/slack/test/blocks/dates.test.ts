import { expect, it } from 'vitest'
import { date, formatDate } from '../../src/blocks/rich-text.ts'

it.each([
  ['2026-11-20T11:59:01Z', '<!date^1795175941^{date_short_pretty} at {time}|2026-11-20 11:59 UTC>', 'date'],
  ['1970-01-01T00:00:00Z', '<!date^0^{date_short_pretty} at {time}|1970-01-01 00:00 UTC>', 'date'],
  ['0001-01-01T00:00:00Z', '0001-01-01 00:00 UTC', 'text'],
  ['not a date', 'invalid date', 'text'],
])('formatDate and date format %s as %s without throwing', (input, expected, type) => {
  expect(formatDate(new Date(input))).toBe(expected)
  expect(date(new Date(input)).type).toBe(type)
})
