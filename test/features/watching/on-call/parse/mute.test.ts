import { describe, expect, it } from 'vitest'
import { MUTE_SLOTS } from '../../../../../src/features/watching/on-call/commands/mutes.ts'
import { parseMute } from '../../../../../src/features/watching/on-call/parse/mute.ts'
import { parseSubject } from '../../../../../src/features/watching/on-call/parse/subject.ts'
import { formatMuteCommand } from '../../../../../src/features/watching/views/cards.ts'
import { readTyped } from '../../../../read-typed.ts'

/** A Friday, 15:05 in Paris. */
const NOW = new Date('2026-11-20T14:05:00Z')
const TIME_ZONE = 'Europe/Paris'
const parseTyped = (typed: string) => parseMute(readTyped(typed, { slots: MUTE_SLOTS }), NOW, TIME_ZONE)

describe('/hc mute', () => {
  it.each([
    { typed: 'all 30m', kind: 'all', until: '2026-11-20T14:35' },
    { typed: 'web-* 2h', kind: 'name', until: '2026-11-20T16:05' },
    { typed: 'Bank open API 1d', kind: 'check', until: '2026-11-21T14:05' },
    { typed: 'web for 7d', kind: 'check', until: '2026-11-27T14:05' },
    { typed: 'web 2 h', kind: 'check', until: '2026-11-20T16:05' },
    { typed: 'web until 2026-12-01', kind: 'check', until: '2026-12-01T08:00' },
    { typed: 'web 2026-12-01 18:30', kind: 'check', until: '2026-12-01T17:30' },
    { typed: 'web 2026-12-01T18:30Z', kind: 'check', until: '2026-12-01T18:30' },
    { typed: 'web 18:00', kind: 'check', until: '2026-11-20T17:00' },
    { typed: 'web 9:00', kind: 'check', until: '2026-11-21T08:00' },
    { typed: 'web tomorrow', kind: 'check', until: '2026-11-21T08:00' },
    { typed: 'web until 25 December', kind: 'check', until: '2026-12-25T08:00' },
    { typed: 'web until 25 Dec 9:30', kind: 'check', until: '2026-12-25T08:30' },
    { typed: 'web until Dec 25th 2026', kind: 'check', until: '2026-12-25T08:00' },
    { typed: 'web until 3 Jan', kind: 'check', until: '2027-01-03T08:00' },
    { typed: 'web until 2026-12-25', kind: 'check', until: '2026-12-25T08:00' },
    { typed: 'web till monday morning', kind: 'check', until: '2026-11-23T08:00' },
    { typed: 'web monday 7:30', kind: 'check', until: '2026-11-23T06:30' },
    { typed: 'web until Friday', kind: 'check', until: '2026-11-27T08:00' },
    { typed: 'web 1w', kind: 'check', until: '2026-11-27T14:05' },
    { typed: 'web for 1h 30m', kind: 'check', until: '2026-11-20T15:35' },
    { typed: 'web 2 d 3 h', kind: 'check', until: '2026-11-22T17:05' },
    { typed: 'web Mon 9:00', kind: 'check', until: '2026-11-23T08:00' },
    { typed: 'web until Friday 18:00', kind: 'check', until: '2026-11-20T17:00' },
    { typed: 'web Friday 9:00', kind: 'check', until: '2026-11-27T08:00' },
    { typed: 'all forever', kind: 'all', until: undefined },
    { typed: '* forever', kind: 'all', until: undefined },
    { typed: '2h web', kind: 'check', until: '2026-11-20T16:05' },
  ])('parses $typed', ({ typed, kind, until }) => {
    const { subject, until: end } = parseTyped(typed)
    expect({ kind: subject.kind, until: end?.toISOString().slice(0, 16) }).toEqual({ kind, until })
  })

  it.each(['web-*', 'Bank open*', 'shop * EU', 'münchen *'])(
    'parses the line of a card’s Mute button for the pattern %s',
    (pattern) => {
      const line = formatMuteCommand({ kind: 'name', pattern }).replace(/^\/hc mute /, '')
      expect(parseTyped(`${line} 1h`).subject).toEqual({ kind: 'name', pattern })
    },
  )

  it.each(['until Monday 9:00', 'for 2h'])('suggests the line without quotes for "%s" in quotes', (when) => {
    expect(() => parseTyped(`Bank API "${when}"`)).toThrow(
      expect.objectContaining({ lines: expect.arrayContaining([`/hc test Bank API ${when}`]) }),
    )
  })

  it.each([
    { typed: '', error: 'For how long?' },
    { typed: '2h', error: 'What should be muted' },
    { typed: 'web', error: 'For how long?' },
    { typed: 'web x', error: 'For how long?' },
    { typed: 'web-* 2 years', error: 'For how long?' },
    { typed: 'web-1 yesterday', error: 'For how long?' },
    { typed: 'web-1 until yesterday', error: 'That time has passed' },
    { typed: 'web 10m', error: 'at least 15 minutes' },
    { typed: 'web 8d', error: 'up to 7 days' },
    { typed: 'web 2026-11-20 15:10', error: 'at least 15 minutes' },
    { typed: 'web 2026-11-19', error: 'has passed' },
    { typed: 'web 2028-01-01', error: 'within a year' },
    { typed: 'web 2027-02-30', error: 'There is no 2027-02-30.' },
    { typed: 'web-* 2027-02-31 09:00', error: 'There is no 2027-02-31 09:00.' },
    { typed: 'web until 2026-11-31', error: 'There is no 2026-11-31.' },
    { typed: 'web 2026-12-01 25:00', error: 'There is no 2026-12-01 25:00.' },
    { typed: 'web until 31 November', error: 'There is no 31 November.' },
    { typed: 'web 25:00', error: 'There is no 25:00.' },
    { typed: 'web 8h 7d', error: 'up to 7 days' },
    { typed: 'web sat', error: 'For how long?' },
  ])('rejects "$typed" with: $error', ({ typed, error }) => {
    expect(() => parseTyped(typed)).toThrow(error)
  })

  it.each([
    { typed: 'all', expected: { kind: 'all' } },
    { typed: 'web-* x', expected: { kind: 'name', pattern: 'web-* x' } },
    { typed: '"all"', expected: { kind: 'check', values: { check: 'all' }, words: ['all'] } },
    { typed: 'Bank API', expected: { kind: 'check', values: { check: 'Bank API' }, words: ['Bank', 'API'] } },
    { typed: '', expected: undefined },
  ])('parses the subject in $typed', ({ typed, expected }) => {
    expect(parseSubject(typed)).toEqual(expected)
  })
})
