import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvText, neutralizeCell, restoreCell } from '../../src/domain/csv.ts'
import { ANY_CHARACTER } from '../any-character.ts'
import { quickOrLong } from '../long.ts'

const SEPARATORS = [',', ';', '\t', '|']

/** True for a cell that any spreadsheet program treats as a formula, even after spaces and opening quotes. */
const isFormula = (cell: string): boolean => /^[\s\u200b"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(cell)

/** Text with many characters that spreadsheets treat specially. */
const hostile = fc.oneof(
  fc
    .array(fc.constantFrom(...'=+-@|%＝＋－＠\'"“‘ \u200b\t\r\n;,aZ1'), { maxLength: 12 })
    .map((characters) => characters.join('')),
  fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
)

/** Splits text into cells like a program that uses this separator. Only a quote at the start of a cell opens a quoted cell. */
function splitAt(separator: string, text: string): string[] {
  const cells: string[] = []
  for (let rest = text; rest !== ''; ) {
    const quoted = /^"((?:[^"]|"")*)"?/.exec(rest)
    const afterQuotes = quoted ? rest.slice(quoted[0].length) : rest
    const ends = [separator, '\r', '\n'].map((end) => afterQuotes.indexOf(end)).filter((at) => at !== -1)
    const end = Math.min(afterQuotes.length, ...ends)
    cells.push((quoted?.[1] ?? '').replaceAll('""', '"') + afterQuotes.slice(0, end))
    rest = afterQuotes.slice(end + 1)
  }
  return cells
}

describe('neutralizing formulas in a cell', () => {
  it.each([
    { cell: ' =HYPERLINK("https://bad.example")', written: '\' =HYPERLINK("https://bad.example")' },
    { cell: '|calc', written: "'|calc" },
    { cell: '“=1', written: "'“=1" },
    { cell: "'=1", written: "''=1" },
    { cell: '\nx', written: "'\nx" },
    { cell: '＝1', written: "'＝1" },
    { cell: 'a;=1', written: "a;'=1" },
    { cell: "'quoted'", written: "'quoted'" },
    { cell: 'web-shop = 1', written: 'web-shop = 1' },
  ])('writes $cell as $written, and restores it', ({ cell, written }) => {
    expect(neutralizeCell(cell)).toBe(written)
    expect(restoreCell(written)).toBe(cell)
  })

  it('leaves nothing that runs as a formula, and can be undone exactly', () => {
    fc.assert(
      fc.property(hostile, (cell) => {
        expect(neutralizeCell(cell)).not.toMatch(/^[\s\u200b"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/)
        expect(restoreCell(neutralizeCell(cell))).toBe(cell)
      }),
      { numRuns: quickOrLong('CELLS', { quick: 1000, long: 50_000 }) },
    )
  })

  it('takes linear time, even with a million spaces', () => {
    const spaces = '\t\v'.repeat(500_000)
    expect(neutralizeCell(spaces)).toBe(`'${spaces}`)
    expect(restoreCell(`'${spaces}`)).toBe(spaces)
    expect(neutralizeCell(`a${spaces}=1`)).toBe(`a${spaces}'=1`)
    expect(restoreCell(`a${spaces}'=1`)).toBe(`a${spaces}=1`)
  })
})

describe.each(SEPARATORS)('a file whose cells are separated by %j', (separator) => {
  it('contains no formula', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(hostile, { minLength: 3, maxLength: 3 }), { maxLength: 4 }),
        (records) => {
          const file = csvText([['kind', 'value', 'name'], ...records.map((cells) => ['x', ...cells])])
          expect(splitAt(separator, file).filter(isFormula)).toEqual([])
        },
      ),
      { numRuns: quickOrLong('CELLS', { quick: 300, long: 10_000 }) },
    )
  })
})
