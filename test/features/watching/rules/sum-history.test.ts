import { describe, expect, it } from 'vitest'
import type { Outage } from '../../../../src/domain/outages/outage.ts'
import { sumHistory } from '../../../../src/features/watching/rules/sum-history.ts'
import { sumWithoutPauses } from '../models.ts'

const atTime = (time: string): Date => new Date(`2026-11-${time}Z`)
const HOUR_MS = 3_600_000

function createOutage(name: string, from: string, to?: string, changes: Partial<Outage> = {}): Outage {
  return {
    id: `${name} ${from}`,
    check: { uuid: name, name },
    startedAt: atTime(from),
    ...(to && { endedAt: atTime(to), ending: 'recovered' as const }),
    isBaseline: false,
    downs: [{ from: atTime(from), to: to === undefined ? undefined : atTime(to) }],
    ...changes,
  }
}

const DAY = { from: atTime('10T00:00'), to: atTime('11T00:00') }

describe('a history with maintenance by name', () => {
  const observed = [DAY]
  const planned = [
    { subject: { kind: 'name', pattern: 'shop*' }, from: atTime('10T10:00'), to: atTime('10T14:00') },
  ] as const
  const sumDay = (outages: readonly Outage[], check?: Outage['check']) => {
    const slices = sumHistory({ outages, observed, span: DAY, parts: [], planned, check })
    for (;;) {
      const slice = slices.next()
      if (slice.done) return slice.value
    }
  }

  it.each([
    {
      label: 'renamed so that maintenance covers it',
      name: 'shop-1',
      earlierName: 'web-1',
      countedHours: 3,
      observedHours: 22,
    },
    {
      label: 'renamed so that maintenance no longer covers it',
      name: 'web-1',
      earlierName: 'shop-1',
      countedHours: 2,
      observedHours: 22,
    },
  ])(
    'uses the name that the check had during the outage: $label',
    ({ name, earlierName, countedHours, observedHours }) => {
      const earlierNames = [{ name: earlierName, until: atTime('10T12:00') }]
      const check = { uuid: 'a', name }
      const downOutage = createOutage('a', '10T09:00', '10T13:00', { check, earlierNames })
      for (const sum of [sumDay([downOutage]), sumDay([downOutage], check)])
        expect(sum).toMatchObject({
          downMs: countedHours * HOUR_MS,
          checks: [{ uptime: 1 - countedHours / observedHours }],
        })
      expect(sumDay([downOutage], check).observedMs).toBe(observedHours * HOUR_MS)
    },
  )

  it('uses the old name until the check goes down under a new one', () => {
    const firstOutage = createOutage('a', '10T09:00', '10T11:00', { check: { uuid: 'a', name: 'shop-1' } })
    const secondOutage = createOutage('a', '10T13:00', '10T15:00', { check: { uuid: 'a', name: 'web-1' } })
    // One hour of the first outage is before the window. The second outage counts in full.
    expect(sumDay([firstOutage, secondOutage])).toMatchObject({
      downMs: 3 * HOUR_MS,
      checks: [{ uptime: 1 - 3 / 21 }],
    })
  })
})

