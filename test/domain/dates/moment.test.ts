import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadDate } from '../../../src/domain/dates/bad-date.ts'
import { readMoment } from '../../../src/domain/dates/moment.ts'
import { formatMoment, isTimeZone, toZoned } from '../../../src/domain/dates/zoned.ts'
import { halfOf, quickOrLong } from '../../long.ts'
import { ZONES } from './zones.ts'

/** 10:00 on a Tuesday, in Paris. */
const NOW = toZoned(new Date('2026-11-24T10:00:00+01:00'), 'Europe/Paris')

function read(typed: string, now = NOW, options?: { isMarked: boolean }): string | undefined {
  const at = readMoment(typed, now, options)
  return at === 'now' ? 'now' : at && formatMoment(at.withTimeZone(now.timeZoneId))
}

function readError(
  typed: string,
  now = NOW,
  options?: { isMarked: boolean },
): { message: string; offers: readonly string[] } {
  try {
    readMoment(typed, now, options)
  } catch (error) {
    if (error instanceof BadDate) return { message: error.message, offers: error.rewrite(typed) }
    throw error
  }
  throw new Error(`“${typed}” was read.`)
}

describe('a typed moment', () => {
  it.each([
    ['now', 'now'],
    ['2026-12-25T18:00:00.000Z', '2026-12-25 19:00'],
    ['2026-12-25 18:00 UTC', '2026-12-25 19:00'],
    ['2026-12-25 18:00+05:30', '2026-12-25 13:30'],
    ['2026-12-25 18:00 America/New_York', '2026-12-26 00:00'],
    ['Dec 25, 2027', '2027-12-25 09:00'],
    ['25th of December', '2026-12-25 09:00'],
    ['25. Dec 18:00', '2026-12-25 18:00'],
    ['25.12.2026 18:00', '2026-12-25 18:00'],
    ['29.11. 18:00', '2026-11-29 18:00'],
    ['Sunday, 29 November', '2026-11-29 09:00'],
    ['next Sunday 29th of November 18:00', '2026-11-29 18:00'],
    ['Fri Dec 25 2026', '2026-12-25 09:00'],
    ['tomorrow 1530', '2026-11-25 15:30'],
    ["9 o'clock", '2026-11-25 09:00'],
    ['5:30 p.m. today', '2026-11-24 17:30'],
    ['tomorrow at 6p', '2026-11-25 18:00'],
    ['9am tomorrow', '2026-11-25 09:00'],
    ['18:00 on Friday', '2026-11-27 18:00'],
    ['noon on Monday', '2026-11-30 12:00'],
    ['12 am', '2026-11-25 00:00'],
    ['12 pm', '2026-11-24 12:00'],
    ['24:00', '2026-11-25 00:00'],
    ['midnight', '2026-11-25 00:00'],
    ['tonight at midnight', '2026-11-25 00:00'],
    ['tomorrow morning', '2026-11-25 09:00'],
    ['tomorrow midday', '2026-11-25 12:00'],
    ['tomorrow afternoon', '2026-11-25 15:00'],
    ['tomorrow evening', '2026-11-25 18:00'],
    ['today 24:00', '2026-11-25 00:00'],
    ['tomorrow midnight', '2026-11-25 00:00'],
    ['tonight', '2026-11-24 18:00'],
    ['tonight 2am', '2026-11-25 02:00'],
    ['today 9:00', '2026-11-24 09:00'],
    ['this evening', '2026-11-24 18:00'],
    ['the day after tomorrow', '2026-11-26 09:00'],
    ['Tuesday 10:00', '2026-12-01 10:00'],
    ['Tuesday 10:01', '2026-11-24 10:01'],
    ['next Tuesday', '2026-12-01 09:00'],
    ['this Friday', '2026-11-27 09:00'],
    ['next week', '2026-11-30 09:00'],
    ['next month', '2026-12-01 09:00'],
    ['in 2 days', '2026-11-26 10:00'],
    ['in an hour and a half', '2026-11-24 11:30'],
    ['3 weeks from now', '2026-12-15 10:00'],
    ['1 Jan 2026', '2026-01-01 09:00'],
  ])('%s is %s', (typed, expected) => {
    expect(read(typed)).toBe(expected)
  })

  it.each([
    '',
    'today',
    'Mon',
    'March hare',
    'march',
    '2',
    'shop',
    '18:00 web/shop',
    'in',
    'in shop',
    'Monday Tuesday',
  ])('isn’t “%s”', (typed) => {
    expect(readMoment(typed, NOW)).toBeUndefined()
  })

  it('can be a short weekday only after a word such as until, because Mon may be part of a name', () => {
    expect(read('Mon', NOW, { isMarked: true })).toBe('2026-11-30 09:00')
    for (const [typed, at] of [
      ['6p', '2026-11-24 18:00'],
      ['14h30', '2026-11-24 14:30'],
      ['29.11', '2026-11-29 09:00'],
    ] as const) {
      expect(read(typed), typed).toBeUndefined()
      expect(read(typed, NOW, { isMarked: true }), typed).toBe(at)
    }
    for (const name of ['1530', 'end of day', '2.11.4', '5.11']) expect(read(name), name).toBeUndefined()
    expect(read('Mon 8:00')).toBe('2026-11-30 08:00')
  })

  it.each([
    '31 Feb',
    '29 Feb 2026',
    '2026-02-30',
    '25 Dec 25:00',
    '25:00',
    'tomorrow 9:60',
    '9:00:60',
    '13 pm',
    '0am',
    '31.04.2026',
    '40/13/2026',
  ])('is refused if it doesn’t exist: %s', (typed) => {
    expect(readError(typed)).toEqual({ message: `There is no ${typed}.`, offers: [] })
  })

  it.each([
    ['12/25/2026', ['2026-12-25']],
    ['25/12/2026 18:00', ['2026-12-25 18:00']],
    ['03/04/2027', ['2027-04-03', '2027-03-04']],
    ['5/5/27', ['2027-05-05']],
    ['12/1 22:00', ['2027-01-12 22:00', '2026-12-01 22:00']],
    ['next Friday', ['2026-11-27', '2026-12-04']],
    ['next Friday 18:30', ['2026-11-27 18:30', '2026-12-04 18:30']],
  ])('offers the dates that %s can mean, and reads each offer', (typed, offers) => {
    expect(readError(typed).offers).toEqual(offers)
    for (const offer of offers) expect(read(offer)?.slice(0, 10)).toBe(offer.slice(0, 10))
  })

  it.each([
    { typed: '29 Feb', now: '2027-12-01', expected: '2028-02-29 09:00' },
    { typed: '29 Feb', now: '2028-03-05', expected: '2032-02-29 09:00' },
    // 2100 isn't a leap year.
    { typed: 'Feb 29 9:30', now: '2096-03-01', expected: '2104-02-29 09:30' },
    { typed: '25 Dec', now: '2026-12-26', expected: '2027-12-25 09:00' },
  ])('is the next such day: $typed on $now is $expected', ({ typed, now, expected }) => {
    expect(read(typed, toZoned(new Date(now), 'Europe/Paris'))).toBe(expected)
  })

  it.each([
    // Clocks are set forward from 2:00 to 3:00.
    { zone: 'Europe/Berlin', now: '2026-03-28T12:00:00Z', typed: 'tomorrow 9:00', utc: '2026-03-29T07:00' },
    { zone: 'Europe/Berlin', now: '2026-03-28T12:00:00Z', typed: 'tomorrow 2:30', utc: '2026-03-29T01:30' },
    { zone: 'Europe/Berlin', now: '2026-03-28T12:00:00Z', typed: 'in 1 day', utc: '2026-03-29T11:00' },
    { zone: 'Europe/Berlin', now: '2026-03-28T12:00:00Z', typed: 'in 24 hours', utc: '2026-03-29T12:00' },
    // Clocks are set back from 3:00 to 2:00. The first 2:30 counts.
    { zone: 'Europe/Berlin', now: '2026-10-24T12:00:00Z', typed: 'tomorrow 2:30', utc: '2026-10-25T00:30' },
    {
      zone: 'Europe/Berlin',
      now: '2026-10-24T12:00:00Z',
      typed: 'tomorrow 2:30+01:00',
      utc: '2026-10-25T01:30',
    },
    {
      zone: 'America/New_York',
      now: '2026-03-07T12:00:00Z',
      typed: 'tomorrow 2:15',
      utc: '2026-03-08T07:15',
    },
    {
      zone: 'America/New_York',
      now: '2026-10-31T12:00:00Z',
      typed: 'tomorrow 1:30',
      utc: '2026-11-01T05:30',
    },
    // Half an hour: 2:00 becomes 2:30, and back.
    {
      zone: 'Australia/Lord_Howe',
      now: '2026-10-03T02:00:00Z',
      typed: 'tomorrow 9:00',
      utc: '2026-10-03T22:00',
    },
    {
      zone: 'Australia/Lord_Howe',
      now: '2026-04-04T02:00:00Z',
      typed: 'tomorrow 9:00',
      utc: '2026-04-04T22:30',
    },
    // The clocks change for Ramadan.
    {
      zone: 'Africa/Casablanca',
      now: '2026-02-14T12:00:00Z',
      typed: 'tomorrow 9:00',
      utc: '2026-02-15T09:00',
    },
    {
      zone: 'Africa/Casablanca',
      now: '2026-03-21T12:00:00Z',
      typed: 'tomorrow 9:00',
      utc: '2026-03-22T08:00',
    },
    { zone: 'Asia/Kathmandu', now: '2026-02-27T12:00:00Z', typed: 'tomorrow 0:00', utc: '2026-02-27T18:15' },
    { zone: 'Pacific/Kiritimati', now: '2026-11-24T12:00:00Z', typed: 'today 9:00', utc: '2026-11-24T19:00' },
  ])('keeps the clock time when clocks change: $typed in $zone is $utc', ({ zone, now, typed, utc }) => {
    const at = readMoment(typed, toZoned(new Date(now), zone))
    expect(at === 'now' ? at : at?.toInstant().toString()).toBe(`${utc}:00Z`)
  })

  it('reads back what formatMoment writes, in every zone and hour', () => {
    const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)]
    const minute = 60_000
    fc.assert(
      fc.property(
        fc.integer({ min: from / minute, max: to / minute }),
        fc.constantFrom(...ZONES),
        (minutes, zone) => {
          const at = toZoned(new Date(minutes * minute), zone)
          const now = toZoned(new Date(from), zone)
          const back = readMoment(formatMoment(at), now)
          expect(back === 'now' ? back : back?.epochMilliseconds).toBe(at.epochMilliseconds)
        },
      ),
      { numRuns: quickOrLong('MOMENTS', { quick: 200, long: 5000 }) },
    )
    // Each quarter of an hour around the changes, because random times rarely hit them.
    for (const zone of halfOf(ZONES))
      for (const day of CHANGES)
        for (let quarter = -100; quarter < 120; quarter += 1) {
          const at = toZoned(new Date(Date.parse(day) + quarter * 15 * minute), zone)
          const back = readMoment(formatMoment(at), NOW.withTimeZone(zone))
          expect(back === 'now' ? back : back?.epochMilliseconds, formatMoment(at)).toBe(at.epochMilliseconds)
        }
  })
})

