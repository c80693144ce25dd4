import { setImmediate } from 'node:timers/promises'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { UserError } from '../../../errors.ts'
import type { FileRecord } from './read-file.ts'
import { inputsOf } from './read-head.ts'

/** So much is parsed in one turn of the event loop; a list is cut between its entries. */
const SLICE = 16 * 1024
/** Parsing does not stop within an entry, or within a file that is no such list: neither may be longer. */
const MOST_PIECE = 64 * 1024

export const isYaml = (fileName: string): boolean => /\.ya?ml$/i.test(fileName)

/**
 * The checks of a YAML file: a list, or a list under `checks`, of the columns' names and their values; `alerts` is a list of
 * lists of recipients. Throws UserError that names the line and the mend.
 */
export async function* readYaml(bytes: Buffer): AsyncGenerator<FileRecord> {
  const text = textOf(bytes)
  const pieces = piecesOf(text)
  if (pieces.some(({ text }) => text.length > MOST_PIECE)) throw new UserError(ONE_BY_ONE)
  let count = 0
  for (const { line, text: piece } of pieces) {
    for (const record of recordsIn(piece, line)) {
      count += 1
      yield record
    }
    await setImmediate()
  }
  if (count === 0) throw new UserError(EMPTY)
}

const EMPTY = 'There are no health checks in this file. Put them in a list, or in a list under “checks:”.'
const ONE_BY_ONE =
  'This file is too long to be read in one piece. Write each health check as an entry of its own, beginning with “- ” on a new line.'

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll(/\r\n?/g, '\n')
  } catch {
    throw new UserError('This file is not text in UTF-8. Save it as UTF-8 and upload that.')
  }
}

interface Piece {
  /** The line that it begins on, from 1. */
  line: number
  text: string
}

/** The entries of the list in slices; a file that is no such list is one piece. */
function piecesOf(text: string): Piece[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => /^\s*- /.test(line))
  const head = first < 0 ? '' : lines.slice(0, first).join('\n')
  const isPlain = /^(?:\s*#.*|---|\s*checks:\s*(?:#.*)?|\s*)$/
  if (first < 0 || !head.split('\n').every((line) => isPlain.test(line))) return [{ line: 1, text }]
  const indent = /^\s*/.exec(lines[first] ?? '')?.[0] ?? ''
  const pieces: Piece[] = []
  let piece: string[] = []
  let size = 0
  let begins = first
  for (const [index, line] of lines.entries()) {
    if (index < first) continue
    if (size > SLICE && line.startsWith(`${indent}- `)) {
      pieces.push({ line: begins + 1, text: piece.join('\n') })
      piece = []
      size = 0
      begins = index
    }
    piece.push(line)
    size += line.length + 1
  }
  pieces.push({ line: begins + 1, text: piece.join('\n') })
  return pieces
}

function recordsIn(text: string, line: number): FileRecord[] {
  const lineCounter = new LineCounter()
  // The parser looks for a key that is there twice among all others, which takes seconds where they are many.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, lineCounter })
  const [error] = document.errors
  const lineAt = (offset: number): number => line + lineCounter.linePos(offset).line - 1
  if (error)
    throw new UserError(
      `This file cannot be read as YAML near line ${lineAt(error.pos[0])}: its parts do not fit together.`,
    )
  if (hasTwice(document.contents)) throw new UserError(`Near line ${line}: ${TWICE}`)
  const list = document.get('checks') ?? document.contents
  return isSeq(list)
    ? list.items.map((item) => recordOf(item, document, lineAt(isNode(item) ? (item.range?.[0] ?? 0) : 0)))
    : []
}

function recordOf(item: unknown, document: Document, line: number): FileRecord {
  const value = plainOf(item, document)
  const isEntry = typeof value === 'object' && value !== null && !Array.isArray(value)
  const fields = inputsOf(isEntry ? Object.entries(value) : [])
  return {
    line,
    cell: (field) => (field === 'alerts' ? alertText(fields.get(field)) : cellText(fields.get(field))),
    has: (field) => fields.has(field),
    fault: isEntry ? (hasTwice(item) ? TWICE : undefined) : NO_ENTRY,
  }
}

const NO_ENTRY = 'This is no health check: write name, protocol and the rest below each other.'
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
