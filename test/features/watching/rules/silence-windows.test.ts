import { describe, expect, it } from 'vitest'
import { formatMoment, Temporal, toDate, toZoned } from '../../../../src/domain/dates/zoned.ts'
import { mayAffectWatch } from '../../../../src/features/watching/rules/affected-watches.ts'
import {
  createMaintenanceLookup,
  subtractSpans,
} from '../../../../src/features/watching/rules/maintenance-spans.ts'
import { globsOverlap } from '../../../../src/features/watching/rules/matching.ts'
import type { RepeatInterval } from '../../../../src/features/watching/rules/silence.ts'
import {
  createWindow,
  explainInvalidDuration,
  findNextStart,
  findNextWindow,
  getStateAt,
  localDurationMs,
} from '../../../../src/features/watching/rules/silence-windows.ts'
import { sumHistory } from '../../../../src/features/watching/rules/sum-history.ts'
import type { WatchFilter } from '../../../../src/features/watching/rules/watch.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'

const HOUR_MS = 3_600_000
/** A quick run asks about every seventh hour of a year, starting at a different one in each run. That includes each hour of the day. */
const EVERY_HOURS = quickOrLong('EVERY_HOURS', { quick: 7, long: 1 })
const SHOP_UUID = '3f2a0000-0000-4000-8000-000000000001'
const OTHER_UUID = '3f2a0000-0000-4000-8000-000000000002'

/** Formats the first starts of a plan as `month-day time = UTC time`. `localStart` is the first one, in `zone`. */
function listStarts(zone: string, localStart: string, every: RepeatInterval, count: number): string[] {
  const firstStart = localStart.replace(' ', 'T')
  const starts = [toDate(Temporal.PlainDateTime.from(firstStart).toZonedDateTime(zone))]
  while (starts.length < count) {
    const next = findNextStart({ firstStart, every, timeZone: zone }, starts.at(-1) ?? new Date(0))
    if (!next) throw new Error('The plan has no next window.')
    starts.push(next)
  }
  return starts.map(
    (start) => `${formatMoment(toZoned(start, zone)).slice(5)} = ${start.toISOString().slice(11, 16)}Z`,
  )
}

describe('the windows of a recurring plan', () => {
  it.each([
    // Both clock changes in Europe, in America, and in the southern hemisphere.
    {
      zone: 'Europe/Paris',
      localStart: '2026-03-28 22:00',
      every: 'day',
      expected: ['03-28 22:00 = 21:00Z', '03-29 22:00 = 20:00Z', '03-30 22:00 = 20:00Z'],
    },
    {
      zone: 'Europe/Paris',
      localStart: '2026-10-18 02:30',
      every: 'week',
      expected: ['10-18 02:30 = 00:30Z', '10-25 02:30 = 00:30Z', '11-01 02:30 = 01:30Z'],
    },
    {
      zone: 'America/New_York',
      localStart: '2026-03-07 02:15',
      every: 'day',
      // 02:15 is skipped on that day, so it starts an hour later.
      expected: ['03-07 02:15 = 07:15Z', '03-08 03:15 = 07:15Z', '03-09 02:15 = 06:15Z'],
    },
    {
      zone: 'America/New_York',
      localStart: '2026-10-31 01:30',
      every: 'day',
      // 01:30 occurs twice. It starts once.
      expected: ['10-31 01:30 = 05:30Z', '11-01 01:30 = 05:30Z', '11-02 01:30 = 06:30Z'],
    },
    {
      zone: 'Australia/Lord_Howe',
      localStart: '2026-09-27 22:00',
      every: 'week',
      expected: ['09-27 22:00 = 11:30Z', '10-04 22:00 = 11:00Z', '10-11 22:00 = 11:00Z'],
    },
    {
      zone: 'Australia/Lord_Howe',
      localStart: '2026-04-04 22:00',
      every: 'day',
      expected: ['04-04 22:00 = 11:00Z', '04-05 22:00 = 11:30Z', '04-06 22:00 = 11:30Z'],
    },
    // In a month without that day, it starts on the last day. Later months use the day again.
    {
      zone: 'Europe/Paris',
      localStart: '2026-12-31 23:00',
      every: 'month',
      expected: [
        '12-31 23:00 = 22:00Z',
        '01-31 23:00 = 22:00Z',
        '02-28 23:00 = 22:00Z',
        '03-31 23:00 = 21:00Z',
      ],
    },
    {
      zone: 'America/New_York',
      localStart: '2028-01-30 08:00',
      every: 'month',
      expected: ['01-30 08:00 = 13:00Z', '02-29 08:00 = 13:00Z', '03-30 08:00 = 12:00Z'],
    },
  ] as const)(
    'start at the same local time in $zone, every $every from $localStart',
    ({ zone, localStart, every, expected }) => {
      expect(listStarts(zone, localStart, every, expected.length)).toEqual(expected)
    },
  )

  it('continue at the next due time, however long Signalman was down', () => {
    const firstStart = '2026-01-31T09:00:00'
    for (const every of ['day', 'week', 'month'] as const) {
      const after = new Date('2027-06-15T12:00:00Z')
      const next = findNextStart({ firstStart, every, timeZone: 'UTC' }, after)
      const expectedDay = { day: '2027-06-16', week: '2027-06-19', month: '2027-06-30' }[every]
      expect(next?.toISOString()).toBe(`${expectedDay}T09:00:00.000Z`)
    }
    expect(findNextStart({ firstStart, timeZone: 'UTC' }, new Date())).toBeUndefined()
  })
})

