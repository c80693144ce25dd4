import { expect, it } from 'vitest'
import { describeError } from '../../src/doctor/finding.ts'

it.each([
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
    'ECONNREFUSED',
  ],
  [new TypeError('fetch failed', { cause: new Error('bad port') }), 'bad port'],
  [new TypeError('Invalid URL'), 'invalid address'],
  [new DOMException('…', 'TimeoutError'), 'timeout'],
  [undefined, 'unknown reason'],
] as const)('describes %s by its code or its cause', (error, expected) => {
  expect(describeError(error)).toBe(expected)
})
