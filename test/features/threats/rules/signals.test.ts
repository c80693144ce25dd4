import { expect, it } from 'vitest'
import { daysBeforeReport } from '../../../../src/features/threats/rules/signals.ts'

it.each([
  { created: '2026-11-17T12:00:00Z', days: 2 },
  { created: '2026-11-20T09:00:00Z', days: 0 },
  { created: '2026-11-20T09:00:01Z', days: undefined },
  // A registry that doesn't know the date.
  { created: '1970-01-01T00:00:00Z', days: undefined },
])('counts the days from a registration at $created to the report: $days', ({ created, days }) => {
  const event = {
    date: new Date('2026-11-20T09:00:00Z'),
    observedData: { whois: { creationDate: new Date(created) } },
  }
  expect(daysBeforeReport(event as never)).toBe(days)
})