describe('the end of a window', () => {
  /** The local end of each daily window from 0:00 for 4 hours, and how many hours it lasts. */
  function listEnds(timeZone: string, days: number): { ends: Set<string>; hours: Set<number> } {
    const plan = { every: 'day' as const, forMs: 4 * HOUR_MS, timeZone }
    const ends = new Set<string>()
    const hours = new Set<number>()
    let start = toDate(Temporal.PlainDate.from('2026-01-01').toZonedDateTime(timeZone))
    for (let day = 0; day < days; day += 1) {
      const { from, to = from } = createWindow(start, plan)
      ends.add(toZoned(to, timeZone).toPlainTime().toString({ smallestUnit: 'minute' }))
      hours.add((to.getTime() - from.getTime()) / HOUR_MS)
      start = findNextStart({ ...plan, firstStart: '2026-01-01T00:00:00' }, start) ?? start
    }
    return { ends, hours }
  }

  it.each([
    { zone: 'Europe/Berlin', hours: [4, 3, 5] },
    { zone: 'America/New_York', hours: [4, 3, 5] },
    { zone: 'Australia/Lord_Howe', hours: [4, 4.5, 3.5] },
    { zone: 'Africa/Casablanca', hours: [4, 5, 3] },
    { zone: 'Asia/Kathmandu', hours: [4] },
  ])('is 4:00 on every night of the year in $zone, whose nights have $hours hours', ({ zone, hours }) => {
    expect(listEnds(zone, 366)).toEqual({ ends: new Set(['04:00']), hours: new Set(hours) })
  })

  it('is exact for a window that doesn’t repeat', () => {
    const from = new Date('2026-03-28T23:00:00Z')
    const { to } = createWindow(from, { forMs: 4 * HOUR_MS, timeZone: 'Europe/Berlin' })
    expect(to?.toISOString()).toBe('2026-03-29T03:00:00.000Z')
    expect(createWindow(from, { timeZone: 'UTC' })).toEqual({ from, to: undefined })
  })

  it('is after the start, even if clocks skip it', () => {
    const from = new Date('2026-03-29T01:30:00Z')
    const plan = { every: 'day', timeZone: 'Europe/Berlin', firstStart: '2026-03-01T02:30:00' } as const
    // 2:30 is skipped, so the window starts at 3:30. 3:00 has passed by then, but 4:00 hasn’t.
    expect(createWindow(from, { ...plan, forMs: HOUR_MS / 2 }).to).toEqual(new Date('2026-03-29T02:00:00Z'))
    expect(createWindow(from, { ...plan, forMs: 1.5 * HOUR_MS }).to).toEqual(new Date('2026-03-29T02:00:00Z'))
    expect(createWindow(from, { ...plan, forMs: 3 * HOUR_MS }).to).toEqual(new Date('2026-03-29T03:30:00Z'))
  })

  it('is counted as clocks show it, if it was typed as a time', () => {
    const zone = 'Europe/Berlin'
    const [from, to] = [new Date('2026-03-28T23:00:00Z'), new Date('2026-03-29T02:00:00Z')]
    expect(localDurationMs(from, to, zone)).toBe(4 * HOUR_MS)
    expect(localDurationMs(from, new Date('2026-03-31T02:00:00Z'), zone)).toBe(52 * HOUR_MS)
  })

  it('is never over for the next window, however long Signalman was down', () => {
    const plan = { every: 'day', forMs: 4 * HOUR_MS, timeZone: 'Europe/Berlin' } as const
    const silence = { ...plan, firstStart: '2026-01-01T00:00:00', from: new Date('2025-12-31T23:00:00Z') }
    for (let hour = readSeed() % EVERY_HOURS; hour < 24 * 366; hour += EVERY_HOURS) {
      const now = new Date(Date.UTC(2026, 0, 2) + hour * HOUR_MS)
      // Only these fields are read.
      const next = findNextWindow(silence as never, now)
      expect(next?.to && next.to > now, now.toISOString()).toBe(true)
      // No window in between was skipped: the one of this day is next until it ends at 4:00.
      const local = toZoned(now, plan.timeZone)
      const days = local.hour < 4 ? 0 : 1
      expect(next?.from, now.toISOString()).toEqual(
        toDate(local.toPlainDate().add({ days }).toZonedDateTime(plan.timeZone)),
      )
    }
  })
})

