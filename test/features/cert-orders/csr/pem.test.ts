import { expect, it } from 'vitest'
import { containsPrivateKey } from '../../../../src/domain/private-key.ts'
import { findRequest } from '../../../../src/features/cert-orders/rules/csr/pem.ts'

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
