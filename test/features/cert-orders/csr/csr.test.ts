import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TEXT_LIMITS } from '../../../../packages/runtime/src/text-limits.ts'
import { readCsr, readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { ANY_CHARACTER } from '../../../any-character.ts'
import { buildRequest } from './build-request.ts'
import { type MadeCsr, makeCsr, toPem } from './make-csr.ts'

const LABEL = 'CERTIFICATE REQUEST'
const toBase64 = (pem: string): string => pem.replace(/-----.*?-----/g, '').trim()
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

/** How people and tools pass on a request. With the mistakes of people: corpus/people.jsonl. */
const FORMS: Readonly<Record<string, (csr: MadeCsr) => string | Buffer>> = {
  'without line ends': ({ pem }) => pem.replaceAll('\n', ''),
  'with escaped line ends': ({ pem }) => JSON.stringify(pem),
  'with text around it': ({ pem }) => `Hi, please order:\n\n${pem}\nThanks -- and bye`,
  'quoted in an email': ({ pem }) => pem.replace(/^/gm, '> '),
  'in a code block': ({ pem }) => `\`\`\`\n${pem}\`\`\``,
  'with long dashes': ({ pem }) => pem.replaceAll('--', '—'),
  'with the old label': ({ pem }) => pem.replaceAll(LABEL, `NEW ${LABEL}`),
  'with the label of other programs': ({ pem }) => pem.replaceAll(LABEL, 'CERTIFICATE SIGNING REQUEST'),
  'with PEM headers': ({ pem }) => pem.replace('-----\n', '-----\nComment: web-1\n\n'),
  'with zero-width marks': ({ pem }) => `\ufeff${pem.replace('\n', '\u200b\n')}`,
  'with a zero-width space after BEGIN': ({ pem }) => pem.replace('BEGIN ', 'BEGIN \u200b'),
  'as bare base64 on one line': ({ pem }) => toBase64(pem).replaceAll('\n', ''),
  'as DER': ({ der }) => der,
  'in UTF-16 LE': ({ pem }) => utf16(`\ufeff${pem}`),
  'in UTF-16 LE without a mark': ({ pem }) => utf16(pem),
  'in UTF-16 BE': ({ pem }) => utf16(`\ufeff${pem}`).swap16(),
  'in UTF-16 BE without a mark': ({ pem }) => utf16(pem).swap16(),
}

const readBoth = (input: string | Buffer) =>
  typeof input === 'string' ? [readCsr(input), readCsrFile(Buffer.from(input))] : [readCsrFile(input)]

describe('a CSR', () => {
  it.each(Object.entries(FORMS))('is found %s, and the same PEM is sent', (_, write) => {
    const csr = makeCsr()
    for (const result of readBoth(write(csr)))
      expect('csr' in result ? result.csr.pem : result.problem).toBe(csr.pem)
  })

  it('only has a warning about data after it, which isn’t sent', () => {
    const { der, pem } = makeCsr()
    const readWith = (more: string | Buffer) =>
      readCsr(toPem(LABEL, Buffer.concat([der, typeof more === 'string' ? Buffer.from(more) : more])))
    expect(readWith('some more')).toMatchObject({
      csr: {
        pem,
        warnings: [
          'There’s extra data after the request (9 bytes). Signalman ignores it and sends only the request.',
        ],
      },
    })
    expect(readWith(der)).toMatchObject({ csr: { pem, warnings: [expect.stringContaining('extra data')] } })
    expect(readWith('\n')).toMatchObject({ csr: { warnings: [] } })
  })
})

const NOT_FOUND = 'No certificate signing request was found.'
const DAMAGED = 'isn’t a certificate signing request, or it’s damaged'
const NOT_BASE64 = 'isn’t valid base64'
const A_CERTIFICATE = 'This is a (?:trusted )?certificate'
const LEAKED = /^This is a private key\. Signalman didn’t .* treat it as leaked/
const NO_MATCH = 'The signature doesn’t match'
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

function changeByte(der: Buffer, at: number): string {
  const bytes = Buffer.from(der)
  bytes.writeUInt8((bytes.at(at) ?? 0) ^ 1, at < 0 ? bytes.length + at : at)
  return toPem(LABEL, bytes)
}

/** Other formats of private keys: test/domain/private-key.test.ts. */
const REFUSED: readonly [what: string, write: (csr: MadeCsr) => string | Buffer, problem: string | RegExp][] =
  [
    ['nothing', () => '', NOT_FOUND],
    ['prose', () => 'please order a certificate', NOT_FOUND],
    ['only a label', () => LABEL, NOT_FOUND],
    ['base64 of something else', () => Buffer.from('x'.repeat(90)).toString('base64'), DAMAGED],
    ['an empty request', () => toPem(LABEL, Buffer.alloc(0)), NOT_BASE64],
    ['a request of zeros', () => toPem(LABEL, Buffer.alloc(300)), DAMAGED],
    ['a file of zeros', () => Buffer.alloc(50), ''],
    ['a public key', () => toPem('PUBLIC KEY', Buffer.alloc(90)), 'This is a public key.'],
    ['a certificate', () => toPem('CERTIFICATE', Buffer.alloc(90)), A_CERTIFICATE],
    ['a trusted certificate', () => toPem('TRUSTED CERTIFICATE', Buffer.alloc(90)), A_CERTIFICATE],
    ['a changed signature', ({ der }) => changeByte(der, -1), NO_MATCH],
    ['a changed name', ({ der }) => changeByte(der, der.indexOf('shop.example.com')), NO_MATCH],
    ['a signature that names another algorithm', () => buildRequest({ key: RSA }), NO_MATCH],
    ['a cut file', ({ der }) => der.subarray(0, -10), ''],
    ['a cut request', ({ der }) => toPem(LABEL, der.subarray(0, -10)), DAMAGED],
    ['a cut END line', ({ pem }) => pem.slice(0, -40), 'cut off. Its END line is missing'],
    ['another character', ({ pem }) => pem.replace('\n', '\n*'), NOT_BASE64],
    ['two requests', ({ pem }) => pem + pem, 'more than one request'],
    ['too large a file', () => Buffer.alloc(TEXT_LIMITS.csrBytes + 1), 'The limit is 64 KB'],
    ['a private key', ({ privateKey }) => privateKey, LEAKED],
    ['half of a private key', ({ privateKey }) => privateKey.slice(0, 150), LEAKED],
    ['a private key in DER', ({ privateKey }) => Buffer.from(toBase64(privateKey), 'base64'), LEAKED],
    ['a private key in UTF-16', ({ privateKey }) => utf16(`\ufeff${privateKey}`), LEAKED],
    ['a private key in UTF-16 without a mark', ({ privateKey }) => utf16(privateKey), LEAKED],
    ['a private key in UTF-16 BE', ({ privateKey }) => utf16(`\ufeff${privateKey}`).swap16(), LEAKED],
    ['a private key too', ({ pem, privateKey }) => `${pem}\n${privateKey}`, LEAKED],
  ]

describe('what isn’t a CSR', () => {
  it.each(REFUSED)('is refused with the reason: %s', (_, write, problem) => {
    const csr = makeCsr()
    for (const result of readBoth(write(csr))) {
      expect(result).toEqual({ problem: expect.stringMatching(problem) })
      expect(JSON.stringify(result)).not.toContain(toBase64(csr.privateKey).slice(0, 20))
    }
  })

  it('is refused if it was tampered with, or is any other text', () => {
    const { der } = makeCsr()
    const flips = fc.array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(flips, (changes) => {
        const bytes = Buffer.from(der)
        for (const [at, value] of changes) bytes.writeUInt8(value, at)
        if (!bytes.equals(der)) expect(readCsr(toPem(LABEL, bytes))).toHaveProperty('problem')
      }),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 300 }), (text) => {
        expect(readCsr(text)).toHaveProperty('problem')
      }),
    )
  })

  const LONG = 100_000

  /** On these, a regular expression that backtracks would run for minutes, and the test would time out. */
  it.each([
    ...['-', '-----BEGIN ', `-----BEGIN ${LABEL}-----`, 'A', '> ', '\\n', ' BEGIN '].map((part) =>
      part.repeat(LONG / part.length),
    ),
    `-----BEGIN ${LABEL}${'-'.repeat(LONG)}`,
    `${'A'.repeat(50)}${'='.repeat(LONG)}!`,
  ])('is refused at once if it could slow down a regular expression: %.30s', (text) => {
    expect(readCsr(text)).toHaveProperty('problem')
  })
})
