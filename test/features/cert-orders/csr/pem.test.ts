import { expect, it } from 'vitest'
import { containsPrivateKey } from '../../../../src/domain/private-key.ts'
import { findRequest } from '../../../../src/features/cert-orders/rules/csr/pem.ts'

const LONG = 100_000

/** A pattern with backtracking would run for minutes on these inputs, until the test times out. */
it.each([
  { what: 'a request that is all dashes', text: `-----BEGIN CERTIFICATE REQUEST${'-'.repeat(LONG)}` },
  { what: 'dashes', text: '-'.repeat(LONG) },
  { what: 'equals signs', text: `${'A'.repeat(50)}${'='.repeat(LONG)}!` },
  { what: 'many beginnings', text: `${'BEGIN '.repeat(LONG / 6)}!` },
  { what: 'quoted lines', text: '> '.repeat(LONG / 2) },
])('rejects text that could slow down a regular expression: $what', ({ text }) => {
  expect('problem' in findRequest(text)).toBe(true)
  expect(containsPrivateKey(text)).toBe(false)
})
