import { expect, it } from 'vitest'
import { NotConnected, toServiceFailure } from '../../../../src/bot/request/context.ts'
import { getRetryMs, MAX_RETRY_MS } from '../../../../src/features/watching/polling/poll-scope.ts'
import { ApiError } from '../../../../src/service/errors.ts'

it.each([
  { request: 'nothing', seconds: undefined, ms: 0 },
  { request: '60 s', seconds: 60, ms: 60_000 },
  { request: 'a week', seconds: 604_800, ms: MAX_RETRY_MS },
  { request: '999,999,999 s', seconds: 999_999_999, ms: MAX_RETRY_MS },
])('delays the next poll by $ms ms if the service asks for $request', ({ seconds, ms }) => {
  expect(getRetryMs(new ApiError('unavailable', 'later', { retryAfterSeconds: seconds }))).toBe(ms)
})

it.each([
  { error: new ApiError('unavailable', 'no answer'), failure: 'unreachable' },
  { error: new ApiError('timeout', 'too slow'), failure: 'unreachable' },
  { error: new ApiError('unavailable', 'down', { status: 503 }), failure: 'failing' },
  { error: new ApiError('forbidden', 'no', { status: 403 }), failure: 'refused' },
  { error: new ApiError('rejected', 'no', { status: 400 }), failure: 'refused' },
  { error: new ApiError('rate-limited', 'later', { status: 429 }), failure: 'rate-limited' },
  { error: new ApiError('unreadable', 'wrong', { status: 200 }), failure: 'unreadable' },
  { error: new ApiError('unauthorized', 'who', { status: 401 }), failure: 'unauthorized' },
  { error: new NotConnected('production'), failure: 'not-connected' },
  { error: new Error('of our own'), failure: 'unreachable' },
])('maps "$error.message" to the failure $failure', ({ error, failure }) => {
  expect(toServiceFailure(error)).toBe(failure)
})
