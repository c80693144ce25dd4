import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Csr, readCsr } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { ANY_CHARACTER } from '../../../any-character.ts'
import { type KeyKind, makeCsr, toPem } from './make-csr.ts'

function parseCsr(pasted: string): Csr {
  const result = readCsr(pasted)
  if ('problem' in result) throw new Error(result.problem)
  return result.csr
}

function parseProblem(pasted: string): string {
  const result = readCsr(pasted)
  return 'problem' in result ? result.problem : 'none'
}

const toName = (text: string) => {
  const [kind = '', ...rest] = text.split(' ')
  return { kind, text: rest.join(' ') }
}

const toBase64 = (pem: string): string => pem.replace(/-----.*?-----/g, '').trim()

describe('reading a CSR', () => {
  it('shows everything that the CSR requests', async () => {
    const { pem } = await makeCsr({
      key: 'rsa2048',
      subject: 'CN=shop.example.com, O=Example\\, Inc., C=SE',
      names: [
        { type: 'dns', value: 'shop.example.com' },
        { type: 'dns', value: '*.example.com' },
        { type: 'ip', value: '192.0.2.1' },
        { type: 'ip', value: '2001:db8::1' },
        { type: 'email', value: 'a@example.com' },
        { type: 'url', value: 'https://example.com/' },
      ],
    })
    expect(parseCsr(pem)).toEqual({
      pem: `${pem.trim()}\n`,
      subject: 'CN=shop.example.com, O=Example\\, Inc., C=SE',
      subjectParts: [
        { label: 'CN', text: 'shop.example.com' },
        { label: 'O', text: 'Example, Inc.' },
        { label: 'C', text: 'SE' },
      ],
      names: [
        'DNS shop.example.com',
        'DNS *.example.com',
        'IP 192.0.2.1',
        'IP 2001:db8::1',
        'email a@example.com',
        'URL https://example.com/',
      ].map(toName),
      key: 'RSA 2048 bits',
      signature: 'RSA with SHA-256',
      warnings: [
        '*.example.com: a wildcard over a whole registered domain for every name directly below it',
        'IP 192.0.2.1: a name of type “IP”, not a host name',
        'IP 2001:db8::1: a name of type “IP”, not a host name',
        'email a@example.com: a name of type “email”, not a host name',
        'URL https://example.com/: a name of type “URL”, not a host name',
      ],
      extensions: [],
      attributes: [],
      keyHash: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  const KEYS = {
    rsa2048: { key: 'RSA 2048 bits', signature: 'RSA with SHA-256' },
    rsa2048sha512: { key: 'RSA 2048 bits', signature: 'RSA with SHA-512' },
    p256: { key: 'EC P-256', signature: 'ECDSA with SHA-256' },
    p384: { key: 'EC P-384', signature: 'ECDSA with SHA-384' },
    p521: { key: 'EC P-521', signature: 'ECDSA with SHA-512' },
    ed25519: { key: 'Ed25519', signature: 'Ed25519' },
  }

  // With 4096 bits: corpus.jsonl, because such a key takes long to generate.
  it.each(Object.entries(KEYS))('verifies a signature with %s', async (kind, expected) => {
    const { pem } = await makeCsr({ key: kind as KeyKind })
    expect(parseCsr(pem)).toMatchObject(expected)
  })

  const FORMS: { format: string; transform: (pem: string) => string }[] = [
    { format: 'on one line', transform: (pem) => pem.replaceAll('\n', '') },
    { format: 'with spaces instead of line ends', transform: (pem) => pem.replaceAll('\n', ' ') },
    { format: 'with Windows line ends', transform: (pem) => pem.replaceAll('\n', '\r\n') },
    { format: 'with escaped line ends', transform: (pem) => JSON.stringify(pem) },
    { format: 'with text around it', transform: (pem) => `Hi, please order:\n\n${pem}\nThanks -- and bye` },
    { format: 'quoted in an email', transform: (pem) => pem.replace(/^/gm, '> ') },
    { format: 'indented', transform: (pem) => pem.replace(/^/gm, '    ') },
    { format: 'in a code block', transform: (pem) => `\`\`\`\n${pem}\`\`\`` },
    { format: 'with long dashes', transform: (pem) => pem.replaceAll('--', '—') },
    {
      format: 'with the old label',
      transform: (pem) => pem.replaceAll('CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'),
    },
    {
      format: 'with openssl -text before it',
      transform: (pem) => `Certificate Request:\n    Data:\n        Version: 1\n${pem}`,
    },
    { format: 'as bare base64', transform: toBase64 },
    { format: 'as bare base64 on one line', transform: (pem) => toBase64(pem).replaceAll('\n', '') },
    { format: 'with zero-width marks', transform: (pem) => `\ufeff${pem.replace('\n', '\u200b\n')}` },
  ]

  it.each(FORMS)('accepts a CSR $format, and sends the same PEM', async ({ transform }) => {
    const { pem } = await makeCsr()
    expect(parseCsr(transform(pem)).pem).toBe(`${pem.trim()}\n`)
  })

  it('warns about missing alternative names', async () => {
    const withSubject = parseCsr((await makeCsr({ names: [] })).pem)
    expect(withSubject.warnings).toEqual([
      expect.stringContaining('It has no subject alternative names (SANs)'),
    ])
    const withoutSubject = parseCsr((await makeCsr({ subject: '', names: [] })).pem)
    expect(withoutSubject.subject).toBe('')
    expect(withoutSubject.warnings[0]).toContain('It has no subject and no alternative names')
  })
})

describe('rejecting a CSR', () => {
  it('detects a private key in every format, and doesn’t show any of it', async () => {
    const { pem, privateKey } = await makeCsr({ key: 'rsa2048' })
    const forms = [
      privateKey,
      privateKey.replaceAll('\n', ''),
      privateKey.replaceAll('--', '—'),
      privateKey.replaceAll('PRIVATE KEY', 'RSA PRIVATE KEY'),
      privateKey.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY'),
      privateKey.replaceAll('PRIVATE KEY', 'OPENSSH PRIVATE KEY'),
      toBase64(privateKey),
      `${pem}\n${privateKey}`,
      privateKey.slice(0, 300),
    ]
    for (const form of forms) {
      const problem = parseProblem(form)
      expect(problem).toMatch(/^This is a private key\. Signalman didn’t .* treat it as leaked/)
      expect(problem).not.toContain(toBase64(privateKey).slice(0, 20))
    }
  })

  it.each([
    { input: 'nothing', pasted: '', error: 'No certificate signing request was found.' },
    {
      input: 'prose',
      pasted: 'please order a certificate',
      error: 'No certificate signing request was found.',
    },
    {
      input: 'only a label',
      pasted: 'CERTIFICATE REQUEST',
      error: 'No certificate signing request was found.',
    },
    {
      input: 'base64 of something else',
      pasted: Buffer.from('x'.repeat(90)).toString('base64'),
      error: 'isn’t a certificate signing request, or it’s damaged',
    },
    {
      input: 'an empty request',
      pasted: toPem('CERTIFICATE REQUEST', Buffer.alloc(0)),
      error: 'isn’t valid base64',
    },
    {
      input: 'a request of zeros',
      pasted: toPem('CERTIFICATE REQUEST', Buffer.alloc(300)),
      error: 'isn’t a certificate signing request, or it’s damaged',
    },
    { input: 'a public key', pasted: toPem('PUBLIC KEY', Buffer.alloc(90)), error: 'This is a PUBLIC KEY.' },
    {
      input: 'a certificate',
      pasted: toPem('CERTIFICATE', Buffer.alloc(90)),
      error: 'This is a certificate, not a certificate signing request',
    },
    {
      input: 'a trusted certificate',
      pasted: toPem('TRUSTED CERTIFICATE', Buffer.alloc(90)),
      error: 'This is a certificate, not a certificate signing request',
    },
  ])('explains why $input is rejected', ({ pasted, error }) => {
    expect(parseProblem(pasted)).toContain(error)
  })

  it('explains what is wrong with the CSR', async () => {
    const { pem, der } = await makeCsr()
    const breakCsr = (change: (bytes: Buffer) => void): string => {
      const bytes = Buffer.from(der)
      change(bytes)
      return toPem('CERTIFICATE REQUEST', bytes)
    }
    const last = der.length - 1
    expect(parseProblem(breakCsr((bytes) => bytes.writeUInt8((bytes[last] ?? 0) ^ 1, last)))).toContain(
      'The signature doesn’t match',
    )
    const name = der.indexOf('shop.example.com')
    expect(parseProblem(breakCsr((bytes) => bytes.write('evil', name)))).toContain(
      'The signature doesn’t match',
    )
    expect(parseProblem(toPem('CERTIFICATE REQUEST', der.subarray(0, -10)))).toContain('or it’s damaged')
    expect(parseProblem(toPem('CERTIFICATE REQUEST', Buffer.concat([der, der])))).toContain(
      'more than one request',
    )
    expect(parseProblem(pem.slice(0, -40))).toContain('cut off. Its END line is missing')
    expect(parseProblem(pem.replace('\n', '\n*'))).toContain('isn’t valid base64')
    expect(parseProblem(pem + pem)).toContain('more than one request')
  })

  it('explains what is wrong with a key or a signature', async () => {
    expect(parseProblem((await makeCsr({ key: 'rsa1024' })).pem)).toContain(
      'has 1024 bits, which is too weak',
    )
    expect(parseProblem((await makeCsr({ key: 'rsa2048sha1' })).pem)).toContain(
      'signed with SHA-1, which can be forged',
    )
  })

  it('only warns about data after the CSR, and doesn’t send that data', async () => {
    const { der } = await makeCsr()
    const withTrailingBytes = Buffer.concat([der, Buffer.from('some more')])
    const csr = parseCsr(toPem('CERTIFICATE REQUEST', withTrailingBytes))
    expect(csr.pem).toBe(toPem('CERTIFICATE REQUEST', der))
    expect(csr.warnings).toEqual([
      'There’s extra data after the request (9 bytes). Signalman ignores it and sends only the request.',
    ])
    expect(parseCsr(toPem('CERTIFICATE REQUEST', Buffer.concat([der, Buffer.from('\n')]))).warnings).toEqual(
      [],
    )
  })

  it('rejects every CSR that was tampered with, and any other text', async () => {
    const { der } = await makeCsr()
    const flips = fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(flips, (changes) => {
        const bytes = Buffer.from(der)
        for (const [at, value] of changes) bytes.writeUInt8(value, at)
        const result = readCsr(toPem('CERTIFICATE REQUEST', bytes))
        if (!bytes.equals(der)) expect(result).toHaveProperty('problem')
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 300 }), (text) => {
        expect(readCsr(text)).toHaveProperty('problem')
      }),
    )
    for (const text of [
      '-',
      '-----BEGIN ',
      '-----BEGIN CERTIFICATE REQUEST-----',
      'A',
      '> ',
      '\\n',
      ' BEGIN ',
    ])
      expect(readCsr(text.repeat(3000))).toHaveProperty('problem')
  })
})
