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

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const UPN = '1.3.6.1.4.1.311.20.2.3'
const GUID = '1.3.6.1.4.1.311.25.1'

/** The request attribute with these names. */
function requestAttribute(...names: readonly Buffer[]): Attribute[] {
  const value = sequence(sequence(oid('2.5.29.17'), der(0x04, sequence(...names))))
  return [{ type: EXTENSION_REQUEST, values: parseElements(value) }]
}

const name = (...relative: readonly Buffer[]): Buffer => sequence(...relative)
/** A relative distinguished name: the attributes of one component. */
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
    { description: 'a DNS name', bytes: der(0x82, 'a.example'), expected: 'DNS a.example' },
    { description: 'an empty name', bytes: der(0x82, ''), expected: 'DNS ' },
    {
      description: 'a name in UTF-8, which isn’t allowed there',
      bytes: der(0x82, 'äpple.example'),
      expected: 'DNS äpple.example',
    },
    {
      description: 'a name in no known encoding',
      bytes: der(0x82, Buffer.from([0x61, 0xff])),
      expected: 'DNS aÿ',
    },
    { description: 'an email address', bytes: der(0x81, 'a@example.com'), expected: 'email a@example.com' },
    {
      description: 'a URL',
      bytes: der(0x86, 'https://example.com'),
      expected: 'URL https://example.com',
    },
    { description: 'IPv4', bytes: der(0x87, Buffer.from([192, 0, 2, 1])), expected: 'IP 192.0.2.1' },
    {
      description: 'IPv6',
      bytes: der(0x87, Buffer.from('20010db8000000000000000000000001', 'hex')),
      expected: 'IP 2001:db8::1',
    },
    { description: 'the unspecified IPv6 address', bytes: der(0x87, Buffer.alloc(16)), expected: 'IP ::' },
    {
      description: 'IPv6 with two gaps',
      bytes: der(0x87, Buffer.from('00010000000000020000000000000003', 'hex')),
      expected: 'IP 1:0:0:2::3',
    },
    {
      description: 'IPv6 with a group that ends in 0',
      bytes: der(0x87, Buffer.from('20100000000100010001000100010010', 'hex')),
      expected: 'IP 2010:0:1:1:1:1:1:10',
    },
    {
      description: 'a network',
      bytes: der(0x87, Buffer.from('0a000000ff000000', 'hex')),
      expected: 'IP 0a000000ff000000',
    },
    {
      description: 'an object id',
      bytes: der(0x88, oid('1.2.840.113549').subarray(2)),
      expected: 'object id 1.2.840.113549',
    },
    {
      description: 'a directory name',
      bytes: der(0xa4, name(relative(attribute('2.5.4.3', 12, 'a, b')))),
      expected: 'directory CN=a\\, b',
    },
    {
      description: 'a user principal name',
      bytes: der(0xa0, oid(UPN), der(0xa0, der(12, 'a@example'))),
      expected: 'other name UPN a@example',
    },
    {
      description: 'a GUID',
      bytes: der(0xa0, oid(GUID), der(0xa0, der(4, Buffer.from('33221100554477668899aabbccddeeff', 'hex')))),
      expected: 'other name GUID #041033221100554477668899aabbccddeeff',
    },
  ])('show $description', ({ bytes, expected }) => {
    const matching = typeof expected === 'string' ? expected : expect.stringMatching(expected)
    expect(readNames(requestAttribute(bytes))).toEqual([matching])
  })

  it.each([
    {
      description: 'an unknown other name',
      bytes: der(0xa0, oid('1.2.3.4'), der(0xa0, der(12, 'x'))),
      expected: /^other name 1\.2\.3\.4 x$/,
    },
    {
      description: 'a user principal name that isn’t text',
      bytes: der(0xa0, oid(UPN), der(0xa0, der(1, ''))),
      expected: /^other name UPN #0100$/,
    },
    {
      description: 'an other name with a third part',
      bytes: der(0xa0, oid(UPN), der(0xa0, der(12, 'x')), der(12, 'y')),
      expected: /^other name [0-9a-f]+$/,
    },
    {
      description: 'a directory name that isn’t one',
      bytes: der(0xa4, der(12, 'x')),
      expected: /^directory 0c0178$/,
    },
    {
      description: 'a service',
      bytes: der(0xa0, oid('1.3.6.1.5.5.7.8.7'), der(0xa0, der(22, '_sip.example.com'))),
      expected: /^other name SRV _sip\.example\.com$/,
    },
    { description: 'X.400', bytes: der(0xa3, 'x'), expected: 'X.400 78' },
    { description: 'EDI', bytes: der(0xa5, 'x'.repeat(60)), expected: /^EDI (?:78){60}$/ },
  ])('show $description, and the name after it', ({ bytes, expected }) => {
    const [name, ...rest] = readNames(requestAttribute(bytes, der(0x82, 'a.example')))
    expect(name).toMatch(expected)
    expect(rest).toEqual(['DNS a.example'])
  })

  it.each([
    { description: 'a name that is cut off', attributes: requestAttribute(Buffer.from([0x82, 5, 0x61])) },
    { description: 'a long tag', attributes: requestAttribute(Buffer.from([0x9f, 0x81, 0x01, 0x00])) },
    {
      description: 'an indefinite length',
      attributes: requestAttribute(Buffer.from([0xa4, 0x80, 0x00, 0x00])),
    },
    {
      description: 'bytes after the list',
      attributes: [
        {
          type: EXTENSION_REQUEST,
          values: parseElements(sequence(sequence(oid('2.5.29.17'), der(0x04, sequence(), der(5, ''))))),
        },
      ],
    },
    {
      description: 'an extension without a value',
      attributes: [{ type: EXTENSION_REQUEST, values: parseElements(sequence(sequence(oid('2.5.29.17')))) }],
    },
  ])('are rejected with $description', ({ attributes }) => {
    expect(() => readNames(attributes)).toThrow(RangeError)
  })
})

