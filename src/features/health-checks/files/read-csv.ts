import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { TEXT_LIMITS, UserError, yieldWhenDue } from '@signalman/runtime'
import { CsvError, type Info, parse } from 'csv-parse'
import { restoreCell } from '../../../domain/csv.ts'
import { namesChecks } from '../rules/columns.ts'

/** One record of a CSV file. `line` is the line that it begins on, counted from 1. */
export interface CsvRecord {
  line: number
  cells: readonly string[]
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const MAX_RECORD_LENGTH = TEXT_LIMITS.fileEntry

/** Characters parsed before yielding to the event loop. */
const PARSE_SLICE = 2 * 1024
/** Characters or bytes decoded and scanned before yielding. Larger, because these are faster than parsing. */
const SCAN_SLICE = 256 * 1024

/**
 * Reads the records of a CSV file. Accepts UTF-8, or UTF-16 with a byte order mark; commas, semicolons, tabs, or bars; and any
 * line endings. Parses lazily in slices, and yields to other requests in between. Throws a UserError that names the line and the
 * problem.
 */
export async function* readCsv(bytes: Buffer): AsyncGenerator<CsvRecord> {
  const { text, delimiter } = stripSpreadsheetMarks(await decodeFile(bytes))
  await refuseLongLine(text)
  const options = {
    delimiter: delimiter ?? detectDelimiter(text),
    // Accepts spaces before and after a quoted cell.
    trim: true,
    // A line break within quotes is part of the cell.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
    // Trims cells, except inside quotes.
    cast: (cell: string, { quoting }: { quoting: boolean }) => restoreCell(quoting ? cell : cell.trim()),
    max_record_size: MAX_RECORD_LENGTH,
  }
  const source = Readable.from(sliceText(text))
  try {
    // Within quotes, the parser counts CRLF as two lines.
    let crlfCount = 0
    // With `info`, each record comes with metadata, which the types don't reflect.
    for await (const parsed of source.pipe(parse(options)) as AsyncIterable<{
      record: string[]
      info: Info
    }>) {
      const { record, info } = parsed
      const contents = record.join()
      yield { line: info.lines - crlfCount - countMatches(contents, /[\r\n]/g), cells: record }
      crlfCount += countMatches(contents, /\r\n/g)
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UserError(describeCsvError(error))
    throw error
  } finally {
    source.destroy()
  }
}

/**
 * Removes what spreadsheets and old editors add: a first line `sep=;`, which names the delimiter, and a Ctrl-Z at the end. Keeps the
 * line breaks, so that line numbers stay right.
 */
function stripSpreadsheetMarks(original: string): { text: string; delimiter?: string } {
  const trimmed = original.trimEnd()
  const text = trimmed.endsWith('\u001a') ? trimmed.slice(0, -1) : original
  const [mark, delimiter] = /^\s*"?sep=(.)"?[^\S\r\n]*(?=[\r\n])/i.exec(text) ?? []
  return mark === undefined || delimiter === undefined
    ? { text }
    : { text: text.slice(mark.length), delimiter }
}

/** Refuses a line that is too long. The parser's own limit counts only cell contents, so it doesn't stop a line of separators. */
async function refuseLongLine(text: string): Promise<void> {
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    if (index % SCAN_SLICE === 0) await yieldWhenDue()
    const code = text.charCodeAt(index)
    if (code === 10 || code === 13) start = index + 1
    else if (index - start === MAX_RECORD_LENGTH)
      throw new UserError(formatProblem(text.slice(0, start).split(/\r\n?|\n/).length, 'CSV_MAX_RECORD_SIZE'))
  }
}

/** Splits the text into slices, but never within a CRLF or a surrogate pair. */
async function* sliceText(text: string): AsyncGenerator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PARSE_SLICE
    if (/[\n\udc00-\udfff]/.test(text[end] ?? '')) end += 1
    yield text.slice(start, end)
    await setImmediate()
  }
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/** Decodes a file in slices. Throws a UserError that says in which format to save it. */
async function decodeFile(bytes: Buffer): Promise<string> {
  if (bytes.subarray(0, 2).toString('latin1') === 'PK')
    throw new UserError('This is a spreadsheet, not a CSV file. Save it as “CSV UTF-8” and upload that.')
  let encoding = 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) encoding = 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) encoding = 'utf-16be'
  try {
    // Removes the byte order mark.
    const decoder = new TextDecoder(encoding, { fatal: true })
    const parts: string[] = []
    for (let start = 0; start < bytes.length; start += SCAN_SLICE) {
      await yieldWhenDue()
      parts.push(decoder.decode(bytes.subarray(start, start + SCAN_SLICE), { stream: true }))
    }
    const text = parts.join('') + decoder.decode()
    // A NUL in the first line means that the encoding is a different one. In a later line, it may be part of a name.
    if (!hasOtherEncoding(text)) return text
  } catch {
    // Explained below.
  }
  throw new UserError(
    'This file isn’t UTF-8 text. Save it as UTF-8 (“CSV UTF-8” in spreadsheets) and upload it again.',
  )
}

const hasOtherEncoding = (text: string): boolean =>
  text
    .slice(0, MAX_RECORD_LENGTH)
    .split(/[\r\n]/, 1)[0]
    ?.includes('\0') === true

/** How many lines above the header are searched for the names of columns. */
const MAX_TITLE_LINES = 10

/** The delimiter that is most frequent in the header, outside quotes. Lines above the header may be a title. */
function detectDelimiter(text: string): string {
  const lines = text
    .trimStart()
    .slice(0, MAX_RECORD_LENGTH)
    .split(/\r\n?|\n/, MAX_TITLE_LINES + 1)
  const countIn = (line: string) => {
    const bare = line.replaceAll(/"[^"]*"/g, '')
    return (delimiter: string): number => bare.split(delimiter).length
  }
  const findMostFrequent = (line: string): string => {
    const count = countIn(line)
    return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best))
  }
  const header = lines.find((line) => namesChecks(line.split(findMostFrequent(line))))
  return findMostFrequent(header ?? lines[0] ?? '')
}

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'there’s text after a closing quote',
  INVALID_OPENING_QUOTE: 'a cell contains a quote; double it and put the cell in quotes',
  CSV_MAX_RECORD_SIZE: 'a row is too long, maybe because a quote is missing',
}

function describeCsvError(error: CsvError): string {
  // The parser adds the line to its errors, untyped.
  return formatProblem(Reflect.get(error, 'lines'), error.code)
}

function formatProblem(line: unknown, code: string): string {
  const location = typeof line === 'number' ? ` near line ${line}` : ''
  return `This file isn’t valid CSV${location}: ${PROBLEMS[code] ?? 'its quotes or cells don’t match up'}.`
}
