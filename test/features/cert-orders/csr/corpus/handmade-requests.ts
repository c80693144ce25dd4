import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { der, oid, sequence, set } from '../encode-der.ts'

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const MICROSOFT_EXTENSION_REQUEST = '1.3.6.1.4.1.311.2.1.14'
const COMMON_NAME = '2.5.4.3'

export interface HandmadeRequest {
  name: string
  der: Buffer
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

const attribute = (type: string, ...values: readonly Buffer[]): Buffer => sequence(oid(type), set(...values))
const extension = (id: string, value: Buffer, ...critical: readonly Buffer[]): Buffer =>
  sequence(oid(id), ...critical, der(0x04, value))
const names = (...list: readonly Buffer[]): Buffer => extension('2.5.29.17', sequence(...list))
const host = (text: string | Uint8Array): Buffer => der(0x82, text)
const extensionRequest = (...extensions: readonly Buffer[]): Buffer =>
  attribute(EXTENSION_REQUEST, sequence(...extensions))
const commonName = (tag: number, value: string | Uint8Array): Buffer =>
  sequence(set(sequence(oid(COMMON_NAME), der(tag, value))))

const SUBJECT = commonName(0x0c, 'shop.bank.com')
const SAN = names(host('shop.bank.com'))

function request(parts: {
  subject?: Buffer
  attributes?: readonly Buffer[]
  version?: number
  key?: KeyObject
}): Buffer {
  const { subject = SUBJECT, attributes = [extensionRequest(SAN)], version = 0 } = parts
  const info = sequence(
    der(0x02, Buffer.from([version])),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa0, ...attributes),
  )
  const signature = sign('sha256', info, privateKey)
  return sequence(info, ECDSA_SHA256, der(0x03, Buffer.from([0]), signature))
}

const SUBJECTS: readonly (readonly [name: string, subject: Buffer])[] = [
  ['in a PrintableString', commonName(0x13, 'shop.bank.com')],
  ['in an IA5String', commonName(0x16, 'shop.bank.com')],
  ['in a TeletexString', commonName(0x14, Buffer.from('Malmö', 'latin1'))],
  ['in a BMPString', commonName(0x1e, Buffer.from('Ωmega', 'utf16le').swap16())],
  ['in a UniversalString', commonName(0x1c, Buffer.from([0, 0, 0x03, 0xa9]))],
  ['in a VisibleString', commonName(0x1a, 'shop.bank.com')],
  ['in a NumericString', commonName(0x12, '4711')],
  ['in broken UTF-8', commonName(0x0c, Buffer.from([0x61, 0xff, 0xfe]))],
  ['with half a surrogate pair', commonName(0x1e, Buffer.from([0xd8, 0]))],
  ['in an octet string', commonName(0x04, 'shop')],
  ['with a NUL', commonName(0x0c, 'shop.bank.com\0.evil.net')],
  ['with a bidirectional mark', commonName(0x0c, 'shop\u202emoc')],
  ['with a line break', commonName(0x0c, 'shop\nbank')],
  ['that is missing', sequence()],
  ['of an unknown type', sequence(set(sequence(oid('1.2.3.4'), der(0x0c, 'x'))))],
  [
    'next to another attribute',
    sequence(set(sequence(oid(COMMON_NAME), der(0x0c, 'a')), sequence(oid('2.5.4.10'), der(0x0c, 'b')))),
  ],
  ['with markup', commonName(0x0c, '<!everyone> *b*')],
  ['with an empty name', commonName(0x0c, '')],
  ['that is long', commonName(0x0c, 'a'.repeat(200))],
]

