import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from '../src/durations.ts'

const MINUTE = 60_000

describe('formatDuration and parseDuration', () => {
  it.each([
    { ms: -5, says: '0 s' },
    { ms: 42_999, says: '42 s' },
    { ms: 12 * MINUTE, says: '12 min' },
    { ms: 65 * MINUTE, says: '1 h 5 min' },
    { ms: 120 * MINUTE, says: '2 h' },
    { ms: 51 * 60 * MINUTE, says: '2 d 3 h' },
    { ms: 24 * 60 * MINUTE + 59 * MINUTE, says: '1 d' },
    { ms: 7 * 1440 * MINUTE - 1, says: '6 d 23 h' },
    { ms: 7 * 1440 * MINUTE + 60 * MINUTE, says: '7 d' },
    { ms: 729 * 1440 * MINUTE, says: '729 d' },
    { ms: 731 * 1440 * MINUTE, says: '2 years' },
  ])('formats $ms ms as $expected', ({ ms, says: expected }) => {
    expect(formatDuration(ms)).toBe(expected)
  })

  it.each([
    { typed: '30m', ms: 30 * MINUTE },
    { typed: '2H', ms: 120 * MINUTE },
    { typed: '1d', ms: 1440 * MINUTE },
    { typed: '90 min', ms: 90 * MINUTE },
    { typed: 'm', ms: undefined },
    { typed: '-1h', ms: undefined },
    { typed: '1.5h', ms: undefined },
    { typed: '1w', ms: 7 * 1440 * MINUTE },
    { typed: '1h 30m', ms: 90 * MINUTE },
    { typed: '1h30m', ms: 90 * MINUTE },
    { typed: '2 d 3 h', ms: 51 * 60 * MINUTE },
    { typed: '30', ms: undefined },
    { typed: '1h 30', ms: undefined },
    { typed: '1h,30m', ms: undefined },
    { typed: '1constructor', ms: undefined },
  ])('parses $typed as $ms ms', ({ typed, ms }) => {
    expect(parseDuration(typed)).toBe(ms)
  })
})
