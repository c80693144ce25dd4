import { describe, expect, it } from 'vitest'
import { combineSilences, compareSubjects } from '../../../../src/features/watching/rules/combined-silence.ts'
import { globMatcher } from '../../../../src/features/watching/rules/matching.ts'
import type { Silence, SilenceSubject } from '../../../../src/features/watching/rules/silence.ts'
import { createRandom, readSeed } from '../../../random.ts'

const ALL: SilenceSubject = { kind: 'all' }
const check = (name: string, uuid = name): SilenceSubject => ({ kind: 'check', uuid, name })
const pattern = (text: string): SilenceSubject => ({ kind: 'name', pattern: text })

describe('compareSubjects', () => {
  it.each([
    [ALL, ALL, 'all'],
    [ALL, check('web-1'), 'all'],
    [check('web-1'), ALL, 'some'],
    [pattern('web-*'), ALL, 'some'],
    [check('web-1', 'A1'), check('renamed', 'a1'), 'all'],
    [check('web-1', 'A1'), check('web-1', 'A2'), 'none'],
    [pattern('WEB-*'), check('web-1'), 'all'],
    [pattern('api-*'), check('web-1'), 'none'],
    [check('web-1'), pattern('web-*'), 'some'],
    [check('api-1'), pattern('web-*'), 'none'],
    [pattern('we*'), pattern('web-*'), 'all'],
    [pattern('web-*'), pattern('we*'), 'some'],
    [pattern('*-1'), pattern('web-*'), 'some'],
    [pattern('api-*'), pattern('web-*'), 'none'],
    [pattern('*-1'), pattern('*-2'), 'none'],
    [pattern('a*b*c'), pattern('a*x*c'), 'some'],
  ] as const)('%o, compared with %o: %s', (silence, subject, expected) => {
    expect(compareSubjects(silence, subject)).toBe(expected)
  })

  it('agrees with names that match', () => {
    const random = createRandom(readSeed())
    const word = (letters: string, max: number) =>
      Array.from({ length: random.below(max) }, () => random.oneOf([...letters])).join('')
    for (let round = 0; round < 3000; round += 1) {
      const [left, right] = [`${word('ab*', 4)}*`, `${word('ab*', 3)}*${word('ab', 2)}`]
      const name = word('ab', 7)
      const overlap = compareSubjects(pattern(left), pattern(right))
      const isLeft = globMatcher(left)(name)
      const isRight = globMatcher(right)(name)
      if (overlap === 'all' && isRight) expect([left, right, name, isLeft]).toEqual([left, right, name, true])
      if (isLeft && isRight) expect([left, right, name, overlap]).not.toEqual([left, right, name, 'none'])
    }
  })
})

describe('combineSilences', () => {
  const NOW = new Date('2026-11-25T12:00:00Z')
  const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000)
  type Combined = Pick<Silence, 'subject' | 'from' | 'to' | 'state'> & { name: string }
  const silence = (
    name: string,
    subject: SilenceSubject,
    [from, to]: readonly [number, number | undefined],
    state: Silence['state'] = from <= 0 ? 'running' : 'planned',
  ): Combined => ({
    name,
    subject,
    from: minutes(from),
    to: to === undefined ? undefined : minutes(to),
    state,
  })
  const combine = (...silences: readonly Combined[]) => {
    const { last, partly } = combineSilences(check('web-1'), silences, NOW)
    return { last: last?.name, partly: partly.map(({ name }) => name) }
  }

  it.each([
    ['nothing', [], undefined],
    ['the only one', [silence('mute', check('web-1'), [0, 15])], 'mute'],
    ['the later end', [silence('a', check('web-1'), [0, 15]), silence('b', ALL, [-60, 30])], 'b'],
    ['one without an end', [silence('a', ALL, [0, undefined]), silence('b', ALL, [0, 600])], 'a'],
    ['a window that begins before the end', [silence('a', ALL, [0, 15]), silence('b', ALL, [10, 60])], 'b'],
    [
      'a chain of windows',
      [silence('c', ALL, [60, 90]), silence('a', ALL, [0, 15]), silence('b', ALL, [15, 60])],
      'c',
    ],
    ['no window after a gap', [silence('a', ALL, [0, 15]), silence('b', ALL, [16, 60])], 'a'],
    ['no window if nothing runs now', [silence('b', ALL, [16, 60])], undefined],
    ['nothing that is over', [silence('a', ALL, [-60, -1]), silence('b', ALL, [-60, 60], 'over')], undefined],
    // The clock was set back after it began.
    [
      'what runs, though its start is ahead',
      [silence('a', ALL, [0, 15]), silence('b', ALL, [30, 60], 'running')],
      'b',
    ],
    [
      'nothing that is over, also later',
      [silence('a', ALL, [0, 15]), silence('b', ALL, [10, 60], 'over')],
      'a',
    ],
    [
      'a window that begins before such an end',
      [silence('b', ALL, [30, 60], 'running'), silence('c', ALL, [20, 90])],
      'c',
    ],
    ['nothing of other checks', [silence('a', check('api-1'), [0, 15])], undefined],
  ] as const)('finds %s', (_name, silences, expected) => {
    expect(combine(...silences).last).toBe(expected)
  })

  it('lists what silences only some of the checks, but longer', () => {
    const silences = [
      silence('mute', pattern('web-*'), [0, 30]),
      silence('longer', check('web-1'), [0, 60]),
      silence('shorter', check('web-2'), [0, 15]),
      silence('other', check('api-1'), [0, 60]),
      silence('later', check('web-3'), [40, 60]),
    ]
    const { last, partly } = combineSilences(pattern('web-*'), silences, NOW)
    expect([last?.name, partly.map(({ name }) => name)]).toEqual(['mute', ['longer']])
  })
})
