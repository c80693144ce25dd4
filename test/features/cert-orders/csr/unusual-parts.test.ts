import { expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { buildRequest } from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

const CRITICAL = der(0x01, Buffer.from([0xff]))
const VALUE = der(0x04, sequence())

it.each([
  { parts: 'none', extension: sequence() },
  { parts: 'no value', extension: sequence(oid('1.2.3')) },
  { parts: 'no object identifier', extension: sequence(CRITICAL, VALUE) },
  { parts: 'a value that isn’t an octet string', extension: sequence(oid('1.2.3'), sequence()) },
  { parts: 'one too many', extension: sequence(oid('1.2.3'), CRITICAL, CRITICAL, VALUE) },
  { parts: 'two values', extension: sequence(oid('1.2.3'), VALUE, VALUE) },
])('a request is refused if one of its extensions has wrong parts: $parts', ({ extension: malformed }) => {
  expect(readCsr(buildRequest({ extensions: [malformed] }).toString('base64'))).toHaveProperty('problem')
})