describe('a history', () => {
  it('counts outages, and uptime over observed time only', () => {
    const observed = [
      { from: atTime('09T20:00'), to: atTime('10T10:00') },
      { from: atTime('10T14:00'), to: atTime('10T20:00') },
    ]
    const sum = sumWithoutPauses(
      [
        createOutage('web', '10T09:00', '10T15:00'),
        createOutage('web', '10T18:00', '10T18:30'),
        createOutage('mail', '09T23:00', '10T01:00'),
        createOutage('gone', '09T10:00', '09T23:59'),
      ],
      observed,
      DAY,
      'UTC',
    )
    // 10 h and 6 h of the day were observed. Web was down for 6 h, but only the first and the last hour were observed.
    expect(sum).toMatchObject({ observedMs: 16 * HOUR_MS, outages: 2, downMs: 3.5 * HOUR_MS })
    expect(
      sum.checks.map(({ check, outages, downMs, uptime }) => [check.name, outages, downMs, uptime]),
    ).toEqual([
      ['web', 2, 2.5 * HOUR_MS, 1 - 2.5 / 16],
      ['mail', 0, HOUR_MS, 1 - 1 / 16],
    ])
    expect(sum.longest).toMatchObject({ outage: { id: 'web 10T09:00' }, ms: 2 * HOUR_MS })
    expect(sum.checks.map(({ alreadyDownAt }) => alreadyDownAt)).toEqual([[], ['span']])
    expect(sum.stillDown).toEqual([])
  })

  it('counts as still down only what was down when the period ended', () => {
    const flapping = (to: string) => ({
      downs: [
        { from: atTime('10T23:40'), to: atTime(to) },
        { from: atTime('11T00:02'), to: undefined },
      ],
    })
    const outages = [
      createOutage('up-then', '10T23:40', undefined, flapping('10T23:55')),
      createOutage('down-then', '10T23:40', undefined, flapping('11T00:01')),
    ]
    const { stillDown } = sumWithoutPauses(outages, [DAY], DAY, 'UTC')
    expect(stillDown.map(({ check }) => check.name)).toEqual(['down-then'])
  })

  it('finds the observed part of an outage among 1,440 observed intervals', () => {
    const minute = 60_000
    const start = DAY.from.getTime()
    const observed = Array.from({ length: 1440 }, (_, index) => ({
      from: new Date(start + index * minute),
      to: new Date(start + index * minute + minute / 2),
    }))
    const sum = sumWithoutPauses([createOutage('web', '10T09:00', '10T10:00')], observed, DAY, 'UTC')
    expect(sum.downMs).toBe(30 * minute)
  })

  it('has no uptime if nothing was observed', () => {
    const sum = sumWithoutPauses([createOutage('web', '10T09:00')], [], DAY, 'UTC')
    expect(sum.checks[0]?.uptime).toBeUndefined()
    expect(sum).toMatchObject({ observedMs: 0, downMs: 0, outages: 1, longest: undefined })
    expect(sum.stillDown).toHaveLength(1)
    const endedOutage = createOutage('web', '10T00:00', '10T00:10')
    expect(sumWithoutPauses([endedOutage], [], DAY, 'UTC')).toMatchObject({
      observedMs: 0,
      downMs: 0,
      checks: [{ uptime: undefined }],
    })
  })

  it('doesn’t count an outage from before watching began as a new one', () => {
    const sum = sumWithoutPauses(
      [createOutage('web', '10T09:00', undefined, { isBaseline: true })],
      [DAY],
      DAY,
      'UTC',
    )
    expect(sum).toMatchObject({ outages: 0, downMs: 15 * HOUR_MS, longest: { ms: 15 * HOUR_MS } })
    expect(sum.checks).toMatchObject([{ outages: 0, alreadyDownAt: ['watching'] }])
  })

  it('never reports a longest outage that exceeds total downtime or observed time', () => {
    const observed = [{ from: atTime('10T23:47'), to: atTime('10T23:59') }]
    const baseline = createOutage('web', '10T23:46', undefined, { isBaseline: true })
    for (const outages of [
      [baseline],
      [createOutage('web', '01T00:00')],
      [baseline, createOutage('old', '09T00:00')],
    ]) {
      const { longest, downMs, observedMs } = sumWithoutPauses(outages, observed, DAY, 'UTC')
      expect(longest?.ms).toBeLessThanOrEqual(Math.min(downMs, observedMs))
    }
  })

  it.each([
    { days: 7, parts: 8, daysPerBar: 1 },
    { days: 30, parts: 16, daysPerBar: 2 },
    { days: 90, parts: 19, daysPerBar: 5 },
  ])(
    'has $parts bars of $daysPerBar days for $days days in Paris, without a gap',
    ({ days, parts, daysPerBar }) => {
      const to = new Date('2026-11-20T14:05:00Z')
      const from = new Date(to.getTime() - days * 24 * HOUR_MS)
      const sum = sumWithoutPauses([], [], { from, to }, 'Europe/Paris')
      expect(sum.parts).toHaveLength(parts)
      expect(sum.parts[0]?.days).toBe(daysPerBar)
      expect(sum.parts[0]?.from).toEqual(from)
      expect(sum.parts.at(-1)?.to).toEqual(to)
      for (const [index, part] of sum.parts.entries())
        if (index > 0) expect(part.from).toEqual(sum.parts[index - 1]?.to)
    },
  )

  it('excludes time before a health check was created and after it was deleted', () => {
    const madeAt = atTime('10T20:00').toISOString()
    const newCheck = { check: { uuid: 'young', name: 'young', madeAt } }
    const outages = [
      createOutage('young', '10T22:00', undefined, newCheck),
      createOutage('gone', '10T03:00', '10T04:00', { ending: 'deleted' }),
      createOutage('old', '10T22:00'),
    ]
    const listUptimes = (all: readonly Outage[]) =>
      sumWithoutPauses(all, [DAY], DAY, 'UTC').checks.map(({ check, uptime }) => [check.name, uptime])
    expect(listUptimes(outages)).toEqual([
      ['young', 0.5],
      ['old', 1 - 2 / 24],
      ['gone', 0.75],
    ])
    // Clocks differ, so a check may be down before the service's creation date.
    expect(listUptimes([createOutage('young', '10T18:00', '10T21:00', newCheck)])).toEqual([['young', 0.5]])
  })

  it('has no uptime if only a few seconds were observed', () => {
    const observed = [{ from: atTime('10T09:00'), to: atTime('10T09:00:12') }]
    expect(sumWithoutPauses([createOutage('web', '10T09:00:10')], observed, DAY, 'UTC').checks).toMatchObject(
      [{ downMs: 2000, uptime: undefined }],
    )
  })

  const atMinute = (minutes: number): Date => new Date(DAY.from.getTime() + minutes * 60_000)
  it.each([
    {
      label: 'it was down for half of the observed time',
      downMinutes: [[0, 5]],
      observed: [[0, 10]],
      uptime: 0.5,
    },
    { label: 'half of the outage wasn’t observed', downMinutes: [[0, 10]], observed: [[5, 15]], uptime: 0.5 },
    { label: 'the outage is ongoing', downMinutes: [[8]], observed: [[0, 10]], uptime: 0.8 },
    {
      label: 'there is a gap in the observed time',
      downMinutes: [[4, 12]],
      observed: [
        [0, 5],
        [10, 15],
      ],
      uptime: 0.7,
    },
  ])('has an uptime of $uptime if $label', ({ downMinutes, observed, uptime }) => {
    const outages = downMinutes.map(([from = 0, to]): Outage => {
      const { endedAt: _, ending: __, ...open } = createOutage('web', '10T00:00', '10T01:00')
      const endedAt = to === undefined ? undefined : atMinute(to)
      return {
        ...open,
        startedAt: atMinute(from),
        downs: [{ from: atMinute(from), to: endedAt }],
        ...(endedAt && { endedAt }),
      }
    })
    const observedSpans = observed.map(([from = 0, to = 0]) => ({ from: atMinute(from), to: atMinute(to) }))
    const sum = sumWithoutPauses(outages, observedSpans, DAY, 'UTC')
    const [found] = sum.checks
    expect(found?.uptime).toBeCloseTo(uptime)
    expect(sum.downMs).toBeLessThanOrEqual(sum.observedMs)
  })
})
