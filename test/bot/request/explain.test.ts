import { SealError } from '@signalman/durable'
import { UserError } from '@signalman/runtime'
import { expect, it } from 'vitest'
import { toServiceFailure } from '../../../src/bot/request/context.ts'
import { explain } from '../../../src/bot/request/explain.ts'
import { ApiError } from '../../../src/service/errors.ts'

it.each([
  { kind: 'unauthorized', offers: ['/hc connect'] },
  { kind: 'rejected', offers: [] },
] as const)('offers to store a new token only if the service refused it: $kind', ({ kind, offers }) => {
  const { suggestions = [] } = explain(new ApiError(kind, 'No.'))
  expect(suggestions.map(({ line }) => line)).toEqual(offers)
})

it.each([
  [new UserError('There is no token.'), 'not-connected'],
  [new SealError('unknown-key', 'No key opens it.'), 'not-connected'],
  [new ApiError('unavailable', 'No.'), 'unreachable'],
])('doesn’t blame the service for a token that can’t be used: %s', (error, failure) => {
  expect(toServiceFailure(error)).toBe(failure)
})