it.each([
  { plan: { forMs: 30_000 }, length: '30 s', error: 'Maintenance lasts at least a minute.' },
  {
    plan: { forMs: 23 * HOUR_MS, every: 'day' },
    length: '23 h every day',
    error: 'Maintenance every day lasts up to 22 hours.',
  },
  {
    plan: { forMs: 28 * 24 * HOUR_MS, every: 'month' },
    length: '28 d every month',
    error: 'Maintenance every month lasts up to 27 days.',
  },
] as const)('rejects maintenance of $length: $error', ({ plan, error }) => {
  expect(explainInvalidDuration(plan)).toBe(error)
})

it.each([
  { plan: { forMs: 2 * HOUR_MS }, length: '2 h' },
  { plan: { forMs: 22 * HOUR_MS, every: 'day' }, length: '22 h every day' },
  { plan: { forMs: 28 * 24 * HOUR_MS }, length: '28 d' },
] as const)('accepts maintenance of $length', ({ plan }) => {
  expect(explainInvalidDuration(plan)).toBeUndefined()
})

it.each([
  ['planned', '08:00', 'planned'],
  ['planned', '09:00', 'announced'],
  ['announced', '09:59', 'announced'],
  ['announced', '10:00', 'running'],
  ['planned', '10:30', 'running'],
  ['running', '12:00', 'over'],
  // No process was running during the maintenance.
  ['planned', '23:00', 'over'],
] as const)(
  'updates the state of maintenance between 10:00 and 12:00: %s, at %s, becomes %s',
  (state, time, expected) => {
    const atTime = (clock: string) => new Date(`2026-11-20T${clock}:00Z`)
    expect(getStateAt({ state, from: atTime('10:00'), to: atTime('12:00') }, atTime(time))).toBe(expected)
  },
)

it.each([
  ['shop*', 'shop-a', true],
  ['shop*', '*-a', true],
  ['shop*', 'bank*', false],
  ['*', '', true],
  ['a*b', 'ab', true],
  ['a*b', '*c', false],
  ['SHOP*', 'shop-*-x', true],
  ['a*a*a*a*b', 'a*a*a*a*c', false],
  ['caf\u00e9*', 'Cafe\u0301 a', true],
  ['cafe*', 'Caf\u00e9 a', false],
  ["ann's *", 'Ann\u2019s shop', true],
  [':fire:*', '\u{1f525} shop', true],
])('finds whether a name can match both %s and %s: %s', (first, second, overlaps) => {
  expect([globsOverlap(first, second), globsOverlap(second, first)]).toEqual([overlaps, overlaps])
})

