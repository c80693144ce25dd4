import { expect, it } from 'vitest'
import { findRecords } from '../../../packages/durable/src/audit/anchor-record.ts'

const RECORD = { lineage: 'l', restore: 'r', n: 2, at: '2026-11-20T09:00:00.000Z', heads: [['T1', 1, 'h']] }

it.each([
  { label: 'no record before it', change: {}, count: 1 },
  { label: 'the number and hash of the one before', change: { prior: { n: 1, hash: 'h' } }, count: 1 },
  { label: 'only the number of the one before', change: { prior: { n: 1 } }, count: 0 },
  { label: 'only the hash of the one before', change: { prior: { hash: 'h' } }, count: 0 },
  { label: 'a head without a hash', change: { heads: [['T1', 1]] }, count: 0 },
  { label: 'a date that isn’t one', change: { at: 'noon' }, count: 0 },
])('finds a record with $label: $count', ({ change, count }) => {
  const content = Buffer.from(JSON.stringify({ ...RECORD, ...change })).toString('base64url')
  expect(findRecords(`audit-anchor.v1.key.${content}.${'A'.repeat(86)}`)).toHaveLength(count)
})
