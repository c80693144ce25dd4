import { TEXT_LIMITS, UserError, yieldWhenDue } from '@signalman/runtime'
import {
  Composer,
  type CST,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
} from 'yaml'
import { inputsOf } from './columns.ts'
import { fileText } from './read-csv.ts'
import type { FileRecord } from './read-file.ts'

/** So much is composed in one turn of the event loop; a list is cut between its entries. */
const SLICE = 8 * 1024
/** So many lines are looked at, or signs taken together, before others may want their turn. */
const AT_ONCE = 100

export const isYaml = (fileName: string): boolean => /\.ya?ml$/i.test(fileName)

/**
 * The checks of a YAML file: a list, or a list under `checks`, of the columns' names and their values; `alerts` is a list of
 * lists of recipients. Throws UserError that names the line and the mend.
 */
export async function* readYaml(bytes: Buffer): AsyncGenerator<FileRecord> {
  const text = (await fileText(bytes)).replaceAll(/\r\n?/g, '\n')
  let count = 0
  for await (const { line, text: piece } of piecesOf(text)) {
    for (const record of await recordsIn(piece, line)) {
      count += 1
      yield record
    }
  }
  if (count === 0) throw new UserError(EMPTY)
}

const EMPTY = 'There are no health checks in this file. Put them in a list, or in a list under “checks:”.'
const tooLong = (line: number): UserError =>
  new UserError(
    `This file is too long to be read in one piece: what begins in line ${line} has more than ${TEXT_LIMITS.fileEntry / 1024} KB. Write each health check as an entry of its own, beginning with “- ” on a new line.`,
  )
const tooDeep = (line: number): UserError =>
  new UserError(
    `Near line ${line}, lists and names lie in each other more than ${TEXT_LIMITS.fileDepth} deep, which is the most that is read.`,
  )

/** A part of the text: the line that it begins on, from 1, and where it begins and ends. */
interface Part {
  line: number
  from: number
  end: number
}

const ENTRY = /^\s*- /
/** What may stand above the list. */
const HEAD = /^(?:\s*#.*|---|\s*checks:\s*(?:#.*)?|\s*)$/

function* linesOf(text: string, from = 0, line = 1): Generator<Part> {
  for (let [at, nth] = [from, line]; at <= text.length; nth += 1) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    yield { line: nth, from: at, end }
    at = end + 1
  }
}

/** The line with the first entry of a list; undefined for a file that is none. */
async function firstEntry(text: string): Promise<Part | undefined> {
  for (const one of linesOf(text)) {
    if (one.line % AT_ONCE === 0) await yieldWhenDue()
    const words = text.slice(one.from, one.end)
    if (ENTRY.test(words)) return one
    if (!HEAD.test(words)) return undefined
  }
  return undefined
}

/** The entries of the list in slices; a file that is no such list is one piece. */
async function* piecesOf(text: string): AsyncGenerator<{ line: number; text: string }> {
  const first = (await firstEntry(text)) ?? { line: 1, from: 0, end: text.length }
  const start = ENTRY.exec(text.slice(first.from, first.end))?.[0] ?? text
  let piece = first
  let entry = first
  for (const one of linesOf(text, first.from, first.line)) {
    if (one.line % AT_ONCE === 0) await yieldWhenDue()
    if (text.startsWith(start, one.from)) {
      if (one.from - piece.from > SLICE) {
        yield { line: piece.line, text: text.slice(piece.from, one.from) }
        piece = one
      }
      entry = one
    }
    if (one.end - entry.from > TEXT_LIMITS.fileEntry) throw tooLong(entry.line)
  }
  yield { line: piece.line, text: text.slice(piece.from) }
}

async function recordsIn(text: string, line: number): Promise<FileRecord[]> {
  const lineCounter = new LineCounter()
  const lineAt = (offset: number): number => line + lineCounter.linePos(offset).line - 1
  const parser = new Parser(lineCounter.addNewLine)
  lineCounter.addNewLine(0)
  const tokens: CST.Token[] = []
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count % AT_ONCE === 0) await yieldWhenDue()
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > TEXT_LIMITS.fileDepth) throw tooDeep(lineAt(parser.offset))
  }
  tokens.push(...parser.end())
  await yieldWhenDue()
  const [document, more] = composed(tokens, text)
  const fault = document?.errors[0]?.pos[0] ?? more?.range[0]
  if (fault !== undefined)
    throw new UserError(
      `This file cannot be read as YAML near line ${lineAt(fault)}: its parts do not fit together.`,
    )
  if (!document) return []
  if (hasTwice(document.contents)) throw new UserError(`Near line ${line}: ${TWICE}`)
  const list = document.get('checks') ?? document.contents
  return isSeq(list)
    ? list.items.map((item) => recordOf(item, document, lineAt(isNode(item) ? (item.range?.[0] ?? 0) : 0)))
    : []
}

/** Of thousands of faults one is told: the library makes an error of each, and its stack would take longer than all the rest. */
function composed(tokens: readonly CST.Token[], text: string): Document.Parsed[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    // It looks for a key that is there twice among all others, which takes seconds where they are many.
    const composer = new Composer({ prettyErrors: false, uniqueKeys: false })
    return [...composer.compose(tokens, true, text.length)]
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function recordOf(item: unknown, document: Document, line: number): FileRecord {
  const value = plainOf(item, document)
  const isEntry = typeof value === 'object' && value !== null && !Array.isArray(value)
  const entries = isEntry ? Object.entries({ ...value, ...numbersOf(item) }) : []
  const fields = inputsOf(entries)
  return {
    line,
    columns: entries.map(([name]) => name),
    cell: (field) => (field === 'alerts' ? alertText(fields.get(field)) : cellText(fields.get(field))),
    has: (field) => fields.has(field),
    fault: isEntry ? (hasTwice(item) ? TWICE : undefined) : NO_ENTRY,
  }
}

/** Decimal numbers as they are written: a name may be `1.10`. */
const numbersOf = (item: unknown): Record<string, string> =>
  Object.fromEntries(
    (isMap(item) ? item.items : []).flatMap(({ key, value }) =>
      isScalar(key) &&
      isScalar(value) &&
      typeof value.value === 'number' &&
      /^[\d.]+$/.test(value.source ?? '')
        ? [[String(key.value), value.source ?? '']]
        : [],
    ),
  )

const NO_ENTRY = 'This is not a health check: write name, protocol and the rest below each other.'
const TWICE = 'A name stands here twice. Keep one of each.'

/** An alias would need a whole file, and a chain of them any amount of memory. */
function plainOf(item: unknown, document: Document): unknown {
  try {
    return isNode(item) ? item.toJS(document, { maxAliasCount: 0 }) : undefined
  } catch {
    throw new UserError('This file uses aliases (*name). Write out what they stand for.')
  }
}

/** Of a name that stands there twice, only one would count. */
function hasTwice(map: unknown): boolean {
  const names = isMap(map) ? map.items.map(({ key }) => (isScalar(key) ? key.value : key)) : []
  return new Set(names).size < names.length
}

const cellText = (value: unknown): string =>
  value === null || value === undefined || typeof value === 'object' ? '' : String(value)

/** Lists of lists, or one list, as a cell of a CSV file has them. */
function alertText(value: unknown): string {
  if (!Array.isArray(value)) return cellText(value)
  return value.map((one) => (Array.isArray(one) ? one.map(cellText).join(', ') : cellText(one))).join('; ')
}
