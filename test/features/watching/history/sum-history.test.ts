import { describe, expect, it } from 'vitest'
import type { Outage } from '../../../../src/domain/watching/outage.ts'
import { sumHistory } from '../../../../src/features/watching/history/sum-history.ts'

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

describe('a history', () => {
  it('counts outages, and uptime over the time that was observed alone', () => {
    const observed = [
      { from: at('09T20:00'), to: at('10T10:00') },
      { from: at('10T14:00'), to: at('10T20:00') },
    ]
    const sum = sumHistory(
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
    // 10 h and 6 h were observed; of web's 6 h, one before the gap and one behind it.
    expect(sum).toMatchObject({ observedMs: 16 * HOUR, outages: 2, downMs: 3.5 * HOUR })
    expect(
      sum.checks.map(({ check, outages, downMs, uptime }) => [check.name, outages, downMs, uptime]),
    ).toEqual([
      ['web', 2, 2.5 * HOUR, 1 - 2.5 / 16],
      ['mail', 0, HOUR, 1 - 1 / 16],
    ])
    expect(sum.longest).toMatchObject({ outage: { id: 'web 10T09:00' }, ms: 2 * HOUR })
    expect(sum.checks.map(({ already }) => already)).toEqual([[], ['span']])
    expect(sum.stillDown).toEqual([])
  })

  it('finds what was observed of each outage among thousands of intervals', () => {
    const minute = 60_000
    const start = DAY.from.getTime()
    const observed = Array.from({ length: 1440 }, (_, index) => ({
      from: new Date(start + index * minute),
      to: new Date(start + index * minute + minute / 2),
    }))
    const sum = sumHistory([outage('web', '10T09:00', '10T10:00')], observed, DAY, 'UTC')
    expect(sum.downMs).toBe(30 * minute)
  })

  it('knows no uptime where nothing was observed', () => {
    const sum = sumHistory([outage('web', '10T09:00')], [], DAY, 'UTC')
    expect(sum.checks[0]?.uptime).toBeUndefined()
    expect(sum).toMatchObject({ observedMs: 0, downMs: 0, outages: 1, longest: undefined })
    expect(sum.stillDown).toHaveLength(1)
  })

  it('does not count what was down when watching began as an outage that began then', () => {
    const sum = sumHistory([outage('web', '10T09:00', undefined, { isBaseline: true })], [DAY], DAY, 'UTC')
    expect(sum).toMatchObject({ outages: 0, downMs: 15 * HOUR, longest: { ms: 15 * HOUR } })
    expect(sum.checks).toMatchObject([{ outages: 0, already: ['watching'] }])
  })

  it('has no longest outage that is longer than all were down, or than was observed', () => {
    const observed = [{ from: at('10T23:47'), to: at('10T23:59') }]
    const baseline = outage('web', '10T23:46', undefined, { isBaseline: true })
    for (const outages of [[baseline], [outage('web', '01T00:00')], [baseline, outage('old', '09T00:00')]]) {
      const { longest, downMs, observedMs } = sumHistory(outages, observed, DAY, 'UTC')
      expect(longest?.ms).toBeLessThanOrEqual(Math.min(downMs, observedMs))
    }
  })

  it.each([
    { days: 7, parts: 8, of: 1 },
    { days: 30, parts: 16, of: 2 },
    { days: 90, parts: 19, of: 5 },
  ])('of $days days in Paris has $parts parts of $of days, without a gap', ({ days, parts, of }) => {
    const to = new Date('2026-11-20T14:05:00Z')
    const from = new Date(to.getTime() - days * 24 * HOUR)
    const sum = sumHistory([], [], { from, to }, 'Europe/Paris')
    expect(sum.parts).toHaveLength(parts)
    expect(sum.parts[0]?.days).toBe(of)
    expect(sum.parts[0]?.from).toEqual(from)
    expect(sum.parts.at(-1)?.to).toEqual(to)
    for (const [index, part] of sum.parts.entries())
      if (index > 0) expect(part.from).toEqual(sum.parts[index - 1]?.to)
  })
})
