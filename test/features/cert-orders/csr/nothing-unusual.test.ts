import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { findForeignNames } from '../../../../src/features/cert-orders/rules/host-names.ts'
import {
  alternativeNames,
  buildRequest,
  buildSubject,
  extension,
  host,
  requestExtensions,
  type SubjectPart,
} from './build-request.ts'
import { der, oid, sequence, set } from './encode-der.ts'

const HOST = 'shop.example.com'
const SUBJECT: readonly SubjectPart[] = [
  ['2.5.4.3', HOST],
  ['2.5.4.10', 'Example'],
]
const SAN = alternativeNames(host(HOST))
const RSA_WITH_SHA256 = sequence(oid('1.2.840.113549.1.1.11'), der(0x05))
const ECDSA = sequence(oid('1.2.840.10045.4.3.2'))
const ED25519 = sequence(oid('1.3.101.112'))

interface Parts {
  subject?: readonly SubjectPart[]
  extensions?: readonly Buffer[]
  attributes?: readonly Buffer[]
  key?: { privateKey: KeyObject; algorithm: Buffer; digest: string | null }
}

function read({ subject = SUBJECT, extensions = [SAN], attributes = [], key }: Parts) {
  const result = readCsr(
    buildRequest({
      subject: buildSubject(...subject),
      attributes: [requestExtensions(...extensions), ...attributes],
      ...(key && {
        key: key.privateKey,
        algorithm: key.algorithm,
        createSignature: (bytes) => sign(key.digest, bytes, key.privateKey),
      }),
    }).toString('base64'),
  )
  if ('problem' in result) throw new Error(result.problem)
  return result.csr
}

const attribute = (id: string, ...values: Buffer[]): Buffer => sequence(oid(id), set(...values))
const utf8 = (text: string): Buffer => der(0x0c, text)
const bmp = (text: string): Buffer => der(0x1e, Buffer.from(text, 'utf16le').swap16())
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]))
const [VERSION, CLIENT, PROVIDER] = [
  '1.3.6.1.4.1.311.13.2.3',
  '1.3.6.1.4.1.311.21.20',
  '1.3.6.1.4.1.311.13.2.2',
]
const WINDOWS = [
  attribute(VERSION, der(0x16, '10.0.20348.2')),
  attribute(CLIENT, sequence(integer(5), utf8('web-1.corp.example'), utf8('CORP\\ann'), utf8('certreq.exe'))),
  attribute(
    PROVIDER,
    sequence(integer(1), bmp('Microsoft RSA SChannel Cryptographic Provider'), der(0x03, '\0')),
  ),
]

const capability = (id: string, ...size: Buffer[]): Buffer => sequence(oid(id), ...size)
/** What IIS Manager adds to every request: ciphers for email, of which some have the length of a key. */
const capabilities = (...more: Buffer[]): Buffer =>
  extension(
    '1.2.840.113549.1.9.15',
    sequence(
      capability('1.2.840.113549.3.2', der(0x02, Buffer.from([0, 128]))),
      capability('2.16.840.1.101.3.4.1.42'),
      ...more,
    ),
  )

const rsa = (modulusLength: number, publicExponent = 65_537) => ({
  privateKey: generateKeyPairSync('rsa', { modulusLength, publicExponent }).privateKey,
  algorithm: RSA_WITH_SHA256,
  digest: 'sha256',
})
const ec = (namedCurve: string) => ({
  privateKey: generateKeyPairSync('ec', { namedCurve }).privateKey,
  algorithm: ECDSA,
  digest: 'sha256',
})

