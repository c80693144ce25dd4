import { CsvError, type Info, parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { UserError } from '../../../errors.ts'

/** One record of a file: the line that it begins on, from 1, and its cells. */
export interface CsvRecord {
  line: number
  cells: readonly string[]
}

// What a spreadsheet takes for a formula, full-width forms included (https://owasp.org/www-community/attacks/CSV_Injection,
// November 2026), behind any number of the apostrophes that take its meaning away.
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** A cell that no spreadsheet computes: an apostrophe in front. `restored` takes exactly it off again. */
export const neutral = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell)

/** What `neutral` was given. */
export const restored = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell

/** Records as lines of a file, CRLF between them (RFC 4180), every cell neutral. */
export const csvText = (records: readonly (readonly string[])[]): string =>
  stringify(
    records.map((cells) => cells.map(neutral)),
    // Left alone, it quotes a cell for the line end of its own kind only.
    { record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  )

/** The mark by which spreadsheets know UTF-8. */
export const BOM = '\ufeff'

const DELIMITERS = [',', ';', '\t', '|'] as const
const MOST_RECORD = 64 * 1024

/**
 * The records of a CSV file, whatever program wrote it: UTF-8 or UTF-16 with a mark, commas, semicolons, tabs or bars
 * between cells, any line ends. Throws UserError that names the line and the mend.
 */
export function parseCsv(bytes: Buffer): CsvRecord[] {
  const text = textOf(bytes).replaceAll(/\r\n?/g, '\n')
  try {
    // With `info` each record comes beside what is known of it; the types do not follow that.
    const found = parse(text, {
      delimiter: delimiterOf(text),
      record_delimiter: '\n',
      relax_column_count: true,
      skip_empty_lines: true,
      info: true,
      max_record_size: MOST_RECORD,
    }) as unknown as { record: string[]; info: Info }[]
    return found.map(({ record, info }) => ({
      line: info.lines - record.reduce((sum, cell) => sum + lineEndsIn(cell), 0),
      cells: record.map((cell) => restored(cell.trim())),
    }))
  } catch (error) {
    if (error instanceof CsvError) throw new UserError(faultOf(error))
    throw error
  }
}

const lineEndsIn = (cell: string): number => cell.split('\n').length - 1

function textOf(bytes: Buffer): string {
  if (bytes.subarray(0, 2).toString('latin1') === 'PK')
    throw new UserError('This is a spreadsheet, not a CSV file. Save it as “CSV UTF-8” and upload that.')
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8'
  try {
    // Takes the byte order mark off.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Said below.
  }
  throw new UserError('This file is not text in UTF-8. Save it as “CSV UTF-8” and upload that.')
}

/** Whichever of them stands most often in the first line, outside quotes. */
function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1)
  const bare = line.replaceAll(/"[^"]*"/g, '')
  const count = (delimiter: string): number => bare.split(delimiter).length
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best))
}

const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there is something behind a closing quote',
  INVALID_OPENING_QUOTE: 'a quote stands in the middle of a cell; write it twice and put the cell in quotes',
  CSV_MAX_RECORD_SIZE: 'one row is longer than any health check: a quote may be missing',
}

function faultOf(error: CsvError): string {
  // The parser hangs the line on its errors, untyped.
  const lines: unknown = Reflect.get(error, 'lines')
  const at = typeof lines === 'number' ? ` near line ${lines}` : ''
  return `This file cannot be read as CSV${at}: ${FAULTS[error.code] ?? 'its quotes or cells do not fit together'}.`
}
