import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { containsPrivateKey } from '../../src/domain/private-key.ts'
import { readCorpus } from '../features/cert-orders/csr/corpus/corpus.ts'
import { der, oid, sequence } from '../features/cert-orders/csr/encode-der.ts'

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EC = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const P521 = generateKeyPairSync('ec', { namedCurve: 'secp521r1' })
const ED = generateKeyPairSync('ed25519')

const encrypted = { cipher: 'aes-256-cbc', passphrase: 'x' }
/** Private keys in PEM, by their storage format. */
const KEYS: Readonly<Record<string, string>> = {
  'RSA, PKCS #8': RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  'RSA, PKCS #1': RSA.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
  'RSA, encrypted': RSA.privateKey.export({ type: 'pkcs8', format: 'pem', ...encrypted }).toString(),
  'P-256, PKCS #8': EC.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  'P-256, SEC 1': EC.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  'P-521, SEC 1': P521.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  'Ed25519, PKCS #8': ED.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
}

const stripArmor = (pem: string): string => pem.replace(/-----[^-]*-----\n?/g, '')
const decodeDer = (pem: string): Buffer => Buffer.from(stripArmor(pem), 'base64')

/** How mail programs, scripts, and clipboards alter a key. */
const CHANGES: Readonly<Record<string, (pem: string) => string>> = {
  unchanged: (pem) => pem,
  'without its first line': (pem) => pem.slice(pem.indexOf('\n') + 1),
  'without its last line': (pem) => pem.trimEnd().slice(0, pem.trimEnd().lastIndexOf('\n')),
  'without both': stripArmor,
  'on one line': (pem) => stripArmor(pem).replaceAll('\n', ''),
  'after a word': (pem) => `PO 42 ${stripArmor(pem)}`,
  'attached to a word': (pem) => `key=${stripArmor(pem)}`,
  'in the middle of a sentence': (pem) =>
    `Please use ${stripArmor(pem).replaceAll('\n', ' ')} for it. Thanks!`,
  'cut off after a third': (pem) => stripArmor(pem).slice(0, Math.max(64, stripArmor(pem).length / 3)),
  'as base64 of PEM': (pem) => Buffer.from(pem).toString('base64'),
  'as base64 of PEM in a word': (pem) => `data:${Buffer.from(pem).toString('base64url')}`,
  'as base64url': (pem) => decodeDer(pem).toString('base64url'),
  'quoted in an email': (pem) => pem.replace(/^/gm, '> '),
  'in JSON': (pem) => JSON.stringify({ key: pem }),
  'URL-encoded': (pem) => encodeURIComponent(stripArmor(pem)),
  'as string literals': (pem) => stripArmor(pem).replace(/^(.*)\n/gm, '"$1"\n'),
  'with long dashes': (pem) => pem.replaceAll('--', '—'),
  'in UTF-16': (pem) => Buffer.from(pem, 'utf16le').toString('latin1'),
}

const CASES = Object.entries(KEYS).flatMap(([kind, pem]) =>
  Object.entries(CHANGES).map(([description, change]) => ({ kind, description, text: change(pem) })),
)

describe('a private key', () => {
  it.each(CASES)('is recognized: $kind, $description', ({ text }) => {
    expect(containsPrivateKey(text)).toBe(true)
  })

  it.each([
    ['OpenSSH', `b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQ`],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none'],
    ['PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ'],
  ])('is recognized in %s', (_format, text) => {
    expect(containsPrivateKey(text)).toBe(true)
  })
})

describe('text without a private key', () => {
  it('is accepted as a CSR, with any key and any content', () => {
    for (const { name, request } of readCorpus()) {
      const der = Buffer.from(request, 'base64')
      for (const text of [request, der.toString('base64'), Buffer.from(request).toString('base64')])
        expect(containsPrivateKey(text), name).toBe(false)
    }
  })

  it.each([RSA, EC, P521, ED])('is accepted as a public key', ({ publicKey }) => {
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    for (const text of [pem, stripArmor(pem)]) expect(containsPrivateKey(text)).toBe(false)
  })

  it.each([
    { name: 'explicit curve parameters', bytes: createExplicitCurve() },
    { name: 'a list of revoked certificates', bytes: createRevocationList() },
  ])('is accepted: $name', ({ bytes }) => {
    for (const text of [bytes.toString('base64'), `x${bytes.toString('base64')}`])
      expect(containsPrivateKey(text)).toBe(false)
  })

  it.each([
    'Backend private key rotation',
    'private key - rotation',
    'new private key – see ticket',
    'show private_key-vault',
    'create https://example.com/docs/private_key-rotation',
    'The private key -- 1024 bits -- is too short',
    'Backend private key -> vault',
    'the end of the private key check',
    'show 3f2a1b4c-5d6e-7f80-91a2-b3c4d5e6f708',
    'x'.repeat(3000),
    'M'.repeat(3000),
  ])('is accepted: %s', (text) => {
    expect(containsPrivateKey(text)).toBe(false)
  })
})

/** A P-256 public key with explicit parameters (forbidden by RFC 5480, defined in SEC 1). No part of it is secret. */
function createExplicitCurve(): Buffer {
  const prime = Buffer.from('ffffffff00000001000000000000000000000000ffffffffffffffffffffffff', 'hex')
  const integer = (...bytes: readonly (Buffer | string)[]) => der(0x02, ...bytes)
  const parameters = sequence(
    integer('\x01'),
    sequence(oid('1.2.840.10045.1.1'), integer('\0', prime)),
    sequence(der(0x04, prime), der(0x04, prime)),
    der(0x04, '\x04', prime, prime),
    integer('\0', prime),
    integer('\x01'),
  )
  return sequence(sequence(oid('1.2.840.10045.2.1'), parameters), der(0x03, '\0\x04', prime, prime))
}

/** The start of a certificate revocation list: its version, its algorithm, and its issuer. */
const createRevocationList = (): Buffer =>
  sequence(
    sequence(
      der(0x02, '\x01'),
      sequence(oid('1.2.840.113549.1.1.11'), der(0x05)),
      sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, 'Example')))),
      der(0x17, '260101000000Z'),
    ),
  )
