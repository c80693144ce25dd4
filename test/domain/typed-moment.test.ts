import { UserError } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { parseMoment } from '../../src/domain/typed-moment.ts'

it.each([
  // The next February 29, which only exists in leap years.
  { typed: '29 Feb', now: '2027-12-01', expected: '2028-02-29T08:00' },
  { typed: '29 Feb', now: '2028-03-05', expected: '2032-02-29T08:00' },
  { typed: 'Feb 29 9:30', now: '2096-03-01', expected: '2104-02-29T08:30' },
  { typed: '29 Feb 2028', now: '2026-11-20', expected: '2028-02-29T08:00' },
  { typed: '25 Dec', now: '2026-12-26', expected: '2027-12-25T08:00' },
  { typed: '1 Jan 2026', now: '2026-11-20', expected: '2026-01-01T08:00' },
])('parses $typed as $expected if it is typed on $now', ({ typed, now, expected }) => {
  expect(parseMoment(typed, new Date(now), 'Europe/Paris')?.toISOString()).toBe(`${expected}:00.000Z`)
})

it.each(['31 Feb', '29 Feb 2026', '25 Dec 25:00'])('rejects %s, which doesn’t exist', (typed) => {
  expect(() => parseMoment(typed, new Date('2026-11-20'), 'Europe/Paris')).toThrow(
    new UserError(`There is no ${typed}.`),
  )
})
