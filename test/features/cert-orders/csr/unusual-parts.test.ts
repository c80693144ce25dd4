import { expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { parseElements, readString } from '../../../../src/features/cert-orders/rules/csr/der.ts'
import { buildRequest, extension } from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

const MUST_STAPLE = 'with must-staple, browsers reject the server when it has no fresh OCSP response'
const OTHERS = 'only must-staple is usual'

it.each([
  { features: [5], value: 'must-staple', why: MUST_STAPLE },
  { features: [17], value: 'must-staple, version 2', why: OTHERS },
  { features: [5, 17], value: 'must-staple, must-staple, version 2', why: OTHERS },
  { features: [5, 5], value: 'must-staple, must-staple', why: OTHERS },
  { features: [6], value: '6', why: OTHERS },
  { features: [], value: '(none)', why: OTHERS },
])('the TLS features $features are shown as $value, with a reason to look', ({ features, value, why }) => {
  const list = sequence(...features.map((feature) => der(0x02, Buffer.from([feature]))))
  const request = buildRequest({ extensions: [extension('1.3.6.1.5.5.7.1.24', list)] })
  const result = readCsr(request.toString('base64'))
  if ('problem' in result) throw new Error(result.problem)
  expect(result.csr.extensions).toEqual([expect.objectContaining({ name: 'TLS feature', value, why })])
})

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

it.each([
  [0xd7ff, '\ud7ff'],
  [0xd800, undefined],
  [0xdfff, undefined],
  [0xe000, '\ue000'],
  [0x10ffff, '\u{10ffff}'],
  [0x110000, undefined],
])('a universal string with the code point %i is read as %j', (point, text) => {
  const content = Buffer.alloc(4)
  content.writeUInt32BE(point)
  const [element] = parseElements(der(0x1c, content))
  expect(element && readString(element)).toBe(text)
})
