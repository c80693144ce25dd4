import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseElements } from '../../../../src/features/cert-orders/rules/csr/der.ts'
import {
  formatDistinguishedName,
  formatName,
  readAlternativeNames,
} from '../../../../src/features/cert-orders/rules/csr/names.ts'
import {
  type Attribute,
  readAlternativeNameLists,
  readRequestedExtensions,
} from '../../../../src/features/cert-orders/rules/csr/request.ts'
import { der, oid, sequence, set } from './encode-der.ts'
import { x509 } from './x509.ts'

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const UPN = '1.3.6.1.4.1.311.20.2.3'
const GUID = '1.3.6.1.4.1.311.25.1'

/** The request attribute with these names. */
function requestAttribute(...names: readonly Buffer[]): Attribute[] {
  const value = sequence(sequence(oid('2.5.29.17'), der(0x04, sequence(...names))))
  return [{ type: EXTENSION_REQUEST, values: parseElements(value) }]
}

const name = (...relative: readonly Buffer[]): Buffer => sequence(...relative)
const relative = (...attributes: readonly Buffer[]): Buffer => set(...attributes)
const attribute = (type: string, tag: number, value: string | Uint8Array): Buffer =>
  sequence(oid(type), der(tag, value))

const readName = (bytes: Buffer): string => {
  const [element] = parseElements(bytes)
  return element ? formatDistinguishedName(element) : ''
}

const readNames = (attributes: readonly Attribute[]): string[] =>
  readAlternativeNames(readAlternativeNameLists(readRequestedExtensions(attributes))).map(formatName)

describe('alternative names', () => {
  it.each([
    { what: 'a DNS name', bytes: der(0x82, 'a.example'), shown: 'DNS a.example' },
    { what: 'an empty name', bytes: der(0x82, ''), shown: 'DNS ' },
    {
      what: 'a name in UTF-8, which isn’t allowed there',
      bytes: der(0x82, 'äpple.example'),
      shown: 'DNS äpple.example',
    },
    { what: 'a name in no known encoding', bytes: der(0x82, Buffer.from([0x61, 0xff])), shown: 'DNS aÿ' },
    { what: 'an email address', bytes: der(0x81, 'a@example.com'), shown: 'email a@example.com' },
    { what: 'an address', bytes: der(0x86, 'https://example.com'), shown: 'URL https://example.com' },
    { what: 'IPv4', bytes: der(0x87, Buffer.from([192, 0, 2, 1])), shown: 'IP 192.0.2.1' },
    {
      what: 'IPv6',
      bytes: der(0x87, Buffer.from('20010db8000000000000000000000001', 'hex')),
      shown: 'IP 2001:db8::1',
    },
    { what: 'an invalid IPv6 address', bytes: der(0x87, Buffer.alloc(16)), shown: 'IP ::' },
    {
      what: 'IPv6 with two gaps',
      bytes: der(0x87, Buffer.from('00010000000000020000000000000003', 'hex')),
      shown: 'IP 1:0:0:2::3',
    },
    {
      what: 'IPv6 with a group that ends in 0',
      bytes: der(0x87, Buffer.from('20100000000100010001000100010010', 'hex')),
      shown: 'IP 2010:0:1:1:1:1:1:10',
    },
    {
      what: 'a network',
      bytes: der(0x87, Buffer.from('0a000000ff000000', 'hex')),
      shown: 'IP 0a000000ff000000',
    },
    {
      what: 'an object id',
      bytes: der(0x88, oid('1.2.840.113549').subarray(2)),
      shown: 'object id 1.2.840.113549',
    },
    {
      what: 'a directory name',
      bytes: der(0xa4, name(relative(attribute('2.5.4.3', 12, 'a, b')))),
      shown: 'directory CN=a\\, b',
    },
    { what: 'a user', bytes: der(0xa0, oid(UPN), der(0xa0, der(12, 'a@example'))), shown: 'user a@example' },
    {
      what: 'a GUID',
      bytes: der(0xa0, oid(GUID), der(0xa0, der(4, Buffer.from('33221100554477668899aabbccddeeff', 'hex')))),
      shown: 'GUID 00112233-4455-6677-8899-aabbccddeeff',
    },
  ])('show $what', ({ bytes, shown }) => {
    expect(readNames(requestAttribute(bytes))).toEqual([shown])
  })

  it.each([
    {
      what: 'another kind',
      bytes: der(0xa0, oid('1.2.3.4'), der(0xa0, der(12, 'x'))),
      shown: 'other name 1.2.3.4 x',
    },
    {
      what: 'a user that isn’t text',
      bytes: der(0xa0, oid(UPN), der(0xa0, der(2, 'x'))),
      shown: /^other name 1\.3\.6\.1\.4\.1\.311\.20\.2\.3 [0-9a-f]+$/,
    },
    { what: 'X.400', bytes: der(0xa3, 'x'), shown: 'X.400 78' },
    { what: 'EDI', bytes: der(0xa5, 'x'.repeat(60)), shown: /^EDI (?:78){60}$/ },
  ])('show $what byte by byte', ({ bytes, shown }) => {
    const [name, ...rest] = readNames(requestAttribute(bytes, der(0x82, 'a.example')))
    expect(name).toMatch(shown)
    expect(rest).toEqual(['DNS a.example'])
  })

  it.each([
    { what: 'a name that is cut off', attributes: requestAttribute(Buffer.from([0x82, 5, 0x61])) },
    { what: 'a long tag', attributes: requestAttribute(Buffer.from([0x9f, 0x81, 0x01, 0x00])) },
    { what: 'a length without end', attributes: requestAttribute(Buffer.from([0xa4, 0x80, 0x00, 0x00])) },
    { what: 'an empty object ID', attributes: requestAttribute(der(0x88, '')) },
    {
      what: 'bytes after the list',
      attributes: [
        {
          type: EXTENSION_REQUEST,
          values: parseElements(sequence(sequence(oid('2.5.29.17'), der(0x04, sequence(), der(5, ''))))),
        },
      ],
    },
    {
      what: 'an extension without a value',
      attributes: [{ type: EXTENSION_REQUEST, values: parseElements(sequence(sequence(oid('2.5.29.17')))) }],
    },
  ])('are rejected with $what', ({ attributes }) => {
    expect(() => readNames(attributes)).toThrow(RangeError)
  })

  it('are parsed the same way as by another parser', () => {
    const ascii = fc.stringMatching(/^[ -~]{0,30}$/)
    const kinds = fc.oneof(
      ascii.map((text) => ({ bytes: der(0x82, text), kind: 'dns' })),
      ascii.map((text) => ({ bytes: der(0x81, text), kind: 'email' })),
      fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => ({ bytes: der(0x87, bytes), kind: 'ip' })),
    )
    fc.assert(
      fc.property(fc.array(kinds, { maxLength: 8 }), (all) => {
        const { GeneralNames } = x509()
        const theirs = new GeneralNames(new Uint8Array(sequence(...all.map(({ bytes }) => bytes)))).items
        const names = readNames(requestAttribute(...all.map(({ bytes }) => bytes)))
        expect(names.map((name) => name.replace(/^\S+ /, ''))).toEqual(theirs.map(({ value }) => value))
      }),
    )
  })

  it('are limited to 5,000', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `h${index}.example`)
    const found = readNames(requestAttribute(...names.map((one) => der(0x82, one))))
    expect(found).toEqual(names.map((one) => `DNS ${one}`))
    expect(() => readNames(requestAttribute(...Array(5001).fill(der(0x82, 'a'))))).toThrow(
      'more than 5,000 entries',
    )
  })
})

