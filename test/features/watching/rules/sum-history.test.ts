import { describe, expect, it } from 'vitest'
import type { Outage } from '../../../../src/domain/outages/outage.ts'
import { sumHistory } from '../../../../src/features/watching/rules/sum-history.ts'
import { sumUp } from '../models.ts'

const at = (time: string): Date => new Date(`2026-11-${time}Z`)
const HOUR = 3_600_000

function outage(name: string, from: string, to?: string, changes: Partial<Outage> = {}): Outage {
  return {
    id: `${name} ${from}`,
    check: { uuid: name, name },
    status: 'UNHEALTHY',
    startedAt: at(from),
    ...(to && { endedAt: at(to), ending: 'recovered' as const }),
    isBaseline: false,
    badPolls: 3,
    ...changes,
  }
}

const DAY = { from: at('10T00:00'), to: at('11T00:00') }

describe('a history with maintenance by name', () => {
  const observed = [DAY]
  const planned = [
    { about: { kind: 'name', pattern: 'shop*' }, from: at('10T10:00'), to: at('10T14:00') },
  ] as const
  const sumOf = (outages: readonly Outage[], only?: Outage['check']) => {
    const slices = sumHistory({ outages, observed, span: DAY, parts: [], planned, only })
    for (;;) {
      const slice = slices.next()
      if (slice.done) return slice.value
    }
  }

  it.each([
    { what: 'renamed into it', name: 'shop-1', earlier: 'web-1', counted: 3, observedHours: 22 },
    { what: 'renamed out of it', name: 'web-1', earlier: 'shop-1', counted: 2, observedHours: 22 },
  ])('applies the maintenance of its name at the time to an outage of a check that was $what', (one) => {
    const earlierNames = [{ name: one.earlier, until: at('10T12:00') }]
    const check = { uuid: 'a', name: one.name }
    const down = outage('a', '10T09:00', '10T13:00', { check, earlierNames })
    for (const sum of [sumOf([down]), sumOf([down], check)])
      expect(sum).toMatchObject({
        downMs: one.counted * HOUR,
        checks: [{ uptime: 1 - one.counted / one.observedHours }],
      })
    expect(sumOf([down], check).observedMs).toBe(one.observedHours * HOUR)
  })

  it('uses the old name until the check goes down under a new one', () => {
    const first = outage('a', '10T09:00', '10T11:00', { check: { uuid: 'a', name: 'shop-1' } })
    const second = outage('a', '10T13:00', '10T15:00', { check: { uuid: 'a', name: 'web-1' } })
    // One hour of the first outage is before the window; the second one counts in full.
    expect(sumOf([first, second])).toMatchObject({ downMs: 3 * HOUR, checks: [{ uptime: 1 - 3 / 21 }] })
  })
})

