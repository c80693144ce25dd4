import { createPrivateKey } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { readCertificate } from '../../../../src/features/cert-orders/rules/certificate/read-certificate.ts'
import { readCsr, readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { listCertificateNames } from '../../../../src/features/cert-orders/rules/host-names.ts'
import { findSuperlinearTexts } from '../../../hostile-texts.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'
import { createAuthority } from './make-certificate.ts'

const authority = createAuthority()
const { openssl, read, text } = authority
const EC = (curve: string): string[] => ['-newkey', 'ec', '-pkeyopt', `ec_paramgen_curve:${curve}`]
const KEYS: Readonly<Record<string, { names: string; key: string[]; days: number }>> = {
  rsa: { names: 'DNS:shop.example.com,DNS:www.shop.example.com', key: ['-newkey', 'rsa:2048'], days: 200 },
  ec: { names: 'DNS:api.example.com', key: EC('P-256'), days: 47 },
  p384: { names: 'DNS:*.example.com,IP:192.0.2.1', key: EC('P-384'), days: 100 },
  ed: { names: 'DNS:ed.example.com', key: ['-newkey', 'ed25519'], days: 10 },
  odd: {
    names: 'DNS:a.example.com,email:x@example.com,URI:https://example.com/a',
    key: EC('P-256'),
    days: 30,
  },
}
for (const [name, { names, ...options }] of Object.entries(KEYS)) authority.issue(name, names, options)
authority.issue('k1', 'DNS:k1.example.com', { key: EC('secp256k1') })
const SELF_SIGNED = ['-addext', 'basicConstraints=critical,CA:FALSE', '-days', '90']
openssl(
  'req',
  '-x509',
  ...EC('P-256'),
  '-nodes',
  '-keyout',
  's.key',
  '-out',
  'self.pem',
  '-subj',
  '/CN=s',
  ...SELF_SIGNED,
)
openssl(
  'req',
  '-x509',
  '-key',
  'rsa.key',
  '-out',
  'selfrsa.pem',
  '-subj',
  '/CN=shop.example.com',
  ...SELF_SIGNED,
)
openssl('crl2pkcs7', '-nocrl', '-certfile', 'rsa.pem', '-certfile', 'ca.pem', '-out', 'rsa.p7b')
openssl(
  'crl2pkcs7',
  '-nocrl',
  '-certfile',
  'rsa.pem',
  '-certfile',
  'ca.pem',
  '-outform',
  'DER',
  '-out',
  'rsa.p7',
)
openssl('pkcs12', '-export', '-in', 'rsa.pem', '-inkey', 'rsa.key', '-passout', 'pass:x', '-out', 'rsa.pfx')
openssl(
  'req',
  '-x509',
  ...EC('P-256'),
  '-nodes',
  '-keyout',
  'o.key',
  '-out',
  'other.pem',
  '-subj',
  '/O=Test CA/CN=Test Root',
  '-days',
  '9',
)
openssl(
  'req',
  '-new',
  ...EC('P-256'),
  '-nodes',
  '-keyout',
  'v1root.key',
  '-out',
  'v1root.csr',
  '-subj',
  '/CN=V1',
)
openssl('x509', '-req', '-in', 'v1root.csr', '-signkey', 'v1root.key', '-days', '99', '-out', 'v1root.pem')
afterAll(() => authority[Symbol.dispose]())

const PEM = text('rsa.pem')
const toBytes = (input: string | Buffer): Buffer => Buffer.from(input as string)
const readFacts = (input: string | Buffer) => {
  const result = readCertificate(toBytes(input))
  if ('problem' in result) throw new Error(result.problem)
  return result.certificate
}
const { sha256: EXPECTED } = readFacts(PEM)

describe('an issued certificate', () => {
  it.each(
    Object.entries<string | Buffer>({
      PEM,
      DER: read('rsa.der'),
      'bare base64': read('rsa.der').toString('base64'),
      'with its chain': PEM + text('ca.pem'),
      'after its chain': text('ca.pem') + PEM,
      twice: PEM + PEM,
      'PKCS #7 as PEM': text('rsa.p7b'),
      'PKCS #7 as DER': read('rsa.p7'),
      'bare PKCS #7': read('rsa.p7').toString('base64'),
      CRLF: PEM.replaceAll('\n', '\r\n'),
      'on one line': PEM.replace(/(?<!-)\n(?!-)/g, ''),
      'quoted in mail': PEM.replace(/^/gm, '> '),
      'with other dashes': PEM.replaceAll('-----', '—–—––'),
      'in JSON': JSON.stringify(PEM),
      'UTF-16 LE': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(PEM, 'utf16le')]),
      'UTF-16 BE': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(PEM, 'utf16le').swap16()]),
      'openssl x509 -text': openssl('x509', '-in', 'rsa.pem', '-text'),
      'with the X509 label': PEM.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'),
      'with bag attributes': `Bag Attributes\n    friendlyName: shop\n${PEM}`,
      'with a byte order mark': `\ufeff${PEM}`,
      'UTF-16 without a mark': Buffer.from(PEM, 'utf16le'),
      'with PEM headers': PEM.replace('\n', '\nX-Comment: web-1 - shop\n\n'),
      'with comments': `# shop - 2026\nsubject=/CN=shop\n${PEM}# end`,
      'in small letters': PEM.replace('BEGIN CERTIFICATE', 'Begin Certificate'),
      'in a block of code': `\`\`\`\n${PEM}\`\`\``,
      'as a secret of Kubernetes': Buffer.from(PEM + text('ca.pem')).toString('base64'),
      base64url: read('rsa.der').toString('base64url'),
      'PKCS #7 with the label of a certificate': text('rsa.p7b').replaceAll('PKCS7', 'CERTIFICATE'),
      'trusted by openssl': openssl('x509', '-in', 'rsa.pem', '-trustout', '-setalias', 'shop'),
      'beside an old root': PEM + text('v1root.pem'),
      'before a revocation list': `${PEM}-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----`,
    }),
  )('is read in any form: %s', (_, input) => {
    expect(readFacts(input).sha256).toBe(EXPECTED)
  })

  it.each(
    Object.entries<[string | Buffer, string]>({
      'a CSR': [text('rsa.csr'), 'request (CSR)'],
      'a private key beside it': [text('rsa.key') + PEM, 'private key'],
      'a PFX file': [read('rsa.pfx'), 'private key'],
      'a JKS file': [
        Buffer.concat([Buffer.from('feedfeed00000002', 'hex'), Buffer.alloc(99)]),
        'private key',
      ],
      'a private key after it in binary': [Buffer.concat([read('rsa.der'), read('rsa.key')]), 'private key'],
      'a private key in UTF-16': [Buffer.from(text('rsa.key'), 'utf16le'), 'private key'],
      'a CSR in DER': [openssl('req', '-in', 'rsa.csr', '-outform', 'DER'), 'request (CSR)'],
      'an old root': [text('v1root.pem'), 'self-signed'],
      'one whose base64 isn’t a certificate': [PEM.replace(/MII[^-]*/, `${'QUJD'.repeat(20)}\n`), 'damaged'],
      'only an authority': [text('ca.pem'), 'only certificates of authorities'],
      'one cut off': [PEM.slice(0, 400), 'cut off'],
      'one cut off after a complete one': [text('ca.pem') + PEM.slice(0, 400), 'cut off'],
      'a self-signed one': [text('self.pem'), 'self-signed'],
      'a self-signed one with an order’s key': [text('selfrsa.pem'), 'self-signed'],
      'a key that can’t be ordered': [text('k1.pem'), 'key can’t be used'],
      'two of them': [PEM + text('ec.pem'), '2 issued certificates'],
      'one with another authority of the same name': [PEM + text('other.pem'), 'signature doesn’t match'],
      text: ['hello', 'No certificate'],
      nothing: ['', 'No certificate'],
      'a damaged one': [PEM.replace(/MII/, 'MIJ'), 'damaged'],
      'broken base64': [PEM.replace(/MII/, '???'), 'base64'],
      'a large file': [Buffer.alloc(300_000), 'too large'],
      'a ZIP file': [Buffer.from(`PK\u0003\u0004${'a'.repeat(60)}`), 'No certificate'],
    }),
  )('is refused if it is %s', (_, [input, problem]) => {
    expect(readCertificate(toBytes(input))).toEqual({ problem: expect.stringContaining(problem) })
  })

  it.each(Object.keys(KEYS))('has the key and the names of its request: %s', (name) => {
    const result = readCsr(text(`${name}.csr`))
    if ('problem' in result) throw new Error(result.problem)
    const facts = readFacts(text(`${name}.pem`))
    expect(facts.keyHash).toBe(result.csr.keyHash)
    expect(facts.names).toEqual(
      listCertificateNames({ subjectParts: [], names: result.csr.names }).map((one) => one.text),
    )
  })

  it.each(
    Object.entries({
      'RSA, PKCS #8': ['rsa', 'pkcs8'],
      'RSA, PKCS #1': ['rsa', 'pkcs1'],
      'RSA, encrypted': ['rsa', 'encrypted'],
      'P-256, PKCS #8': ['ec', 'pkcs8'],
      'P-256, SEC 1': ['ec', 'sec1'],
      'P-384, SEC 1': ['p384', 'sec1'],
      'Ed25519, PKCS #8': ['ed', 'pkcs8'],
      'Ed25519, encrypted': ['ed', 'encrypted'],
    } as const),
  )('isn’t read from a file with a private key, by either reader: %s', async (_, [name, type]) => {
    const key = createPrivateKey(text(`${name}.key`))
    const der =
      type === 'encrypted'
        ? key.export({ format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' })
        : key.export({ format: 'der', type })
    for (const bytes of [der, Buffer.from(der.toString('base64')), Buffer.concat([Buffer.from(PEM), der])]) {
      expect(readCertificate(bytes)).toEqual({ problem: expect.stringContaining('This is a private key') })
      expect(await readCsrFile(bytes)).toEqual({ problem: expect.stringContaining('This is a private key') })
    }
  })

  it('is read in linear time', { timeout: 60_000 }, async () => {
    const readText = (hostile: string) => readCertificate(Buffer.from(hostile))
    expect(await findSuperlinearTexts(4000, readSeed(), readText)).toEqual([])
  })

  it('may have no extensions, and then has no alternative names', () => {
    openssl('req', '-new', '-key', 's.key', '-subj', '/CN=old.example.com', '-out', 'v1.csr')
    openssl(
      'x509',
      '-req',
      '-in',
      'v1.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-days',
      '30',
      '-out',
      'v1.pem',
    )
    expect(readFacts(text('v1.pem')).names).toEqual([])
  })

  it('says whether its signature was checked', () => {
    expect([readFacts(PEM).isChecked, readFacts(PEM + text('ca.pem')).isChecked]).toEqual([false, true])
  })

  it('is never read as something else if it is damaged', () => {
    const random = createRandom(readSeed())
    const original = readFacts(PEM)
    for (let count = quickOrLong('DAMAGED', { quick: 300, long: 7000 }); count > 0; count -= 1) {
      const bytes = Buffer.from(read('rsa.der'))
      for (let changes = 1 + random.below(3); changes > 0; changes -= 1)
        bytes[random.below(bytes.length)] = random.below(256)
      const pem = `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`
      const withChain = readCertificate(Buffer.from(pem + text('ca.pem')))
      if ('problem' in withChain || !withChain.certificate.isChecked) continue
      // The signature fits only an unchanged certificate.
      expect({ ...withChain.certificate, isChecked: false }, `SEED=${readSeed()}`).toEqual(original)
    }
  })
})
