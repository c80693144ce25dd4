import { expect, it } from 'vitest'
import type { Incident } from '../../src/domain/outages/incident.ts'
import {
  formatDownFor,
  formatDownSince,
  formatLasted,
  formatWasDown,
  formatWereDown,
} from '../../src/domain/outages/spell.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 28, 0, minute))
const outage = (values: Partial<Incident>): Incident => ({
  ...{ id: 'I', check: { uuid: 'a', name: 'a' }, isDown: true, isInstalling: false, badPolls: 1 },
  ...{ isBaseline: false, openedAt: at(0), downs: [{ from: at(0) }], ...values },
})

it('rounds to minutes, and says what isn’t known', () => {
  expect([2000, 61_000, 3_720_000].map((ms) => formatLasted(ms))).toEqual([
    'under 1 min',
    '1 min',
    '1 h 2 min',
  ])
  expect(formatLasted(240_000, { isAtMost: true })).toBe('at most 4 min')
  expect(formatLasted(240_000, { isAtLeast: true })).toBe('at least 4 min')
  expect(formatLasted(240_000, { isAtLeast: true, isAtMost: true })).toBe('about 4 min')
})

it('counts what is down from its latest fall, and says if nobody looked before', () => {
  const again = outage({
    downs: [
      { from: at(0), to: at(2) },
      { from: at(50), isAtLeast: true },
    ],
  })
  expect(formatDownSince(again)).toEqual(['since at least ', at(50)])
  expect(formatDownFor([again], at(60))).toBe('at least 10 min')
  expect(formatDownFor([again, outage({})], at(60))).toBe('up to 1 h')
  expect(formatDownFor([again], at(50))).toBeUndefined()
})

it('says how long what is up again was down', () => {
  const up = (downs: Incident['downs']) => outage({ isDown: false, downs })
  expect(formatWasDown(up([{ from: at(0), to: at(4) }]))).toBe('4 min')
  expect(
    formatWasDown(
      up([
        { from: at(0), to: at(4) },
        { from: at(9), to: at(12) },
      ]),
    ),
  ).toBe('2 times within 12 min')
  expect(formatWereDown([up([{ from: at(0), to: at(4) }]), up([{ from: at(0), to: at(2) }])])).toBe(
    'up to 4 min',
  )
  expect(
    formatWereDown([up([{ from: at(0), to: at(4), isAtLeast: true }]), up([{ from: at(0), to: at(2) }])]),
  ).toBe('at least 2 min')
})