describe('a distinguished name', () => {
  it.each([
    { what: 'nothing', bytes: name(), shown: '' },
    {
      what: 'several attributes in one',
      bytes: name(relative(attribute('2.5.4.3', 12, 'a'), attribute('2.5.4.10', 19, 'b'))),
      shown: 'CN=a+O=b',
    },
    { what: 'a lone space', bytes: name(relative(attribute('2.5.4.3', 12, ' '))), shown: 'CN=\\ ' },
    {
      what: 'an unknown type',
      bytes: name(relative(attribute('1.2.3.40000', 12, 'x'))),
      shown: '1.2.3.40000=x',
    },
    {
      what: 'two-byte letters',
      bytes: name(relative(attribute('2.5.4.3', 30, Buffer.from('Ω', 'utf16le').swap16()))),
      shown: 'CN=Ω',
    },
    {
      what: 'four-byte letters',
      bytes: name(relative(attribute('2.5.4.3', 28, Buffer.from([0, 1, 0xf6, 0])))),
      shown: 'CN=😀',
    },
    {
      what: 'Latin letters',
      bytes: name(relative(attribute('2.5.4.3', 20, Buffer.from([0xe4])))),
      shown: 'CN=ä',
    },
    {
      what: 'broken UTF-8',
      bytes: name(relative(attribute('2.5.4.3', 12, Buffer.from([0x61, 0xff])))),
      shown: 'CN=#0c0261ff',
    },
    {
      what: 'half of a letter',
      bytes: name(relative(attribute('2.5.4.3', 30, Buffer.from([0xd8, 0])))),
      shown: 'CN=#1e02d800',
    },
    {
      what: 'a value that isn’t text',
      bytes: name(relative(attribute('2.5.4.3', 4, 'x'))),
      shown: 'CN=#040178',
    },
    {
      what: 'what must be escaped',
      bytes: name(relative(attribute('2.5.4.3', 12, ' #a,"b"\\\n\0 '))),
      shown: 'CN=\\ #a\\,\\"b\\"\\\\\\0A\\00\\ ',
    },
  ])('shows $what', ({ bytes, shown }) => {
    expect(readName(bytes)).toBe(shown)
  })

  it('is parsed the same way as by another parser', () => {
    const types = fc.constantFrom('2.5.4.3', '2.5.4.10', '2.5.4.6', '0.9.2342.19200300.100.1.25', '1.2.3.4')
    // The other parser escapes a lone space twice; RFC 4514 requires one escape.
    const values = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((value) => value !== ' ')
    const attributes = fc.tuple(types, values).map(([type, value]) => attribute(type, 12, value))
    fc.assert(
      fc.property(fc.array(fc.array(attributes, { minLength: 1, maxLength: 2 }), { maxLength: 5 }), (all) => {
        const bytes = name(...all.map((each) => relative(...each)))
        expect(readName(bytes)).toBe(new (x509().Name)(new Uint8Array(bytes)).toString())
      }),
    )
  })
})
