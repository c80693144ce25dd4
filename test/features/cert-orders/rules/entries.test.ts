import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Entry,
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

const EXTREME_ENTRIES: Readonly<Record<string, Entry[]>> = {
  '13 contacts of 255 characters': [
    { label: 'V1', values: Array.from({ length: 13 }, (_, index) => `${index}${'c'.repeat(253)}`) },
  ],
  '4,000 names': [
    { label: 'V1', values: Array.from({ length: 4000 }, (_, index) => `DNS h${index}.shop.example.com`) },
  ],
  '64 KB of an extension as hexadecimal': [{ label: 'V1', values: ['ab'.repeat(32_768)] }],
  '60,000 control characters': [{ label: 'V1', values: ['\u0001'.repeat(60_000)] }],
  '60,000 bidirectional marks and spaces': [{ label: 'V1', values: ['\u202e  \u00a0'.repeat(15_000)] }],
  '4,000 family emoji (20,000 code points)': [{ label: 'V1', values: ['👩‍👩‍👧'.repeat(4000)] }],
  'an empty value': [{ label: 'V1', values: [''] }],
}

const TOO_LONG = [
  '60,000 control characters',
  '60,000 bidirectional marks and spaces',
  '4,000 family emoji (20,000 code points)',
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

  it.each(Object.entries(EXTREME_ENTRIES))('show %s in full, within Slack’s limits', (what, entries) => {
    const sections = [...formatSections(entries)]
    for (const text of sections) expect(text.length).toBeLessThanOrEqual(3000)
    const values = entries.flatMap((entry) => entry.values)
    expect(readBack(sections)).toEqual(values.map((value) => makeVisible(value) || '(empty)'))
    const shown = fitInWindow(entries)
    // Whatever doesn't fit in one window can't be requested.
    expect(shown === undefined).toBe(TOO_LONG.includes(what))
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
