import { expect, it } from 'vitest'
import { BLIND_AFTER_MS } from '../../../../src/domain/outages/outage.ts'
import { retryAfterMs } from '../../../../src/features/watching/polling/poll-scope.ts'
import { ApiError } from '../../../../src/service/errors.ts'

it.each([
  { asked: undefined, ms: 0 },
  { asked: 90, ms: 90_000 },
  { asked: 604_800, ms: BLIND_AFTER_MS / 2 },
  { asked: 999_999_999, ms: BLIND_AFTER_MS / 2 },
])('waits $ms ms with the next poll where the service asked for $asked s', ({ asked, ms }) => {
  expect(retryAfterMs(new ApiError('unavailable', 'later', { retryAfterSeconds: asked }))).toBe(ms)
})
