import { describe, expect, it } from 'vitest'
import { formatDuration } from '../src/durations.ts'

const MINUTE = 60_000

describe('formatDuration', () => {
  it.each([
    { ms: -5, expected: '0 s' },
    { ms: 42_999, expected: '42 s' },
    { ms: 12 * MINUTE, expected: '12 min' },
    { ms: 65 * MINUTE, expected: '1 h 5 min' },
    { ms: 120 * MINUTE, expected: '2 h' },
    { ms: 51 * 60 * MINUTE, expected: '2 d 3 h' },
    { ms: 24 * 60 * MINUTE + 59 * MINUTE, expected: '1 d' },
    { ms: 7 * 1440 * MINUTE - 1, expected: '6 d 23 h' },
    { ms: 7 * 1440 * MINUTE + 60 * MINUTE, expected: '7 d' },
    { ms: 729 * 1440 * MINUTE, expected: '729 d' },
    { ms: 731 * 1440 * MINUTE, expected: '2 years' },
  ])('formats $ms ms as $expected', ({ ms, expected }) => {
    expect(formatDuration(ms)).toBe(expected)
  })
})
