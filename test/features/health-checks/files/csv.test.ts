import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../src/errors.ts'
import {
  BOM,
  csvText,
  neutral,
  parseCsv,
  restored,
} from '../../../../src/features/health-checks/files/csv.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '=1+1',
    "'=1",
    "''=",
    '+',
    '-2',
    '@SUM(A1)',
    '\t=',
    'a,b',
    'a"b',
    'a;b',
    'two\nlines',
    '＝1',
  ),
)

describe('cells of a CSV file', () => {
  it('hold no formula, and come back as they were', () => {
    fc.assert(
      fc.property(cell, (text) => {
        expect(neutral(text)).not.toMatch(/^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/)
        expect(restored(neutral(text))).toBe(text)
      }),
    )
  })

  it('come back from a whole file, but for the space around them', () => {
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(rows, (records) => {
        const head = ['a', 'b', 'c', 'd', 'e']
        const read = parseCsv(Buffer.from(BOM + csvText([head, ...records])))
        const plain = (text: string): string => restored(neutral(text.replaceAll(/\r\n?/g, '\n')).trim())
        expect(read.slice(1).map(({ cells }) => cells)).toEqual(records.map((cells) => cells.map(plain)))
      }),
    )
  })

  it.each([
    { what: 'semicolons', text: 'a;b\n1,5;2\n', cells: ['1,5', '2'] },
    { what: 'tabs', text: 'a\tb\n1\t2\n', cells: ['1', '2'] },
    { what: 'bars', text: 'a|b\n1|2\n', cells: ['1', '2'] },
    { what: 'line ends of an old Mac', text: 'a,b\r1,2\r', cells: ['1', '2'] },
    { what: 'quotes around a separator in the head', text: '"a;x",b\n1,2\n', cells: ['1', '2'] },
    { what: 'empty lines', text: '\n\na,b\n\n1,2\n\n', cells: ['1', '2'] },
  ])('are read with $what', ({ text, cells }) => {
    expect(parseCsv(Buffer.from(text)).at(-1)?.cells).toEqual(cells)
  })

  it('are read in UTF-16, as spreadsheets write it', () => {
    expect(parseCsv(Buffer.from('\ufeffa\tb\n1\t2\n', 'utf16le')).at(-1)?.cells).toEqual(['1', '2'])
  })

  it('are counted by the line that they begin on', () => {
    const text = 'a,b\r\n"two\r\nlines",1\r\n\r\nlast,2\r\n'
    expect(parseCsv(Buffer.from(text)).map(({ line }) => line)).toEqual([1, 2, 5])
  })
})

it('reads any bytes, or says what is wrong with them', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ maxLength: 300 }).map((text) => new TextEncoder().encode(text)),
    fc
      .string({ unit: 'binary', maxLength: 300 })
      .map((text) => new TextEncoder().encode(`name,protocol,target,port,frequency,customer_id\n${text}`)),
  )
  fc.assert(
    fc.property(bytes, (some) => {
      try {
        const { rows, bad } = readFile(Buffer.from(some))
        for (const { line, says } of bad) expect([line > 1, says.length > 0]).toEqual([true, true])
        for (const { body } of rows) expect(body.name).not.toBe('')
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
      }
    }),
    { numRuns: 500 },
  )
})
