import { expect, it } from 'vitest'
import { explain } from '../../../src/bot/request/explain.ts'
import { ApiError } from '../../../src/service/errors.ts'

it.each([
  { kind: 'unauthorized', offers: ['/hc connect'] },
  { kind: 'rejected', offers: [] },
] as const)('offers to store a new token only if the service refused it: $kind', ({ kind, offers }) => {
  const { suggestions = [] } = explain(new ApiError(kind, 'No.'))
  expect(suggestions.map(({ line }) => line)).toEqual(offers)
})
