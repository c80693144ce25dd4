import { describe, expect, it } from 'vitest'
import { type AnchorRecord, formatRecord, parseRecord, readRecords } from '../../src/audit/anchor-record.ts'
import { makeKeyText, parseKeys } from '../../src/secrets/keys.ts'

const RING = parseKeys(makeKeyText())
const RECORD: AnchorRecord = {
  life: 'life',
  n: 2,
  at: '2026-03-01T12:00:00.000Z',
  prior: { n: 1, hash: 'hash of record 1' },
  heads: [['T1', 7, 'hash of row 7']],
}

describe('a signed anchor record', () => {
  it('can be parsed from surrounding text', () => {
    const text = `Copied: ${formatRecord(RING.primary, RECORD)}.`
    expect(parseRecord(text)).toEqual(RECORD)
    expect(readRecords(text, RING, [])).toEqual({ genuine: [RECORD], count: 1, notes: [] })
  })

  it.each([
    { problem: 'no database life', change: { life: undefined } },
    { problem: 'the number 0', change: { n: 0 } },
    { problem: 'a number that no column can store', change: { n: 0x8000_0000 } },
    { problem: 'no time', change: { at: undefined } },
    { problem: 'an invalid time', change: { at: 'yesterday' } },
    { problem: 'no heads', change: { heads: undefined } },
    { problem: 'a head without a hash', change: { heads: [['T1', 7]] } },
    { problem: 'a head with the sequence 0', change: { heads: [['T1', 0, 'hash']] } },
    { problem: 'a prior record without a hash', change: { prior: { n: 1 } } },
    { problem: 'null as the prior record', change: { prior: null } },
  ])('is skipped, with a note, if it has $problem', ({ change }) => {
    // Cast, because these records are invalid.
    const text = formatRecord(RING.primary, { ...RECORD, ...change } as AnchorRecord)
    expect(parseRecord(text)).toBeUndefined()
    expect(readRecords(text, RING, [])).toEqual({
      genuine: [],
      count: 1,
      notes: ['Skipped a record that can’t be parsed.'],
    })
  })
})
