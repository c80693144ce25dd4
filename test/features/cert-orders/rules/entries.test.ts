import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fitInWindow,
  formatSections,
  makeVisible,
} from '../../../../src/features/cert-orders/rules/entries.ts'
import { readSeed } from '../../../random.ts'

const SEED = readSeed()

/** Reads the values back from the rendered lines: removes the labels, and joins the parts of long values. */
function readBack(texts: readonly string[]): string[] {
  const values: string[] = []
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [, label = '', part, value = ''] = /^(.*?)(?:, part (\d+) of \d+)?: (.*)$/su.exec(line) ?? []
    expect(label).toMatch(/^V\d+( \d+ of \d+)?$/)
    if (part === undefined || part === '1') values.push(value)
    else values.push((values.pop() ?? '') + value)
  }
  return values
}

const repeated = (text: string, count: number): string[] => [text.repeat(count)]

/** Values of one entry. What doesn't fit in one window can't be requested. */
const EXTREMES: readonly [what: string, values: string[], fits: boolean][] = [
  ['13 contacts of 255 characters', Array.from({ length: 13 }, (_, at) => `${at}${'c'.repeat(253)}`), true],
  ['4,000 names', Array.from({ length: 4000 }, (_, at) => `DNS h${at}.shop.example.com`), true],
  ['64 KB of an extension as hexadecimal', repeated('ab', 32_768), true],
  ['60,000 control characters', repeated('\u0001', 60_000), false],
  ['60,000 bidirectional marks and spaces', repeated('\u202e  \u00a0', 15_000), false],
  ['4,000 family emoji (20,000 code points)', repeated('👩‍👩‍👧', 4000), false],
  ['an empty value', [''], true],
]

describe('the values of an order', () => {
  it.each([
    { total: 3000, sections: 1 },
    { total: 3001, sections: 2 },
  ])('fill a section up to 3,000 characters: $total take $sections', ({ total, sections }) => {
    const entries = [
      { label: 'V1', values: ['a'.repeat(1500)] },
      { label: 'V2', values: ['b'.repeat(total - 1500 - 'V1: \nV2: '.length)] },
    ]
    expect([...formatSections(entries)]).toHaveLength(sections)
  })

  it.each(EXTREMES)('show %s in full, within Slack’s limits', (_, values, fits) => {
    const entries = [{ label: 'V1', values }]
    const sections = [...formatSections(entries)]
    for (const text of sections) expect(text.length).toBeLessThanOrEqual(3000)
    expect(readBack(sections)).toEqual(values.map((value) => makeVisible(value) || '(empty)'))
    const shown = fitInWindow(entries)
    expect(shown !== undefined).toBe(fits)
    if (shown) expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(250_000)
  })

  it(`show every value in full, regardless of its characters (seed ${SEED})`, () => {
    const text = fc
      .array(
        fc.constantFrom(...'aZ0 \u0000\n\u202e\u00a0é', '👍', '⟨U+202E⟩', '\ud83d', ': ', ', part 1 of 2'),
        {
          ...{ maxLength: 4000, size: 'small' as const },
        },
      )
      .map((characters) => characters.join(''))
    const values = fc.array(text, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 6 }), (all) => {
        const texts = [...formatSections(all.map((values, index) => ({ label: `V${index}`, values })))]
        const joined = texts.join('\n')
        for (const value of all.flat()) {
          const text = makeVisible(value) || '(empty)'
          expect(text).not.toMatch(/[\p{Cc}\p{Cf}\u00a0]/u)
          if (text.length < 2000) expect(joined).toContain(`: ${text}`)
        }
      }),
      { seed: SEED, numRuns: 200 },
    )
  })

  it('make invisible characters visible', () => {
    expect(makeVisible('bank\u202emoc.\u200b\u00a0x  y ')).toBe('bank⟨U+202E⟩moc.⟨U+200B⟩⟨U+00A0⟩x␠ y␠')
  })
})
