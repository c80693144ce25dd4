import { describe, expect, it } from 'vitest'
import {
  formatPageSteps,
  getPageDelay,
  parsePageSteps,
} from '../../../../src/features/watching/rules/page-step.ts'

const MINUTE_MS = 60_000
const listDelays = (typed: string, count: number): number[] =>
  Array.from({ length: count }, (_, pages) => getPageDelay(parsePageSteps(typed), pages) / MINUTE_MS)

describe('the steps of a page', () => {
  it.each([
    { typed: '10m @on-call', delays: [10, 20, 30, 40] },
    { typed: '10m @on-call, 30m @lead', delays: [10, 30, 50, 70] },
    { typed: '5m @a, 10m @b, 1h @c @d', delays: [5, 10, 60, 110] },
  ])('of $typed come after $delays minutes', ({ typed, delays }) => {
    expect(listDelays(typed, 4)).toEqual(delays)
    expect(formatPageSteps(parsePageSteps(typed))).toBe(typed.replace('1h', '60m'))
  })

  it.each([
    { typed: '10m', expected: 'needs how long to wait and whom to page' },
    { typed: '10m @a, 10m @b', expected: 'each wait longer' },
    { typed: '1m @a', expected: 'from 5m to 24h' },
    { typed: '5m @a, 6m @b, 7m @c, 8m @d', expected: 'up to 3 steps' },
  ])('can’t be $typed', ({ typed, expected }) => {
    expect(() => parsePageSteps(typed)).toThrow(expected)
  })
})
