import { describe, expect, it } from 'vitest'
import {
  type AnchorRecord,
  findRecords,
  formatRecord,
  hashRecord,
  readRecords,
} from '../../src/audit/anchor-record.ts'
import { makeKeyText, parseKeys } from '../../src/secrets/keys.ts'

const RING = parseKeys(makeKeyText())
const RECORD: AnchorRecord = {
  lineage: 'lineage',
  restore: '',
  n: 2,
  at: '2026-03-01T12:00:00.000Z',
  prior: { n: 1, hash: 'hash of record 1' },
  heads: [['T1', 7, 'hash of row 7']],
}

it('finds whole records around those that were cut off, in the order of the text', () => {
  const texts = [5, 3, 4].map((n) => formatRecord(RING.primary, { ...RECORD, n }))
  const [first = '', second = '', third = ''] = texts
  for (let length = 1; length < second.length; length += 1) {
    const text = `${first}\n${second.slice(0, length)}\n${second}\n${second}\n${third.slice(0, length)}`
    const found = readRecords(text, RING, [])
    expect(found.genuine.map(({ record }) => record.n)).toEqual([5, 3])
    expect(found.unfinished).toBe(length < 'audit-anchor.v1.'.length ? 0 : 2)
    expect(findRecords(text).at(-1)?.text).toBe(second)
  }
})

it('names the records whose key isn’t here, except those that a genuine record vouches for', () => {
  const other = parseKeys(makeKeyText())
  const old = formatRecord(other.primary, { ...RECORD, n: 1 })
  const forged = formatRecord(other.primary, { ...RECORD, n: 9 })
  const current = formatRecord(RING.primary, { ...RECORD, prior: { n: 1, hash: hashRecord(old) } })
  const found = readRecords([old, current, forged].join('\n'), RING, [])
  expect(found.genuine.map(({ record }) => record.n)).toEqual([1, 2])
  expect(found.unchecked).toEqual([{ record: { ...RECORD, n: 9 }, text: forged }])
  const trusted = readRecords([old, forged].join('\n'), RING, [hashRecord(forged)])
  expect(trusted.genuine.map(({ record }) => record.n)).toEqual([9])
})

describe('a signed anchor record', () => {
  it('can be parsed from surrounding text', () => {
    const text = `Copied: ${formatRecord(RING.primary, RECORD)}.`
    expect(findRecords(text)).toEqual([{ record: RECORD, text: formatRecord(RING.primary, RECORD) }])
    const textOfRecord = formatRecord(RING.primary, RECORD)
    expect(readRecords(text, RING, [])).toEqual({
      genuine: [{ record: RECORD, text: textOfRecord }],
      unchecked: [],
      unfinished: 0,
    })
  })

  it.each([
    { problem: 'no lineage', change: { lineage: undefined } },
    { problem: 'no last restore', change: { restore: undefined } },
    { problem: 'a restore without a date', change: { restored: 1 } },
    { problem: 'a number as the former place', change: { moved: 1 } },
    { problem: 'null as the former place', change: { moved: null } },
    { problem: 'the number 0', change: { n: 0 } },
    { problem: 'a number that no column can store', change: { n: 0x8000_0000 } },
    { problem: 'no time', change: { at: undefined } },
    { problem: 'an invalid time', change: { at: 'yesterday' } },
    { problem: 'no heads', change: { heads: undefined } },
    { problem: 'a head without a hash', change: { heads: [['T1', 7]] } },
    { problem: 'a head with the sequence 0', change: { heads: [['T1', 0, 'hash']] } },
    { problem: 'a prior record without a hash', change: { prior: { n: 1 } } },
    { problem: 'null as the prior record', change: { prior: null } },
  ])('is skipped if it has $problem', ({ change }) => {
    // Cast, because these records are invalid.
    const text = formatRecord(RING.primary, { ...RECORD, ...change } as AnchorRecord)
    expect(findRecords(text)).toEqual([])
    expect(readRecords(text, RING, [])).toEqual({ genuine: [], unchecked: [], unfinished: 0 })
  })
})
