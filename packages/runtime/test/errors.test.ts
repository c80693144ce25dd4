import { expect, it } from 'vitest'
import { rootCause } from '../src/index.ts'

it.each([
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new Error('outer', { cause: new Error('inner') }), 'inner'],
  // Its code is 23.
  [new DOMException('It took too long.', 'TimeoutError'), 'It took too long.'],
])('names why something failed: %s', (error, expected) => {
  expect(rootCause(error)).toBe(expected)
})
