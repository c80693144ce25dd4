import { expect, it } from 'vitest'
import { containsPrivateKey } from '../../../../src/domain/private-key.ts'
import { readCsrFile } from '../../../../src/features/cert-orders/rules/csr/csr.ts'
import { findRequest } from '../../../../src/features/cert-orders/rules/csr/pem.ts'
import { makeCsr } from './make-csr.ts'

const LONG = 100_000

/** On these inputs, a regular expression that backtracks would run for minutes, and the test would time out. */
it.each([
  { description: 'a request that is all dashes', text: `-----BEGIN CERTIFICATE REQUEST${'-'.repeat(LONG)}` },
  { description: 'dashes', text: '-'.repeat(LONG) },
  { description: 'equals signs', text: `${'A'.repeat(50)}${'='.repeat(LONG)}!` },
  { description: 'the word BEGIN many times', text: `${'BEGIN '.repeat(LONG / 6)}!` },
  { description: 'quoted lines', text: '> '.repeat(LONG / 2) },
])('rejects text that could slow down a regular expression: $description', ({ text }) => {
  expect('problem' in findRequest(text)).toBe(true)
  expect(containsPrivateKey(text)).toBe(false)
})

it('finds a request in every form in which tools write it', async () => {
  const { pem, der } = await makeCsr()
  const body = pem.split('\n').filter((line) => !line.startsWith('-----'))
  const forms: Record<string, string | Buffer> = {
    'PEM headers': [
      '-----BEGIN CERTIFICATE REQUEST-----',
      'Comment: web-1',
      '',
      ...body,
      '-----END CERTIFICATE REQUEST-----',
    ].join('\n'),
    'a zero-width space after BEGIN': pem.replace('BEGIN ', 'BEGIN \u200b'),
    base64url: Buffer.from(der).toString('base64url'),
    'base64url between the lines': `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString('base64url')}\n-----END CERTIFICATE REQUEST-----`,
    DER: Buffer.from(der),
    'one line': pem.replaceAll('\n', ' '),
    'a mark': `\ufeff${pem}`,
    'UTF-16 LE': Buffer.from(`\ufeff${pem}`, 'utf16le'),
    'UTF-16 LE without a mark': Buffer.from(pem, 'utf16le'),
    'UTF-16 BE without a mark': Buffer.from(pem, 'utf16le').swap16(),
    'UTF-16 BE': Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(pem, 'utf16le').swap16()]),
  }
  for (const [form, input] of Object.entries(forms)) {
    const result = await readCsrFile(Buffer.from(input as string))
    expect('csr' in result ? result.csr.pem.trim() : result.problem, form).toBe(pem.trim())
  }
})
