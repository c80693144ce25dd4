import { expect, it } from 'vitest'
import { readCsr, UNREADABLE } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { formatName } from '../../../../src/features/cert-orders/rules/csr/names.ts'
import { alternativeNames, buildRequest, buildSubject, extension, host } from './build-request.ts'
import { der, oid, sequence } from './encode-der.ts'

const CN = '2.5.4.3'
const UPN = '1.3.6.1.4.1.311.20.2.3'
const GUID = '1.3.6.1.4.1.311.25.1'

const other = (id: string, ...parts: readonly Buffer[]): Buffer => der(0xa0, oid(id), ...parts)
const read = (parts: Parameters<typeof buildRequest>[0]) => readCsr(buildRequest(parts).toString('base64'))

/** Names that openssl shows in other words, or not at all. All other kinds of names: corpus.test.ts. */
it.each([
  ['a name in no known encoding', host(Buffer.from([0x61, 0xff])), 'DNS aÿ'],
  ['an object id', der(0x88, oid('1.2.840.113549').subarray(2)), 'object id 1.2.840.113549'],
  ['a directory name', der(0xa4, buildSubject([CN, 'a, b'])), 'directory CN=a\\, b'],
  [
    'a directory name with a second part',
    der(0xa4, buildSubject([CN, 'a']), der(0x05)),
    expect.stringMatching(/^directory 30[0-9a-f]+0500$/),
  ],
  ['one that isn’t text', other(UPN, der(0xa0, der(0x01, ''))), 'other name UPN #0100'],
  [
    'a GUID',
    other(GUID, der(0xa0, der(0x04, Buffer.alloc(16, 0xab)))),
    `other name ${GUID} #0410${'ab'.repeat(16)}`,
  ],
  [
    'a service',
    other('1.3.6.1.5.5.7.8.7', der(0xa0, der(0x16, '_sip.a.example'))),
    'other name 1.3.6.1.5.5.7.8.7 _sip.a.example',
  ],
  ['an unknown other name', other('1.2.3.4', der(0xa0, der(0x0c, 'x'))), 'other name 1.2.3.4 x'],
  [
    'an other name with a third part',
    other(UPN, der(0xa0, der(0x0c, 'x')), der(0x0c, 'y')),
    expect.stringMatching(/^other name [0-9a-f]+$/),
  ],
  ['X.400', der(0xa3, 'x'), 'X.400 78'],
  ['EDI', der(0xa5, 'x'.repeat(60)), `EDI ${'78'.repeat(60)}`],
])('shows %s among the alternative names, and the name after it', (_, name, expected) => {
  const result = read({ extensions: [alternativeNames(name, host('a.example'))] })
  expect('csr' in result && result.csr.names.map(formatName)).toEqual([expected, 'DNS a.example'])
})

it.each([
  ['a name that is cut off', alternativeNames(Buffer.from([0x82, 5, 0x61]))],
  ['bytes after the list', extension('2.5.29.17', Buffer.concat([sequence(), der(0x05, '')]))],
])('refuses alternative names with %s', (_, malformed) => {
  expect(read({ extensions: [malformed] })).toEqual({ problem: UNREADABLE })
})

/** Subjects that openssl shows in other words, or refuses. */
it.each([
  ['an unknown type', ['1.2.3.40000', 'x'], '1.2.3.40000=x'],
  ['broken UTF-8', [CN, Buffer.from([0x61, 0xff])], 'CN=#0c0261ff'],
  ['a value that isn’t text', [CN, 'x', 0x04], 'CN=#040178'],
  [
    'characters that must be escaped',
    [CN, ' #a,"b"+<c>;\\\n\t '],
    'CN=\\ #a\\,\\"b\\"\\+\\<c\\>\\;\\\\\\0A\\09\\ ',
  ],
] as const)('shows a subject with %s', (_, part, expected) => {
  expect(read({ subject: buildSubject(part) })).toMatchObject({ csr: { subject: expected } })
})
