import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitWords } from '../../../../src/domain/quoting.ts'
import { createNoIdsError, parseIds, requireOnlyIds } from '../../../../src/features/threats/parse.ts'
import { findIds } from '../../../../src/features/threats/rules/ids.ts'
import { ANY_CHARACTER } from '../../../any-character.ts'

const ID = '7e57ed00-0000-4000-8000-00000000000a'
const OTHER_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

const findInLine = (typed: string) => findIds(splitWords(typed).map(({ text }) => text))

describe('finding IDs', () => {
  it.each([
    { format: 'plain', typed: ID },
    { format: 'in upper case', typed: ID.toUpperCase() },
    { format: 'in escaped angle brackets', typed: `&lt;${ID}&gt;` },
    { format: 'in an address', typed: `https://portal.example.com/events/${ID}?tab=1#top` },
    { format: 'with encoded dashes', typed: ID.replaceAll('-', '%2D') },
    {
      format: 'in an address that a mail filter has encoded twice',
      typed: `https://filter.example/?url=${encodeURIComponent(encodeURIComponent(`https://portal.example.com/e/${ID}`))}&data=5`,
    },
    { format: 'with zero-width marks everywhere', typed: [...ID].join('\u200b') },
    {
      format: 'with joiners and direction marks',
      typed: `\u202a7e57ed00\u2060-0000-4000\u200d-8000-00000000000a\u202c`,
    },
    { format: 'with non-breaking hyphens', typed: ID.replaceAll('-', '\u2011') },
    { format: 'in full-width letters', typed: ID.replace('7e57', '７ｅ５７') },
  ])('finds an ID $format', ({ typed }) => {
    expect(findInLine(typed)).toEqual({ ids: [ID], otherWords: [] })
  })

  it('finds several IDs in the order typed, without duplicates', () => {
    expect(findInLine(`${OTHER_ID}, ${ID}; ${OTHER_ID.toUpperCase()} and ${ID}`)).toEqual({
      ids: [OTHER_ID, ID],
      otherWords: ['and'],
    })
  })

  it.each([
    { input: 'text that is too short', typed: ID.slice(0, -1) },
    { input: 'text that is too long', typed: `${ID}0` },
    { input: 'text with another letter in it', typed: ID.replace('e', 'g') },
    { input: '33 digits without dashes', typed: `${ID.replaceAll('-', '')}0` },
  ])('finds no ID in $input', ({ typed }) => {
    expect(findInLine(typed)).toEqual({ ids: [], otherWords: [typed] })
  })

  it('finds an ID regardless of the surrounding text', () => {
    const surroundings = fc.string({ unit: ANY_CHARACTER, maxLength: 40 })
    fc.assert(
      fc.property(surroundings, surroundings, (before, after) => {
        expect(findIds([`${before} `, ID, ` ${after}`]).ids).toContain(ID)
      }),
    )
  })

  it('finds no ID in arbitrary or very long text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: ANY_CHARACTER })), (words) => {
        expect(findIds(words).ids).toEqual([])
      }),
    )
    for (const piece of ['a-', '0', '<', '\u200b', '-', 'e\u0301'])
      expect(findIds([piece.repeat(200_000), piece]).ids).toEqual([])
  })
})

describe('parsing a /threat command', () => {
  it('lists only the first few of many unknown words', () => {
    const { notes } = parseIds([ID, ...Array.from({ length: 40 }, (_, index) => `word${index}`)])
    expect(notes.join()).toContain('Skipped: “word0”, “word1”, “word2”, “word3”, “word4”, and 35 more.')
    expect(parseIds(Array.from({ length: 10 }, (_, index) => `${ID.slice(0, -1)}${index}`)).notes).toEqual([])
    expect(createNoIdsError('', ['do', 'we', 'know', 'https://exa.mple/x']).message).toMatch(
      /^“hxxps:\/\/exa\[\.\]mple\/x” isn’t a threat event ID\. The service finds/,
    )
    const refused = () => requireOnlyIds('whois', findIds([ID, 'nope']), 1)
    expect(refused).toThrow('“nope” isn’t a threat event ID. /threat whois takes one ID and no other words.')
  })
})

it.each([
  'da39a3ee5e6b4b0d3255bfef95601890afd80709 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
  'deadbeef cafe babe f00d 012345678901',
  'deadbeef-cafe babe-f00d-012345678901-7',
])('doesn’t join words into an ID that nobody typed: %s', (text) => {
  expect(findIds(text.split(' ')).ids).toEqual([])
})
