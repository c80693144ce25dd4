import { expect, it } from 'vitest'
import { describeError } from '../../src/doctor/finding.ts'

const TIMED_OUT = 'no response in time: the host may be overloaded, or a firewall drops the connection'

it.each([
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
    'ECONNREFUSED',
  ],
  [new TypeError('fetch failed', { cause: new Error('bad port') }), 'bad port'],
  [new TypeError('Invalid URL'), 'invalid address'],
  [new DOMException('…', 'TimeoutError'), TIMED_OUT],
  [new Error('request failed', { cause: new DOMException('…', 'TimeoutError') }), TIMED_OUT],
  [
    new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'UND_ERR_CONNECT_TIMEOUT' }) }),
    TIMED_OUT,
  ],
  [Object.assign(new Error(), { code: 'ETIMEDOUT' }), TIMED_OUT],
  [undefined, 'unknown reason'],
] as const)('describes %s by its code or its cause', (error, expected) => {
  expect(describeError(error)).toBe(expected)
})