describe('a history', () => {
  it('counts outages, and uptime over observed time only', () => {
    const observed = [
      { from: at('09T20:00'), to: at('10T10:00') },
      { from: at('10T14:00'), to: at('10T20:00') },
    ]
    const sum = sumUp(
      [
        outage('web', '10T09:00', '10T15:00'),
        outage('web', '10T18:00', '10T18:30'),
        outage('mail', '09T23:00', '10T01:00'),
        outage('gone', '09T10:00', '09T23:59'),
      ],
      observed,
      DAY,
      'UTC',
    )
    // 10 h and 6 h were observed. Of web's 6 h down, one is before the gap and one after it.
    expect(sum).toMatchObject({ observedMs: 16 * HOUR, outages: 2, downMs: 3.5 * HOUR })
    expect(
      sum.checks.map(({ check, outages, downMs, uptime }) => [check.name, outages, downMs, uptime]),
    ).toEqual([
      ['web', 2, 2.5 * HOUR, 1 - 2.5 / 16],
      ['mail', 0, HOUR, 1 - 1 / 16],
    ])
    expect(sum.longest).toMatchObject({ outage: { id: 'web 10T09:00' }, ms: 2 * HOUR })
    expect(sum.checks.map(({ alreadyDownAt }) => alreadyDownAt)).toEqual([[], ['span']])
    expect(sum.stillDown).toEqual([])
  })

  it('finds the observed part of each outage among thousands of intervals', () => {
    const minute = 60_000
    const start = DAY.from.getTime()
    const observed = Array.from({ length: 1440 }, (_, index) => ({
      from: new Date(start + index * minute),
      to: new Date(start + index * minute + minute / 2),
    }))
    const sum = sumUp([outage('web', '10T09:00', '10T10:00')], observed, DAY, 'UTC')
    expect(sum.downMs).toBe(30 * minute)
  })

  it('has no uptime if nothing was observed', () => {
    const sum = sumUp([outage('web', '10T09:00')], [], DAY, 'UTC')
    expect(sum.checks[0]?.uptime).toBeUndefined()
    expect(sum).toMatchObject({ observedMs: 0, downMs: 0, outages: 1, longest: undefined })
    expect(sum.stillDown).toHaveLength(1)
  })

  it('doesn’t count an outage from before watching began as a new one', () => {
    const sum = sumUp([outage('web', '10T09:00', undefined, { isBaseline: true })], [DAY], DAY, 'UTC')
    expect(sum).toMatchObject({ outages: 0, downMs: 15 * HOUR, longest: { ms: 15 * HOUR } })
    expect(sum.checks).toMatchObject([{ outages: 0, alreadyDownAt: ['watching'] }])
  })

  it('never has a longest outage longer than total downtime or observed time', () => {
    const observed = [{ from: at('10T23:47'), to: at('10T23:59') }]
    const baseline = outage('web', '10T23:46', undefined, { isBaseline: true })
    for (const outages of [[baseline], [outage('web', '01T00:00')], [baseline, outage('old', '09T00:00')]]) {
      const { longest, downMs, observedMs } = sumUp(outages, observed, DAY, 'UTC')
      expect(longest?.ms).toBeLessThanOrEqual(Math.min(downMs, observedMs))
    }
  })

  it.each([
    { days: 7, parts: 8, of: 1 },
    { days: 30, parts: 16, of: 2 },
    { days: 90, parts: 19, of: 5 },
  ])('has $parts bars of $of days for $days days in Paris, without a gap', ({ days, parts, of }) => {
    const to = new Date('2026-11-20T14:05:00Z')
    const from = new Date(to.getTime() - days * 24 * HOUR)
    const sum = sumUp([], [], { from, to }, 'Europe/Paris')
    expect(sum.parts).toHaveLength(parts)
    expect(sum.parts[0]?.days).toBe(of)
    expect(sum.parts[0]?.from).toEqual(from)
    expect(sum.parts.at(-1)?.to).toEqual(to)
    for (const [index, part] of sum.parts.entries())
      if (index > 0) expect(part.from).toEqual(sum.parts[index - 1]?.to)
  })

  it('excludes time before a health check was created and after it was deleted', () => {
    const madeAt = at('10T20:00').toISOString()
    const young = { check: { uuid: 'young', name: 'young', madeAt } }
    const outages = [
      outage('young', '10T22:00', undefined, young),
      outage('gone', '10T03:00', '10T04:00', { ending: 'deleted' }),
      outage('old', '10T22:00'),
    ]
    const uptimes = (all: readonly Outage[]) =>
      sumUp(all, [DAY], DAY, 'UTC').checks.map(({ check, uptime }) => [check.name, uptime])
    expect(uptimes(outages)).toEqual([
      ['young', 0.5],
      ['old', 1 - 2 / 24],
      ['gone', 0.75],
    ])
    // Clocks differ: it may have been down before the service says it was created.
    expect(uptimes([outage('young', '10T18:00', '10T21:00', young)])).toEqual([['young', 0.5]])
  })

  it('has no uptime for a few seconds', () => {
    const observed = [{ from: at('10T09:00'), to: at('10T09:00:12') }]
    expect(sumUp([outage('web', '10T09:00:10')], observed, DAY, 'UTC').checks).toMatchObject([
      { downMs: 2000, uptime: undefined },
    ])
  })

  const minute = (minutes: number): Date => new Date(DAY.from.getTime() + minutes * 60_000)
  it.each([
    { what: 'nothing was observed', lasts: [[0, 10]], observed: [], uptime: undefined },
    { what: 'it was down for half of it', lasts: [[0, 5]], observed: [[0, 10]], uptime: 0.5 },
    { what: 'half of it wasn’t observed', lasts: [[0, 10]], observed: [[5, 15]], uptime: 0.5 },
    { what: 'it is ongoing', lasts: [[8]], observed: [[0, 10]], uptime: 0.8 },
    {
      what: 'there is a gap',
      lasts: [[4, 12]],
      observed: [
        [0, 5],
        [10, 15],
      ],
      uptime: 0.7,
    },
  ])('has an uptime of $uptime if $what', ({ lasts, observed, uptime }) => {
    const outages = lasts.map(([from = 0, to]): Outage => {
      const { endedAt: _, ending: __, ...open } = outage('web', '10T00:00', '10T01:00')
      return { ...open, startedAt: minute(from), ...(to !== undefined && { endedAt: minute(to) }) }
    })
    const seen = observed.map(([from = 0, to = 0]) => ({ from: minute(from), to: minute(to) }))
    const sum = sumUp(outages, seen, DAY, 'UTC')
    const [found] = sum.checks
    if (uptime === undefined) expect(found?.uptime).toBeUndefined()
    else expect(found?.uptime).toBeCloseTo(uptime)
    expect(sum.downMs).toBeLessThanOrEqual(sum.observedMs)
  })
})