describe('a request has a warning for everything but what is usual', () => {
  it.each<[string, Parts]>([
    ['a host and its organization', {}],
    ['what Windows adds', { attributes: WINDOWS }],
    ['what IIS Manager adds', { attributes: WINDOWS, extensions: [SAN, capabilities()] }],
    ...[
      '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
      '\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937',
    ].map((text): [string, Parts] => [`a joiner in ${text}`, { subject: [...SUBJECT, ['2.5.4.11', text]] }]),
    ['an RSA key of 2048 bits', { key: rsa(2048) }],
    ['a key on P-384', { key: ec('P-384') }],
    [
      'an email address under the same domain',
      { subject: [...SUBJECT, ['1.2.840.113549.1.9.1', 'a@example.com']] },
    ],
  ])('usual: %s', (_, parts) => {
    expect(read(parts).warnings).toEqual([])
  })

  it.each<[string, Parts, string]>([
    ['the exponent 3', { key: rsa(2048, 3) }, 'RSA 2048 bits, exponent 3'],
    ['P-521', { key: ec('P-521') }, 'EC P-521'],
    [
      'Ed25519',
      { key: { privateKey: generateKeyPairSync('ed25519').privateKey, algorithm: ED25519, digest: null } },
      'Ed25519',
    ],
    [
      'a name in a pair of Windows',
      {
        attributes: [
          attribute('1.3.6.1.4.1.311.13.2.1', sequence(bmp('SAN'), bmp('dns=login.bank.example'))),
        ],
      },
      'dns=login.bank.example',
    ],
    [
      'an unstructured name',
      { attributes: [attribute('1.2.840.113549.1.9.2', utf8('login.bank.example'))] },
      'Unstructured name: login.bank.example',
    ],
    [
      'an unstructured address',
      { attributes: [attribute('1.2.840.113549.1.9.8', utf8('192.0.2.1'))] },
      '192.0.2.1',
    ],
    [
      'a challenge password',
      { attributes: [attribute('1.2.840.113549.1.9.7', utf8('x'))] },
      'challenge password',
    ],
    ['an unknown attribute', { attributes: [attribute('1.2.3.4', utf8('x'))] }, '1.2.3.4: x'],
    [
      'another value in what Windows adds',
      { attributes: [attribute(VERSION, der(0x16, 'dns=login.bank.example'))] },
      'dns=login.bank.example',
    ],
    [
      'a rare extension',
      { extensions: [SAN, extension('2.5.29.18', sequence(host('login.bank.example')))] },
      'login.bank.example',
    ],
    [
      'a name among the ciphers of IIS Manager',
      { extensions: [SAN, capabilities(capability('2.16.840.1.101.3.4.1.2', host('login.bank.example')))] },
      'S/MIME capabilities: it’s malformed',
    ],
    [
      'a name behind the length of a cipher of IIS Manager',
      {
        extensions: [
          SAN,
          capabilities(capability('2.16.840.1.101.3.4.1.2', integer(1), host('login.bank.example'))),
        ],
      },
      'S/MIME capabilities: it’s malformed',
    ],
    [
      'another name than that of a host',
      { extensions: [alternativeNames(host(HOST), der(0x81, 'a@bank.example'))] },
      'email a@bank.example',
    ],
    ['a common name that isn’t listed', { subject: [['2.5.4.3', 'login.bank.example']] }, 'isn’t among'],
    [
      'a host in the organization',
      { subject: [...SUBJECT, ['2.5.4.11', 'login.bank.example']] },
      'OU login.bank.example',
    ],
    [
      'an email address elsewhere',
      { subject: [...SUBJECT, ['1.2.840.113549.1.9.1', 'a@bank.example']] },
      'email a@bank.example',
    ],
    [
      'a rare usage',
      { extensions: [SAN, extension('2.5.29.15', der(0x03, Buffer.from([0, 0x81])))] },
      'encipherOnly',
    ],
  ])('unusual: %s', (_, parts, said) => {
    expect(read(parts).warnings.join('\n')).toContain(said)
  })
})

it('counts a host in an attribute among the names that have to be allowed, but nothing that Windows adds', () => {
  const pair = attribute(
    '1.3.6.1.4.1.311.13.2.1',
    sequence(bmp('SAN'), bmp('dns=login.bank.com&dns=shop.example.com&ipaddress=192.0.2.1')),
  )
  const template = attribute(
    '1.3.6.1.4.1.311.13.2.1',
    sequence(bmp('CertificateTemplate'), bmp('WebServer v1.2')),
  )
  const csr = read({ attributes: [...WINDOWS, template, pair] })
  expect(findForeignNames(csr, ['example.com'])).toEqual(['login.bank.com', '192.0.2.1'])
  expect(findForeignNames(read({ attributes: WINDOWS }), ['example.com'])).toEqual([])
})
