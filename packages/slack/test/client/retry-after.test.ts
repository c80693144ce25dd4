import { expect, it } from 'vitest'
import { retryAfterMs } from '../../src/client/slack-errors.ts'

const slackError = (code: string): Error => new Error(`An API error occurred: ${code}`)
const rateLimitError = (retryAfter: unknown): Error => Object.assign(new Error('429'), { retryAfter })

it.each([
  { error: rateLimitError(7), ms: 7000 },
  { error: rateLimitError('soon'), ms: 5000 },
  { error: rateLimitError(100_000), ms: 3_600_000 },
  { error: slackError('ratelimited'), ms: 5000 },
])('waits $ms ms before retrying after $error', ({ error, ms }) => {
  expect(retryAfterMs(error)).toBe(ms)
})

it('returns a wait time only for rate-limited calls', () => {
  expect(retryAfterMs(slackError('is_archived'))).toBeUndefined()
  expect(retryAfterMs('thrown')).toBeUndefined()
})
