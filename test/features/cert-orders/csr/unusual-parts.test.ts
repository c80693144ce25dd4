import { expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { listOrderEntries } from '../../../../src/features/cert-orders/views/entries.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  requestExtensions,
} from './build-request.ts'
import { der, oid, sequence, set } from './encode-der.ts'

const CRITICAL = der(0x01, Buffer.from([0xff]))
const VALUE = der(0x04, sequence())

it.each([
  ['no value', sequence(oid('1.2.3'))],
  ['a value that isn’t an octet string', sequence(oid('1.2.3'), sequence())],
  ['a part too many', sequence(oid('1.2.3'), CRITICAL, CRITICAL, VALUE)],
  ['two values', sequence(oid('1.2.3'), VALUE, VALUE)],
])('a request is refused if one of its extensions has %s', (_, malformed) => {
  expect(readCsr(buildRequest({ extensions: [malformed] }).toString('base64'))).toHaveProperty('problem')
})

const integer = (...bytes: number[]): Buffer => der(0x02, Buffer.from(bytes))
const utf8 = (text: string): Buffer => der(0x0c, text)
const universal = (hex: string): Buffer => der(0x1c, Buffer.from(hex, 'hex'))

it.each([
  [
    'the client',
    sequence(integer(9), utf8('WEB-1.corp'), utf8('CORP\\ann'), utf8('certreq')),
    '9, WEB-1.corp, CORP\\ann, certreq',
  ],
  ['bytes', sequence(der(0x04, Buffer.from([1, 2]))), '#04020102'],
  [
    'a setting',
    sequence(CRITICAL, set(oid('1.3.6.1.5.5.7.3.8')), der(0x17, '260101000000Z')),
    'TRUE, timeStamping, 260101000000Z',
  ],
  ['four-byte letters', universal('0001f600'), '😀'],
  ['a cut list', der(0x30, Buffer.from([0x0c, 9])), '#30020c09'],
])(
  'shows the texts, numbers, and identifiers of an attribute, and bytes of everything else: %s',
  (_, value, expected) => {
    const request = buildRequest({ attributes: [sequence(oid('1.3.6.1.4.1.311.21.20'), set(value))] })
    const read = readCsr(request.toString('base64'))
    expect(read).toMatchObject({ csr: { attributes: [{ values: [expected] }] } })
  },
)

it('shows what Windows adds as text: a user principal name, name–value attributes, and known usages', () => {
  const bmp = (text: string) => der(0x1e, Buffer.from(text, 'utf16le').swap16())
  const upn = der(0xa0, oid('1.3.6.1.4.1.311.20.2.3'), der(0xa0, der(0x0c, 'ann@corp.example')))
  const usages = extension(
    '2.5.29.37',
    sequence(oid('1.3.6.1.4.1.311.20.2.2'), oid('1.3.6.1.5.5.7.3.4'), oid('1.2.3.4')),
  )
  const pair = sequence(bmp('CertificateTemplate'), bmp('WebServer'))
  const request = buildRequest({
    attributes: [
      requestExtensions(alternativeNames(upn), usages),
      sequence(oid('1.3.6.1.4.1.311.13.2.1'), set(pair)),
    ],
  })
  const read = readCsr(request.toString('base64'))
  expect(read).toMatchObject({
    csr: {
      names: [{ kind: 'other name', text: 'UPN ann@corp.example' }],
      attributes: [{ values: ['CertificateTemplate, WebServer'] }],
      extensions: [{ value: 'smartcardLogon, emailProtection, 1.2.3.4' }],
      warnings: expect.arrayContaining([
        'Extended key usage: purposes that web servers don’t need: smartcardLogon, emailProtection, 1.2.3.4',
      ]),
    },
  })
})

it('names what it shows to an approver', () => {
  const flag = extension('1.3.6.1.5.5.7.1.24', sequence(der(0x02, Buffer.from([5]))))
  const request = buildRequest({
    subject: buildSubject(['2.5.4.97', 'Shop']),
    attributes: [
      requestExtensions(flag),
      sequence(oid('1.2.840.113549.1.9.2'), set(der(0x0c, 'web'))),
      sequence(oid('1.2.3.4'), set(der(0x0c, 'x'))),
    ],
  })
  const read = readCsr(request.toString('base64'))
  if ('problem' in read) throw new Error(read.problem)
  expect(read.csr.subject).toBe('organizationIdentifier=Shop')
  const content = { csr: read.csr, request: { action: 'create', csr: '', duration: '1 year' }, names: {} }
  const labels = listOrderEntries({ content }).map(({ label }) => label)
  expect(labels).toEqual(
    expect.arrayContaining([
      'Subject organizationIdentifier',
      'Extension TLS feature',
      'Attribute Unstructured name',
      'Attribute 1.2.3.4',
    ]),
  )
})