describe('a distinguished name', () => {
  it.each([
    { description: 'an empty name', bytes: name(), expected: '' },
    {
      description: 'several attributes in one component',
      bytes: name(relative(attribute('2.5.4.3', 12, 'a'), attribute('2.5.4.10', 19, 'b'))),
      expected: 'CN=a+O=b',
    },
    { description: 'a lone space', bytes: name(relative(attribute('2.5.4.3', 12, ' '))), expected: 'CN=\\ ' },
    {
      description: 'an unknown type',
      bytes: name(relative(attribute('1.2.3.40000', 12, 'x'))),
      expected: '1.2.3.40000=x',
    },
    {
      description: 'two-byte letters',
      bytes: name(relative(attribute('2.5.4.3', 30, Buffer.from('Ω', 'utf16le').swap16()))),
      expected: 'CN=Ω',
    },
    {
      description: 'Latin letters',
      bytes: name(relative(attribute('2.5.4.3', 20, Buffer.from([0xe4])))),
      expected: 'CN=ä',
    },
    {
      description: 'broken UTF-8',
      bytes: name(relative(attribute('2.5.4.3', 12, Buffer.from([0x61, 0xff])))),
      expected: 'CN=#0c0261ff',
    },
    {
      description: 'half of a letter',
      bytes: name(relative(attribute('2.5.4.3', 30, Buffer.from([0xd8, 0])))),
      expected: 'CN=#1e02d800',
    },
    {
      description: 'a value that isn’t text',
      bytes: name(relative(attribute('2.5.4.3', 4, 'x'))),
      expected: 'CN=#040178',
    },
    {
      description: 'characters that must be escaped',
      bytes: name(relative(attribute('2.5.4.3', 12, ' #a,"b"\\\n\0 '))),
      expected: 'CN=\\ #a\\,\\"b\\"\\\\\\0A\\00\\ ',
    },
  ])('shows $description', ({ bytes, expected }) => {
    expect(readName(bytes)).toBe(expected)
  })
})
