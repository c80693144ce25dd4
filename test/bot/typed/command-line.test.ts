import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FlagSpecs, parseArguments, splitWords } from '../../../src/bot/typed/command-line.ts'
import { ANY_CHARACTER } from '../../any-character.ts'

const splitTexts = (typed: string) => splitWords(typed).map(({ text }) => text)

describe('words', () => {
  it.each([
    { typed: 'list web', words: ['list', 'web'] },
    { typed: 'show "two words"', words: ['show', 'two words'] },
    { typed: 'show “two words”', words: ['show', 'two words'] },
    { typed: "show 'two words'", words: ['show', 'two words'] },
    { typed: "show Bob's check", words: ['show', "Bob's", 'check'] },
    { typed: 'show ‘two words’', words: ['show', 'two words'] },
    { typed: 'list —status HEALTHY', words: ['list', '--status', 'HEALTHY'] },
    { typed: 'list –status HEALTHY', words: ['list', '--status', 'HEALTHY'] },
    { typed: 'list\u00a0web\u200b', words: ['list', 'web'] },
    { typed: '<https://shop.example.com|shop.example.com>', words: ['shop.example.com'] },
    { typed: '<https://shop.example.com>', words: ['https://shop.example.com'] },
    { typed: '<mailto:ann@example.com|ann@example.com>', words: ['ann@example.com'] },
    { typed: '--name="two words"', words: ['--name=two words'] },
    { typed: 'a &amp; b', words: ['a', '&', 'b'] },
    { typed: 'an "open quote', words: ['an', 'open quote'] },
    { typed: 'show `web`', words: ['show', 'web'] },
    { typed: '   ', words: [] },
  ])('are parsed as in a shell: $typed', ({ typed, words }) => {
    expect(splitTexts(typed)).toEqual(words)
  })

  it('are parsed from arbitrary text without crashing', () => {
    fc.assert(
      fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 2000 }), (typed) => void splitWords(typed)),
    )
  })
})

describe('a command of a hundred thousand characters', () => {
  const PARTS = [
    '"',
    "'",
    '<',
    '>',
    '|',
    ' ',
    '`',
    '-',
    '—',
    '&',
    '&lt;',
    "'a ",
    '"a ',
    'a"',
    "a'",
    '<a|',
    '<mailto:',
    '<a|b',
    '<|',
    '"\'',
    '--a=',
    '--a="',
    '\u200b',
    '\ud800',
    '😀',
    'ﷺ',
    "' '",
    '" "',
    '\'\t"',
    '<mailto:|',
  ]

  // With 100,000 characters, a quadratic parser would need 10,000,000,000 steps, and the test would time out.
  it.each(PARTS)('is parsed in linear time if it repeats %j', (part) => {
    const typed = part.repeat(Math.ceil(100_000 / part.length))
    for (const text of [typed, `a${typed}`, `${typed}a`, `<${typed}`, `'${typed}`, `"${typed}`]) {
      expect(splitTexts(text).join('').length).toBeLessThanOrEqual(text.length)
    }
  })
})

const SPECS = {
  status: ['UNHEALTHY', 'HEALTHY'],
  target: 'value',
  share: 'switch',
  not: { listOf: 'value' },
  protocol: { listOf: ['TCP', 'HTTP'] },
} as const satisfies FlagSpecs

describe('arguments', () => {
  it.each([
    { typed: 'web --status healthy', words: ['web'], flags: { status: 'HEALTHY' } },
    { typed: '--target=x.example web', words: ['web'], flags: { target: 'x.example' } },
    { typed: '--SHARE web', words: ['web'], flags: { share: true } },
    { typed: '-share', words: [], flags: { share: true } },
    { typed: '- -1', words: ['-', '-1'], flags: {} },
  ])('are parsed into words and flags: $typed', ({ typed, words, flags }) => {
    expect(parseArguments(splitWords(typed), SPECS)).toEqual({ words, flags })
  })

  it('keep every value of a repeatable flag', () => {
    expect(
      parseArguments(splitWords('web-* --not a* --protocol=tcp --not "b c" --protocol http'), SPECS),
    ).toEqual({
      words: ['web-*'],
      flags: {},
      lists: { not: ['a*', 'b c'], protocol: ['TCP', 'HTTP'] },
    })
  })

  it.each([
    { typed: '--protocol HTPT', error: 'Did you mean HTTP?' },
    { typed: '--not', error: '--not needs a value.' },
    { typed: '--statsu HEALTHY', error: 'Did you mean --status?' },
    { typed: '--statsuu HEALTHY', error: 'Did you mean --status?' },
    // Too short to suggest a flag that differs in two letters.
    { typed: '--nods 9', error: 'This command has no flag --nods. Its flags are --status' },
    { typed: '--nonsense', error: 'Its flags are --status, --target, --share, --not, --protocol.' },
    { typed: '--status', error: '--status needs a value.' },
    { typed: '--status UP', error: '“UP” isn’t a valid value for --status. Use UNHEALTHY, HEALTHY.' },
    {
      typed: '--status HEALTHY --status unhealthy',
      error: 'You gave --status twice, as “HEALTHY” and as “UNHEALTHY”. Give it only once.',
    },
    { typed: '--status UNHELTHY', error: 'Did you mean UNHEALTHY?' },
    { typed: '--constructor', error: 'This command has no flag --constructor.' },
    { typed: '--__proto__ x', error: '' },
  ])('are rejected if invalid: $typed ($error)', ({ typed, error }) => {
    const parse = () => parseArguments(splitWords(typed), SPECS)
    if (error) expect(parse).toThrow(error)
    else expect(parse().flags).toEqual({})
  })

  it('are rejected with a hint to use the buttons if they ask for a page number', () => {
    expect(() => parseArguments(splitWords('--page 9'), { name: 'value', offset: 'value' })).toThrow(
      'This command has no flag --page. Use the buttons below the list to open other pages.',
    )
  })
})

it('accepts synonyms of a flag’s value, but lists only the values themselves', () => {
  const specs: FlagSpecs = { status: { type: ['UP', 'DOWN'], help: 'Status', synonyms: { red: 'DOWN' } } }
  expect(parseArguments(splitWords('--status RED'), specs).flags).toEqual({ status: 'DOWN' })
  expect(() => parseArguments(splitWords('--status constructor'), specs)).toThrow(
    '“constructor” isn’t a valid value for --status. Use UP, DOWN.',
  )
})