const createFilter = (
  include: WatchFilter['include'],
  exclude: WatchFilter['exclude'] = [],
): WatchFilter => ({
  include,
  exclude,
})
const createNameRule = (pattern: string) => ({ field: 'name', pattern }) as const

it.each([
  { label: 'all checks', watch: createFilter([]), pattern: 'shop*', isAffected: true },
  {
    label: 'another name',
    watch: createFilter([createNameRule('bank*')]),
    pattern: 'shop*',
    isAffected: false,
  },
  {
    label: 'a name pattern that can match too',
    watch: createFilter([createNameRule('*-live')]),
    pattern: 'shop*',
    isAffected: true,
  },
  {
    label: 'all checks but those whose names start with “s”',
    watch: createFilter([], [createNameRule('s*')]),
    pattern: 'shop*',
    isAffected: false,
  },
  {
    label: 'all checks but some of those in maintenance',
    watch: createFilter([], [createNameRule('shop-a*')]),
    pattern: 'shop*',
    isAffected: true,
  },
  {
    label: 'a check with a name in maintenance',
    watch: createFilter([{ field: 'uuid', pattern: 'u1', label: 'shop-a' }]),
    pattern: 'shop*',
    isAffected: true,
  },
  {
    label: 'a check with another name',
    watch: createFilter([{ field: 'uuid', pattern: 'u1', label: 'bank' }]),
    pattern: 'shop*',
    isAffected: false,
  },
  // The names aren't known, so they may match.
  {
    label: 'a check whose name is unknown',
    watch: createFilter([{ field: 'uuid', pattern: 'u1' }]),
    pattern: 'shop*',
    isAffected: true,
  },
  {
    label: 'a protocol',
    watch: createFilter([{ field: 'protocol', pattern: 'HTTPS' }]),
    pattern: 'shop*',
    isAffected: true,
  },
])(
  'finds whether maintenance of $pattern affects a watch of $label: $isAffected',
  ({ watch, pattern, isAffected }) => {
    expect(mayAffectWatch(watch, { kind: 'name', pattern })).toBe(isAffected)
  },
)

it.each([
  { label: 'everything except another check', exclude: OTHER_UUID, isAffected: true },
  { label: 'everything except this check', exclude: SHOP_UUID, isAffected: false },
])('finds whether the mute of a check affects a watch of $label: $isAffected', ({ exclude, isAffected }) => {
  const filter: WatchFilter = { include: [], exclude: [{ field: 'uuid', pattern: exclude }] }
  expect(mayAffectWatch(filter, { kind: 'check', uuid: SHOP_UUID, name: 'shop' })).toBe(isAffected)
})

