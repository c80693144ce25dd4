import { UserError } from '@signalman/runtime'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { splitCommand } from '../../../src/bot/routes/lines.ts'
import type { Verb } from '../../../src/bot/routes/routes.ts'
import { resolveTyped } from '../../../src/bot/unread/read-typed.ts'
import { splitWords } from '../../../src/domain/quoting.ts'
import { refang } from '../../../src/domain/typed-text/typed-address.ts'
import { quickOrLong } from '../../long.ts'
import { loadVerbs } from './real-verbs.ts'

const LINES = quickOrLong('LINES', { quick: 2500, long: 20_000 })

let verbs: readonly Verb[]
let routes: Awaited<ReturnType<typeof loadVerbs>>
beforeAll(async () => {
  routes = await loadVerbs()
  verbs = routes.verbs
})

const WORD = fc.constantFrom(
  ...[
    'web',
    'Shop',
    'down',
    'up',
    'all',
    '*',
    'shop*',
    'web-*,',
    'mine',
    'pending',
    'http',
    '2h',
    '30',
    '30m',
    '12',
    '#12',
  ],
  ...[
    'until',
    'for',
    'from',
    'every',
    'in',
    'by',
    'to',
    'except',
    'not',
    'and',
    'week',
    'yesterday',
    'today',
    'this',
    'Friday',
  ],
  ...[
    '18:00',
    '25:00',
    '2026-11-20',
    '60s',
    '5m',
    '@ann',
    '@on-call',
    '#C0GENERAL1',
    '#ops',
    '100000',
    'ann@example.com',
    'operator',
    'ote',
  ],
  ...[
    'https://shop.example.com',
    '192.0.2.7',
    '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d',
    'received',
    'csv',
    'please',
    '-b',
    '?',
  ],
  ...['"Friday Deals"', '"2h"', '"until 18:00"', '"*"', '"all"', '`web`', "'Opt in'", '"a', 'b"'],
)

const LINE = fc.record({
  verb: fc.nat(),
  words: fc.array(WORD, { maxLength: 7 }),
  flag: fc.option(fc.tuple(fc.nat(), fc.array(WORD, { maxLength: 3 }), fc.nat({ max: 7 })), {
    nil: undefined,
  }),
})

interface Typed {
  readonly verb: number
  readonly words: readonly string[]
  readonly flag: readonly [number, string[], number] | undefined
}

const UUID = '3f2a9c54-7d1e-4b8a-9c3f-5e6d7a8b9c0d'

function writeText(verb: Verb, words: readonly string[], flag: Typed['flag']): string {
  const flags = Object.keys(verb.flags ?? {})
  const name = flag && flags[flag[0] % flags.length]
  const typed = name ? words.toSpliced(flag[2], 0, `--${name}`, ...flag[1]) : words
  return [verb.verb, ...typed].filter(Boolean).join(' ')
}

/** Words that a value may have before it. */
const SMALL = ['for', 'in', 'by', 'to', 'until', 'from', 'every', 'except']

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** The words of a value, as `splitWords` writes them. */
const toWords = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean)

/** A choice, an interval, a UUID and an address have another spelling as values. */
function spellings(word: string, verb: Verb): string[] {
  const [, count = '', unit = ''] = /^(\d+)(s|m|h)$/.exec(word) ?? []
  return [
    word,
    word.toLowerCase(),
    refang(word),
    word.replace(/^#/, ''),
    ...(verb.parameters ?? []).map(({ words = {} }) => words[word.toLowerCase()] ?? ''),
    ...Object.values(verb.flags ?? {}).map((spec) =>
      typeof spec === 'object' && 'synonyms' in spec ? (spec.synonyms?.[word.toLowerCase()] ?? '') : '',
    ),
    count && String(Number(count) * (SECONDS[unit] ?? 0)),
    word.toUpperCase(),
    'true',
  ].filter(Boolean)
}

it('loses no word of a line: each is in a value or a flag, or the line is refused', () => {
  let read = 0
  fc.assert(
    fc.property(LINE, ({ verb: index, words, flag }) => {
      const verb = verbs[index % verbs.length]
      if (!verb) return
      const text = writeText(verb, words, flag)
      let resolved: ReturnType<typeof resolveTyped>
      try {
        resolved = resolveTyped(routes, splitCommand(`/${verb.command} ${text}`))
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
        expect((error as Error).message).not.toBe('')
        return
      }
      read += 1
      const { verb: found, args } = resolved
      const values = [
        ...Object.values(args.values),
        ...Object.values(args.lists).flat(),
        ...Object.values(args.flags).map((value) => (value === true ? 'true' : value)),
      ].flatMap((value) => toWords((value ?? '').replaceAll(/["'`]/g, '')))
      const [first, ...rest] = splitWords(text)
      const isVerb = first?.text === found.verb || (verb.verb !== '' && first?.text === verb.verb)
      const all = first && !isVerb ? [first, ...rest] : rest
      // A small word isn't lost if something follows that it belongs to. Such words come last, so that none takes the same word of a
      // value.
      const places = all
        .map((word, at) => ({
          ...word,
          isSmall: !word.isQuoted && SMALL.includes(word.text) && at + 1 < all.length,
        }))
        .toSorted((left, right) => Number(left.isSmall) - Number(right.isSmall))
      const lost = places.flatMap(({ text: word, isQuoted, isSmall }) => {
        if (!isQuoted && word.startsWith('--')) return []
        return toWords(word.replaceAll(/["'`]/g, '')).filter((part) => {
          const spelling = spellings(part, found).find((each) => values.includes(each))
          const place = spelling === undefined ? -1 : values.indexOf(spelling)
          if (place !== -1) {
            values.splice(place, 1)
            return false
          }
          // A lone mark is no word.
          return !isSmall && part !== '?'
        })
      })
      expect(lost, `/${verb.command} ${text} → ${JSON.stringify(args)}`).toEqual([])
    }),
    { numRuns: LINES },
  )
  // The lines aren't all refused.
  expect(read).toBeGreaterThan(LINES / 10)
})

it('keeps everything else in the line that is offered with another check', () => {
  let offered = 0
  fc.assert(
    fc.property(LINE, ({ verb: index, words, flag }) => {
      const verb = verbs[index % verbs.length]
      const text = verb ? writeText(verb, words, flag) : ''
      // A quote that isn't closed takes in the spaces after it.
      if (!verb || text.split('"').length % 2 === 0) return
      const args = readOrRefuse(`/${verb.command} ${text}`)
      if (args?.values.check === undefined) return
      offered += 1
      const line = args.lineFor(UUID)
      const { values, lists, flags } = resolveTyped(routes, splitCommand(line)).args
      const others = { ...args.values, check: undefined, uuid: UUID }
      expect([values, lists, flags], line).toEqual([others, args.lists, args.flags])
    }),
    { numRuns: LINES },
  )
  expect(offered).toBeGreaterThan(LINES / 40)
})

function readOrRefuse(line: string) {
  try {
    return resolveTyped(routes, splitCommand(line)).args
  } catch (error) {
    expect(error).toBeInstanceOf(UserError)
    return undefined
  }
}
