import { describe, expect, it } from 'vitest'
import { pauseMs, retryAfterSeconds } from '../../src/service/retry.ts'

const policy = { attempts: 3, baseDelayMs: 100, maxDelayMs: 350 }

describe('pauses', () => {
  it.each([
    { attempt: 1, random: 0.5, asked: undefined, ms: 50 },
    { attempt: 2, random: 0.5, asked: undefined, ms: 100 },
    { attempt: 3, random: 1, asked: undefined, ms: 350 },
    { attempt: 5_000, random: 1, asked: undefined, ms: 350 },
    { attempt: 1, random: 0, asked: 2, ms: 2_000 },
    { attempt: 1, random: 0.5, asked: 2, ms: 2_050 },
  ])('after attempt $attempt, asked for $asked s: $ms ms', ({ attempt, random, asked, ms }) => {
    expect(pauseMs(policy, attempt, asked, () => random)).toBe(ms)
  })
})

describe('Retry-After', () => {
  const now = new Date('2026-03-04T05:06:07Z')
  it.each([
    ['120', 120],
    ['0', 0],
    [' 1.5 ', 1.5],
    ['Wed, 04 Mar 2026 05:06:37 GMT', 30],
    ['Wed, 04 Mar 2026 05:00:00 GMT', 0],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
    [['7', '8'], 7],
  ])('reads %j as %j seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds)
  })
})
