import { describe, expect, it } from 'vitest'
import { parseMute, parseSubject } from '../../../../../src/features/watching/on-call/parse/mute.ts'

/** A Friday, 15:05 in Paris. */
const NOW = new Date('2026-11-20T14:05:00Z')
const TIME_ZONE = 'Europe/Paris'
const parseTyped = (typed: string) => parseMute(typed.split(' ').filter(Boolean), NOW, TIME_ZONE)

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
    { typed: 'web until Mon 9', kind: 'check', until: '2026-11-23T08:00' },
    { typed: 'web monday 7:30', kind: 'check', until: '2026-11-23T06:30' },
    { typed: 'web until Friday', kind: 'check', until: '2026-11-27T08:00' },
    { typed: 'web 1w', kind: 'check', until: '2026-11-27T14:05' },
    { typed: 'web for 1h 30m', kind: 'check', until: '2026-11-20T15:35' },
    { typed: 'web 2 d 3 h', kind: 'check', until: '2026-11-22T17:05' },
    { typed: 'web Mon 9:00', kind: 'check', until: '2026-11-23T08:00' },
    { typed: 'web until Friday 18:00', kind: 'check', until: '2026-11-20T17:00' },
    { typed: 'web Friday 9:00', kind: 'check', until: '2026-11-27T08:00' },
    { typed: 'all forever', kind: 'all', until: undefined },
    { typed: '* for ever', kind: 'all', until: undefined },
  ])('parses $typed', ({ typed, kind, until }) => {
    const { subject, until: end } = parseTyped(typed)
    expect({ kind: subject.kind, until: end?.toISOString().slice(0, 16) }).toEqual({ kind, until })
  })

  it.each(['until Monday 9:00', 'Monday 9:00', 'for 2d 17h 55m', '2d 17h 55m'])(
    'accepts "%s" as a single quoted argument',
    (when) => {
      const { subject, until } = parseMute(['Bank', 'API', when], NOW, TIME_ZONE)
      expect(subject).toEqual({ kind: 'check', words: ['Bank', 'API'] })
      expect(until?.toISOString()).toBe('2026-11-23T08:00:00.000Z')
    },
  )

  it.each([
    { typed: '', error: 'What should be muted' },
    { typed: '2h', error: 'What should be muted' },
    { typed: 'web', error: '“web” isn’t one of these' },
    { typed: 'web x', error: '“x” isn’t one of these' },
    { typed: 'web-* 2 years', error: '“2 years” isn’t one of these' },
    { typed: 'web-1 yesterday', error: '“yesterday” isn’t one of these' },
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
    { typed: 'web 25:00', error: 'For how long?' },
    { typed: 'web 8h 7d', error: 'up to 7 days' },
    { typed: 'web sat', error: 'For how long?' },
  ])('rejects "$typed" with: $error', ({ typed, error }) => {
    expect(() => parseTyped(typed)).toThrow(error)
  })

  it.each([
    { typed: 'Bank open API', suggestedLine: '/hc mute "Bank open API" 30m' },
    { typed: 'web-1 checkout', suggestedLine: '/hc mute "web-1 checkout" 30m' },
  ])('suggests durations if the name in "$typed" has no time', ({ typed, suggestedLine }) => {
    expect(() => parseTyped(typed)).toThrow(
      expect.objectContaining({
        suggestions: expect.arrayContaining([{ label: '30 minutes', line: suggestedLine }]),
      }),
    )
  })

  it('suggests no durations if the typed duration is invalid', () => {
    expect(() => parseTyped('web-* 2 years')).toThrow(expect.objectContaining({ suggestions: [] }))
  })

  it.each([
    { typed: ['all'], expected: { kind: 'all' } },
    { typed: ['web-*', 'x'], expected: { kind: 'name', pattern: 'web-* x' } },
    { typed: ['Bank', 'API'], expected: { kind: 'check', words: ['Bank', 'API'] } },
  ])('parses the subject in $typed', ({ typed, expected }) => {
    expect(parseSubject(typed)).toEqual(expected)
  })
})
