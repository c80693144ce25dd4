import { describe, expect, it } from 'vitest'
import { visible } from '../../packages/slack/src/blocks/text.ts'
import { parseRecipients } from '../../src/domain/recipients.ts'
import { cleanTyped } from '../../src/domain/typed-text/clean.ts'
import { foldName } from '../../src/domain/typed-text/fold-name.ts'
import { safeDomain } from '../../src/features/threats/rules/defang.ts'
import { findIds } from '../../src/features/threats/rules/ids.ts'

const ALL = Array.from({ length: 0x110000 }, (_, code) => code).filter(
  (code) => code < 0xd800 || code > 0xdfff,
)
const matching = (pattern: RegExp): string[] =>
  ALL.map((code) => String.fromCodePoint(code)).filter((character) => pattern.test(character))

const INVISIBLE = matching(/[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u)
/** Parts of emoji and of words in some scripts. */
const JOINING = /\u200c|\u200d|\p{Variation_Selector}/u
const STRAY = INVISIBLE.filter((character) => !JOINING.test(character))
const DASHES = matching(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/u)
const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

/** The characters for which something else comes out. */
const findOdd = (characters: readonly string[], read: (character: string) => unknown, expected: unknown) =>
  characters
    .filter((character) => JSON.stringify(read(character)) !== JSON.stringify(expected))
    .map((character) => `U+${character.codePointAt(0)?.toString(16)}`)

describe('an invisible character', () => {
  it('is no part of an address, wherever it is', () => {
    for (const write of [
      (character: string) => `${character}ann@example.com`,
      (character: string) => `an${character}n@example.com`,
      (character: string) => `ann@exam${character}ple.com`,
    ])
      expect(
        findOdd(INVISIBLE, (character) => parseRecipients(write(character)).addresses, ['ann@example.com']),
      ).toEqual([])
  })

  it('is no part of a typed line, unless emoji or words may consist of it', () => {
    // A Hangul filler is read as the space that it looks like.
    const others = STRAY.filter((character) => !/[\u3164\u{e0020}-\u{e007f}]/u.test(character))
    expect(findOdd(others, (character) => cleanTyped(`sh${character}op`), 'shop')).toEqual([])
  })

  it('makes no difference between two names', () => {
    const others = INVISIBLE.filter((character) => character !== '\u3164')
    expect(findOdd(others, (character) => foldName(`Sh${character}op`), 'shop')).toEqual([])
  })

  it('hides no event ID', () => {
    const write = (character: string) => `${ID.slice(0, 20)}${character}${ID.slice(20)}`
    expect(findOdd(INVISIBLE, (character) => findIds([write(character)]).ids, [ID])).toEqual([])
  })

  it('is shown by its code in what an attacker wrote', () => {
    expect(
      findOdd(STRAY, (character) => /\[U\+[0-9A-F]{4,}\]/.test(visible(`sh${character}op`)), true),
    ).toEqual([])
    expect(
      findOdd(
        INVISIBLE,
        (character) => /\[U\+[0-9A-F]{4,}\]/.test(safeDomain(`sh${character}op.example`)),
        true,
      ),
    ).toEqual([])
  })
})

describe('a dash of another kind', () => {
  it('is read as a hyphen', () => {
    expect(findOdd(DASHES, (dash) => cleanTyped(`a${dash}b`), 'a-b')).toEqual([])
    expect(findOdd(DASHES, (dash) => cleanTyped(`show ${dash}limit`), 'show --limit')).toEqual([])
    expect(findOdd(DASHES, (dash) => foldName(`a ${dash} b`), 'a - b')).toEqual([])
    expect(findOdd(DASHES, (dash) => findIds([ID.replaceAll('-', dash)]).ids, [ID])).toEqual([])
  })
})

it('reads typographic quotes as plain ones, and takes them off an address', () => {
  for (const quote of '\u201c\u201d\u201e\u00ab\u00bb\u301d\uff02') {
    expect(cleanTyped(`${quote}a`)).toBe('"a')
    expect(parseRecipients(`${quote}ann@example.com${quote}`).addresses).toEqual(['ann@example.com'])
  }
  for (const quote of '\u2018\u2019\u201a\u2032\u2039\u203a\uff07') {
    expect(cleanTyped(`${quote}a`)).toBe("'a")
    expect(parseRecipients(`${quote}ann@example.com${quote}`).addresses).toEqual(['ann@example.com'])
  }
})
