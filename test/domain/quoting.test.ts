import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LISTED_CHECKS } from '../../src/bot/grammar/vocabulary.ts'
import { joinWords, quoted, splitWords } from '../../src/domain/quoting.ts'
import { formatListCommand, LIST_FLAGS, parseFilters } from '../../src/features/health-checks/parse.ts'
import { ANY_CHARACTER } from '../any-character.ts'
import { quickOrLong } from '../long.ts'
import { readTyped } from '../read-typed.ts'

const RUN_OPTIONS = { numRuns: quickOrLong('WORDS', { quick: 500, long: 20_000 }) }

/** Parts of words that parsers, clients, or Slack might interpret. */
const HOSTILE = [
  '"',
  "'",
  '\\',
  '\\"',
  '\\u{22}',
  '\\\\',
  '`',
  ' ',
  '  ',
  '\n',
  '\t',
  '\u0000',
  '\u00a0',
  '\u200b',
  '“',
  '”',
  '«',
  '‘',
  '’',
  '—',
  '–',
  '--share',
  '-share',
  '--env=ote',
  '—share',
  '--',
  '<',
  '>',
  '&',
  '&lt;',
  '<@U1>',
  '<https://x|y>',
  '|',
  ':tada:',
  '/hc',
  '😀',
  '\ud800',
  'é',
  'ﷺ',
  '漢',
  '',
]
const word = fc.oneof(
  fc.string({ unit: ANY_CHARACTER }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...HOSTILE, 'a', 'web-1'), { maxLength: 6 }).map((parts) => parts.join('')),
)

describe('a quoted word', () => {
  it('parses back to the same word, and never as a flag', () => {
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = words.map(quoted).join(' ')
        expect(splitWords(line).map(({ text }) => text)).toEqual(words)
        expect(readTyped(line)).toMatchObject({ words, flags: {} })
      }),
      RUN_OPTIONS,
    )
  })

  it('can be the value of a flag', () => {
    fc.assert(
      fc.property(
        word.filter((text) => text !== ''),
        (value) => {
          for (const line of [`--target ${quoted(value)}`, `--target=${quoted(value)}`])
            expect(readTyped(line, { flags: { target: 'value' } }).flags).toEqual({ target: value })
        },
      ),
      RUN_OPTIONS,
    )
  })

  it('contains nothing that Slack would change', () => {
    fc.assert(
      fc.property(word, (text) => void expect(quoted(text)).not.toMatch(/[<>&\n“”‘’—\u00a0]/)),
      RUN_OPTIONS,
    )
  })

  it.each([
    { text: 'web-1', typed: 'web-1' },
    { text: 'two words', typed: '"two words"' },
    { text: 'say "hi"*', typed: '"say \\"hi\\"*"' },
    { text: 'C:\\checks', typed: '"C:\\\\checks"' },
    { text: '“smart”', typed: '"\\u{201c}smart\\u{201d}"' },
    { text: '', typed: '""' },
  ])('is typed as $typed for the text $text', ({ text, typed }) => {
    expect(quoted(text)).toBe(typed)
  })
})

it('formats a parsed command so that it parses to the same words again', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        word,
        fc.array(word).map((words) => words.join(' ')),
      ),
      (typed) => {
        const words = splitWords(typed)
        const reparsed = splitWords(joinWords(words))
        expect(reparsed.map(({ text }) => text)).toEqual(words.map(({ text }) => text))
        expect(joinWords(reparsed)).toBe(joinWords(words))
      },
    ),
    RUN_OPTIONS,
  )
})

it('formats a list command that parses back to the same filters', () => {
  // A `*` alone filters nothing, so it isn't read as a filter.
  const text = word.filter((typed) => typed !== '' && typed !== '*')
  fc.assert(
    fc.property(text, text, (name, target) => {
      const filters = { name, target }
      const line = formatListCommand(filters).slice('/hc list '.length)
      const args = readTyped(line, { parameters: LISTED_CHECKS, flags: LIST_FLAGS })
      expect(parseFilters(args).filters).toEqual(filters)
    }),
    RUN_OPTIONS,
  )
})