const LISTS: readonly (readonly [name: string, list: readonly Buffer[]])[] = [
  ['UTF-8', [host('äpple.com')]],
  ['bytes that aren’t UTF-8', [host(Buffer.from([0x61, 0xff]))]],
  ['a NUL', [host('good.bank.com\0.evil.net')]],
  ['a bidirectional mark', [host('shop\u202emoc')]],
  ['a zero-width mark', [host('sho\u200bp.bank.com')]],
  ['spaces', [host(' shop.bank.com ')]],
  ['markup', [host('<!everyone>')]],
  ['a comma', [host('a.bank.com, DNS:b.bank.com')]],
  ['an empty name', [host('')]],
  ['a lone asterisk', [host('*')]],
  ['an address of 3 bytes', [der(0x87, Buffer.from([1, 2, 3]))]],
  ['an address of 5 bytes', [der(0x87, Buffer.from([1, 2, 3, 4, 5]))]],
  ['a network of 8 bytes', [der(0x87, Buffer.from([10, 0, 0, 0, 255, 0, 0, 0]))]],
  ['an address of 17 bytes', [der(0x87, Buffer.alloc(17, 1))]],
  ['X.400', [der(0xa3, 'x')]],
  ['EDI', [der(0xa5, der(0xa1, 'x'))]],
  ['a directory name', [der(0xa4, commonName(0x0c, 'Jane'))]],
  ['an address as a host name', [host('192.0.2.1')]],
  ['a long label', [host(`${'a'.repeat(64)}.bank.com`)]],
  ['a long name', [host(`${'a.'.repeat(130)}com`)]],
  ['a public suffix', [host('co.uk')]],
  ['a wildcard over a public suffix', [host('*.github.io')]],
  ['300 names', Array.from({ length: 300 }, (_, at) => host(`h${at}.bank.com`))],
  ['an empty list', []],
]

const TRUE = der(0x01, Buffer.from([0xff]))
const FALSE = der(0x01, Buffer.from([0]))

const STRUCTURES: readonly (readonly [name: string, parts: Parameters<typeof request>[0]])[] = [
  [
    'two extension requests',
    { attributes: [extensionRequest(SAN), extensionRequest(names(host('evil.net')))] },
  ],
  ['two lists of names', { attributes: [extensionRequest(SAN, names(host('evil.net')))] }],
  [
    'one attribute with two values',
    { attributes: [attribute(EXTENSION_REQUEST, sequence(SAN), sequence(names(host('evil.net'))))] },
  ],
  ['an empty extension request', { attributes: [extensionRequest()] }],
  ['an attribute without a value', { attributes: [attribute(EXTENSION_REQUEST)] }],
  ['no attributes', { attributes: [] }],
  [
    'the older extension request from Windows',
    { attributes: [attribute(MICROSOFT_EXTENSION_REQUEST, sequence(SAN))] },
  ],
  [
    'both kinds of extension request',
    {
      attributes: [
        extensionRequest(SAN),
        attribute(MICROSOFT_EXTENSION_REQUEST, sequence(names(host('evil.net')))),
      ],
    },
  ],
  ['an unknown attribute', { attributes: [extensionRequest(SAN), attribute('1.2.3.4.5', der(0x0c, 'x'))] }],
  [
    'a Windows version',
    { attributes: [extensionRequest(SAN), attribute('1.3.6.1.4.1.311.13.2.3', der(0x16, '10.0'))] },
  ],
  ['version 1', { version: 1 }],
  ['an explicit FALSE', { attributes: [extensionRequest(SAN, extension('2.5.29.19', sequence(), FALSE))] }],
  [
    'broken basic constraints',
    { attributes: [extensionRequest(SAN, extension('2.5.29.19', Buffer.from([1, 2, 3])))] },
  ],
  ['broken key usage', { attributes: [extensionRequest(SAN, extension('2.5.29.15', der(0x04, 'x')))] }],
  [
    'two basic constraints',
    {
      attributes: [
        extensionRequest(SAN, extension('2.5.29.19', sequence()), extension('2.5.29.19', sequence(TRUE))),
      ],
    },
  ],
  [
    'a long unknown extension',
    { attributes: [extensionRequest(SAN, extension('1.2.3.4.9', der(0x04, 'x'.repeat(500))))] },
  ],
  [
    'an empty unknown extension',
    { attributes: [extensionRequest(SAN, extension('1.2.3.4.9', Buffer.alloc(0)))] },
  ],
  [
    'a critical unknown extension',
    { attributes: [extensionRequest(SAN, extension('1.2.3.4.9', der(0x05, ''), TRUE))] },
  ],
]

const withTrailingBytes = (bytes: string): Buffer => Buffer.concat([request({}), Buffer.from(bytes)])

/** Creates correctly signed requests that openssl can't create. */
export const createHandmadeRequests = (): HandmadeRequest[] => [
  ...SUBJECTS.map(([name, subject]) => ({ name: `a common name ${name}`, der: request({ subject }) })),
  ...LISTS.map(([name, list]) => ({
    name: `alternative names: ${name}`,
    der: request({ attributes: [extensionRequest(names(...list))] }),
  })),
  ...STRUCTURES.map(([name, parts]) => ({ name, der: request(parts) })),
  { name: 'a line break after the request', der: withTrailingBytes('\n') },
  { name: 'bytes after the request', der: withTrailingBytes('some more') },
]