const CHANGES = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2026-04-05',
  '2026-10-04',
  '2026-02-15',
  '2026-03-22',
]

it.each([
  ['Europe/Paris', true],
  ['UTC', true],
  ['Europe/Nowhere', false],
  ['', false],
  ['__proto__', false],
] as const)('knows whether “%s” is a time zone: %s', (name, isKnown) => {
  expect(isTimeZone(name)).toBe(isKnown)
})

it.each([
  ['end of day', ['18:00', '24:00']],
  ['eod Friday', ['Friday 18:00', 'Friday 24:00']],
  ['tomorrow end of day', ['tomorrow 18:00', 'tomorrow 24:00']],
  ['end of the week', ['Friday 18:00', 'Sunday 24:00']],
  ['5.11', ['2027-11-05', '5:11']],
  ['18.30', ['18:30']],
  ['tonight at 8', ['tonight 20:00', 'tomorrow 8:00']],
  ['tonight at 2', ['tonight 2:00']],
  ['tonight 8:30', ['tonight 20:30', 'tomorrow 8:30']],
  ['Monday 29 November 18:00', ['2026-11-29 18:00', 'Monday 18:00']],
])('asks after `until` what is meant by %s, and can read each answer', (typed, offers) => {
  expect(readError(typed, NOW, { isMarked: true }).offers).toEqual(offers)
  for (const offer of offers) expect(read(offer, NOW, { isMarked: true }), offer).toBeDefined()
})
