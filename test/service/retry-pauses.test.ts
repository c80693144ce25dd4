import { fullJitterMs } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/service/response-errors.ts'

it.each([
  { attempt: 1, bound: 100 },
  { attempt: 2, bound: 200 },
  { attempt: 3, bound: 350 },
  { attempt: 5_000, bound: 350 },
])('a random pause is shorter than $bound ms after attempt $attempt', ({ attempt, bound }) => {
  const pauses = Array.from({ length: 100 }, () => fullJitterMs(attempt, { baseMs: 100, maxMs: 350 }))
  for (const ms of pauses) expect(ms).toSatisfy((pause: number) => pause >= 0 && pause < bound)
})

const now = new Date('2026-03-04T05:06:07Z')
it.each([
  ['0', 0],
  [' 1.5 ', 1.5],
  ['Wed, 04 Mar 2026 05:06:37 GMT', 30],
  ['Wed, 04 Mar 2026 05:00:00 GMT', 0],
  ['-5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
  [['7', '8'], 7],
])('Retry-After is read from %j as %j seconds', (header, seconds) => {
  expect(parseRetryAfter(header, now)).toBe(seconds)
})
