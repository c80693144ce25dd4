import { expect, it } from 'vitest'
import { retryAfterMs } from '../../src/client/slack-answer.ts'

const said = (code: string): Error => new Error(`An API error occurred: ${code}`)
const limited = (retryAfter: unknown): Error => Object.assign(new Error('429'), { retryAfter })

it.each([
  { error: limited(7), ms: 7000 },
  { error: limited('soon'), ms: 5000 },
  { error: limited(100_000), ms: 3_600_000 },
  { error: said('ratelimited'), ms: 5000 },
])('waits $ms ms after $error', ({ error, ms }) => {
  expect(retryAfterMs(error)).toBe(ms)
})

it('reads a pause only from a rate-limited call', () => {
  expect(retryAfterMs(said('is_archived'))).toBeUndefined()
  expect(retryAfterMs('thrown')).toBeUndefined()
})