describe('the maintenance time of a check', () => {
  const atMinute = (minute: number) => new Date(Date.UTC(2026, 10, 20) + minute * 60_000)
  const span = { from: atMinute(0), to: atMinute(100) }
  const check = { uuid: 'u1', name: 'shop-a' }
  const createOutage = (from: number, to: number | undefined, id = String(from)) => ({
    ...{ id, check, startedAt: atMinute(from), isBaseline: false },
    downs: [{ from: atMinute(from), to: to === undefined ? undefined : atMinute(to) }],
    ...(to !== undefined && { endedAt: atMinute(to) }),
  })
  const PLANNED = [
    { subject: { kind: 'name', pattern: 'shop*' }, from: atMinute(20), to: atMinute(40) },
    { subject: { kind: 'all' }, from: atMinute(30), to: atMinute(50) },
    { subject: { kind: 'name', pattern: 'bank*' }, from: atMinute(60), to: atMinute(90) },
  ] as const
  const sumMinutes = (
    outages: readonly ReturnType<typeof createOutage>[],
    plannedSpans = PLANNED as Parameters<typeof createMaintenanceLookup>[0],
  ) => {
    const steps = sumHistory({
      outages,
      observed: [{ from: atMinute(0), to: atMinute(100) }],
      span,
      parts: [
        { from: atMinute(0), to: atMinute(50) },
        { from: atMinute(50), to: atMinute(100) },
      ],
      planned: plannedSpans,
      check,
    })
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }
  const toMinutes = (ms: number) => ms / 60_000

  it('merges overlapping windows, and leaves out those of other checks', () => {
    expect(createMaintenanceLookup(PLANNED)(check)).toEqual([{ from: atMinute(20), to: atMinute(50) }])
    expect(createMaintenanceLookup([])(check)).toEqual([])
    expect(subtractSpans(span, [{ from: atMinute(20), to: atMinute(50) }])).toEqual([
      { from: atMinute(0), to: atMinute(20) },
      { from: atMinute(50), to: atMinute(100) },
    ])
  })

  it.each([
    // Worked out by hand. 70 of the 100 minutes are outside maintenance. Expected: outages, minutes down, minutes down in maintenance, uptime.
    { label: 'an outage inside', outages: [createOutage(25, 35)], expected: [0, 0, 10, 1] },
    { label: 'an earlier outage', outages: [createOutage(5, 12)], expected: [1, 7, 0, 0.9] },
    { label: 'an outage that outlasts it', outages: [createOutage(45, 64)], expected: [1, 14, 5, 0.8] },
    { label: 'an outage that begins before it', outages: [createOutage(13, 30)], expected: [1, 7, 10, 0.9] },
    { label: 'an outage around it', outages: [createOutage(10, 60)], expected: [1, 20, 30, 1 - 20 / 70] },
    {
      label: 'two outages, one of them outside maintenance',
      outages: [createOutage(21, 22), createOutage(90, 97)],
      expected: [1, 7, 1, 0.9],
    },
  ])('isn’t counted as downtime: $label', ({ outages, expected }) => {
    const result = sumMinutes(outages)
    const [checkTotals] = result.checks
    expect([result.outages, toMinutes(result.downMs), toMinutes(result.plannedMs)]).toEqual(
      expected.slice(0, 3),
    )
    expect(toMinutes(result.observedMs)).toBe(70)
    expect(checkTotals?.uptime).toBeCloseTo(expected[3] ?? 0, 10)
    expect(checkTotals?.outages).toBe(expected[0])
    const [first, second] = result.parts
    expect((first?.downMs ?? 0) + (second?.downMs ?? 0)).toBe(result.downMs)
    expect((first?.plannedMs ?? 0) + (second?.plannedMs ?? 0)).toBe(result.plannedMs)
    expect([first, second].map((part) => toMinutes(part?.observedMs ?? 0))).toEqual([20, 50])
  })

  it('is never counted twice when windows overlap', () => {
    const seed = 20_261_121
    const { next: random } = createRandom(seed)
    for (let round = 0; round < 300; round += 1) {
      const windows = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
        const from = Math.floor(random() * 90)
        return {
          subject: { kind: 'all' as const },
          from: atMinute(from),
          to: atMinute(from + 1 + Math.floor(random() * 30)),
        }
      })
      const downFrom = Math.floor(random() * 90)
      const downTo = downFrom + 1 + Math.floor(random() * 30)
      const result = sumMinutes([createOutage(downFrom, downTo)], windows)
      const isPlanned = (minute: number) =>
        windows.some(({ from, to }) => atMinute(minute) >= from && atMinute(minute) < to)
      const allMinutes = Array.from({ length: 100 }, (_, minute) => minute)
      const down = allMinutes.filter((minute) => minute >= downFrom && minute < downTo)
      const label = `seed ${seed}, round ${round}`
      expect(toMinutes(result.downMs), label).toBe(down.filter((minute) => !isPlanned(minute)).length)
      expect(toMinutes(result.plannedMs), label).toBe(down.filter(isPlanned).length)
      expect(toMinutes(result.observedMs), label).toBe(
        allMinutes.filter((minute) => !isPlanned(minute)).length,
      )
    }
  })
})
