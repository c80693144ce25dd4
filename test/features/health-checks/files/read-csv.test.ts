import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { UserError } from '../../../../packages/runtime/src/errors.ts'
import { BOM, csvText } from '../../../../src/domain/csv.ts'
import { type CsvRecord, readCsv } from '../../../../src/features/health-checks/files/read-csv.ts'
import { readFile } from '../../../../src/features/health-checks/files/read-file.ts'
import { ANY_CHARACTER } from '../../../any-character.ts'
import { countTurns } from '../../../event-loop-turns.ts'
import { quickOrLong } from '../../../long.ts'

const TEN_MB = 10 * 1024 * 1024
const HEADER = 'name,protocol,target,port,frequency,customer_id'

async function readRecords(text: string | Buffer): Promise<CsvRecord[]> {
  const records: CsvRecord[] = []
  for await (const record of readCsv(Buffer.from(text))) records.push(record)
  return records
}

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
    ' =HYPERLINK("https://bad.example")',
    '|calc',
    'a;=1',
    "a;'=1",
    'two\n+lines',
    ' spaced ',
  ),
)

describe('cells of a CSV file', () => {
  it('survive a round trip unchanged, except for line endings', async () => {
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(rows, async (records) => {
        const head = ['a', 'b', 'c', 'd', 'e']
        const readBack = await readRecords(BOM + csvText([head, ...records]))
        const sent = records.map((cells) => cells.map((text) => text.replaceAll(/\r\n?/g, '\n')))
        expect(readBack.slice(1).map(({ cells }) => cells)).toEqual(sent)
      }),
      { numRuns: quickOrLong('FILES', { quick: 60, long: 5000 }) },
    )
  })

  it('are trimmed, unless quoted', async () => {
    expect((await readRecords('a,b\n  1 ," 2 "\n')).at(-1)?.cells).toEqual(['1', ' 2 '])
  })

  it.each([
    { content: 'semicolons', text: 'a;b\n1,5;2\n', cells: ['1,5', '2'] },
    { content: 'tabs', text: 'a\tb\n1\t2\n', cells: ['1', '2'] },
    { content: 'bars', text: 'a|b\n1|2\n', cells: ['1', '2'] },
    { content: 'old Mac line endings', text: 'a,b\r1,2\r', cells: ['1', '2'] },
    { content: 'quotes around a separator in the header', text: '"a;x",b\n1,2\n', cells: ['1', '2'] },
    { content: 'empty lines', text: '\n\na,b\n\n1,2\n\n', cells: ['1', '2'] },
  ])('are read with $content', async ({ text, cells }) => {
    expect((await readRecords(text)).at(-1)?.cells).toEqual(cells)
  })

  it('are read from the UTF-16 that spreadsheets write', async () => {
    expect((await readRecords(Buffer.from('\ufeffa\tb\n1\t2\n', 'utf16le'))).at(-1)?.cells).toEqual([
      '1',
      '2',
    ])
  })

  it('have the line number where their row starts', async () => {
    const text = 'a,b\r\n"two\r\nlines",1\r\n\r\nlast,2\r\n'
    expect((await readRecords(text)).map(({ line }) => line)).toEqual([1, 2, 5])
  })

  it.each([0, 1, 2, 3])(
    'are read completely wherever a chunk of the file ends (content shifted by %i)',
    async (shift) => {
      const row = '😀,"a\r\nb"\r\n'
      const records = await readRecords(`${'x'.repeat(shift)},y\r\n${row.repeat(4000)}`)
      expect(records).toHaveLength(4001)
      expect(new Set(records.slice(1).map(({ cells }) => cells.join()))).toEqual(new Set(['😀,a\r\nb']))
      expect(records.at(-1)?.line).toBe(8000)
    },
  )
})

it('reads a file of any bytes, or says what is wrong with it', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ maxLength: 300 }).map((text) => new TextEncoder().encode(text)),
    fc
      .string({ unit: ANY_CHARACTER, maxLength: 300 })
      .map((text) => new TextEncoder().encode(`${HEADER}\n${text}`)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async (input) => {
      try {
        const { rows, bad } = await readFile(Buffer.from(input))
        for (const { line, reason } of bad) expect([line > 1, reason.length > 0]).toEqual([true, true])
        for (const { patch } of rows) expect(patch.name).not.toBe('')
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
      }
    }),
    { numRuns: quickOrLong('FILES', { quick: 60, long: 5000 }) },
  )
})

it.each([
  { content: '\n', expected: 'This file is empty.' },
  { content: 'port\n', expected: 'has no “name” or “uuid” column' },
  { content: `${HEADER}\n`, expected: 'but has no rows' },
  { content: `${HEADER}\n"a,b\nc`, expected: 'a quote is never closed' },
  { content: `${HEADER},name\na,b,c,d,e,f,g`, expected: 'names name twice' },
  { content: 'PK\u0003\u0004', expected: 'This is a spreadsheet, not a CSV file.' },
  { content: Buffer.of(0x6e, 0xe4, 0x6d, 0x65), expected: 'isn’t UTF-8 text' },
])('explains what is wrong with a file: $expected', async ({ content, expected }) => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  await expect(readFile(bytes)).rejects.toThrow(expected)
})

it.each([
  {
    content: 'lines',
    head: `${HEADER}\n`,
    repeated: 'a\n',
    expected: 'More than 10,000 cells of this file have problems',
  },
  {
    content: 'lines with old Mac line endings',
    head: `${HEADER}\r`,
    repeated: 'a\r',
    expected: 'The first is in line 2, protocol',
  },
  { content: 'separators', head: '', repeated: ',', expected: 'near line 1: a row is too long' },
])('rejects ten megabytes of $content', async ({ head, repeated, expected }) => {
  const file = Buffer.from(head + repeated.repeat(Math.floor((TEN_MB - head.length) / repeated.length)))
  await expect(readFile(file)).rejects.toThrow(expected)
})

it('rejects ten megabytes of empty lines, and yields to the event loop while it reads them', async () => {
  const turns = await countTurns(() =>
    expect(readFile(Buffer.alloc(TEN_MB, '\n'))).rejects.toThrow('This file is empty.'),
  )
  expect(turns).toBeGreaterThan(10)
})
