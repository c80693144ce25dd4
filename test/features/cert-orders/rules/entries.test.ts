import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatSections, makeVisible } from '../../../../src/features/cert-orders/rules/entries.ts'

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

  it('show every value in full, regardless of its characters', () => {
    const characters = fc.array(
      fc.constantFrom(
        ...'aZ0 \u0000\n\u202e\u00a0é',
        '👍',
        '👩‍👩‍👧',
        '⟨U+202E⟩',
        '\ud83d',
        ': ',
        ', part 1 of 2',
      ),
      { maxLength: 4000, size: 'small' },
    )
    const text = fc.oneof(
      characters.map((parts) => parts.join('')),
      fc.tuple(characters, fc.nat(400)).map(([parts, times]) => parts.join('').slice(0, 100).repeat(times)),
    )
    const values = fc.array(text, { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 6 }), (all) => {
        const texts = [...formatSections(all.map((values, index) => ({ label: `V${index}`, values })))]
        for (const shown of texts) expect(shown.length).toBeLessThanOrEqual(3000)
        expect(readBack(texts)).toEqual(all.flat().map((value) => makeVisible(value) || '(empty)'))
        expect(texts.join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u00a0]/u)
      }),
      { numRuns: 200 },
    )
  })

  it('make invisible characters visible', () => {
    expect(makeVisible('bank\u202emoc.\u200b\u00a0x  y ')).toBe('bank⟨U+202E⟩moc.⟨U+200B⟩⟨U+00A0⟩x␠ y␠')
  })
})
