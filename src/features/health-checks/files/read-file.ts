import type { HealthCheck, HealthCheckBody } from '../../../api/health-checks.ts'
import { clip, oneLine } from '../../../blocks/text.ts'
import { FieldErrors, UserError } from '../../../errors.ts'
import type { Answers } from '../../../slack/receive/form-answers.ts'
import { readFields } from '../forms/read-fields.ts'
import { mayHoldPassword } from '../forms/target.ts'
import { PROTOCOLS } from '../status.ts'
import { columnOf, readHead } from './columns.ts'
import { type CsvRecord, readCsv } from './read-csv.ts'

/** What is wrong with one cell of a file. */
export interface BadCell {
  line: number
  column: string
  says: string
}

/** A row that can be created. */
export interface Row {
  line: number
  body: HealthCheckBody
}

export interface FileContent {
  rows: Row[]
  bad: BadCell[]
}

export const MOST_ROWS = 50_000

/**
 * What a file of health checks asks for, and every cell that is wrong with it. Other requests are answered meanwhile.
 * Throws UserError for a file that is none or has more than MOST_ROWS rows, of which no more is read.
 */
export async function readFile(bytes: Buffer): Promise<FileContent> {
  const content: FileContent = { rows: [], bad: [] }
  const lines = new Map<string, number>()
  let head: Head | undefined
  let count = 0
  for await (const record of readCsv(bytes)) {
    if (!head) {
      head = { places: readHead(record.cells), width: record.cells.length }
      continue
    }
    count += 1
    if (count > MOST_ROWS) throw new UserError(TOO_MANY)
    const read = readRecord(record, head)
    if (Array.isArray(read)) content.bad.push(...read)
    else admit(content, lines, { line: record.line, body: read })
  }
  if (!head) throw new UserError('This file is empty.')
  if (count === 0) throw new UserError('This file has a first line with the columns and no rows below it.')
  return content
}

const TOO_MANY = `This file has more than ${MOST_ROWS.toLocaleString('en')} rows, which is the most that is taken at once. Split it.`

/** Where the cells of a row are, and how many of them there can be. */
interface Head {
  places: ReadonlyMap<string, number>
  width: number
}

/** Two rows that ask for the same check would make two of them. */
function admit({ rows, bad }: FileContent, lines: Map<string, number>, row: Row): void {
  const key = keyOf(row.body)
  const first = lines.get(key)
  if (first !== undefined)
    bad.push({ line: row.line, column: 'name', says: `This is the same health check as in line ${first}.` })
  else {
    lines.set(key, row.line)
    rows.push(row)
  }
}

/** What tells one health check from another: all that a listing shows of what a person decides. */
export function keyOf(check: HealthCheckBody | HealthCheck): string {
  const { name, customerId, protocol, target, port, frequency } = check
  return JSON.stringify([name, customerId, protocol?.toUpperCase(), target?.toLowerCase(), port, frequency])
}

function readRecord({ line, cells }: CsvRecord, { places, width }: Head): HealthCheckBody | BadCell[] {
  if (cells.length > width)
    return [
      {
        line,
        column: `${width + 1}`,
        says: 'The row has more cells than the first line. Quote cells that hold the separator.',
      },
    ]
  const cell = (field: string): string => cells[places.get(field) ?? -1] ?? ''
  const faults = new Map(ofProtocol(cell).map(([field, says]) => [field, says]))
  try {
    const body = readFields(answersFrom(cell))
    if (faults.size === 0) return body
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error
    for (const [field, says] of Object.entries(error.fields)) faults.set(field, says)
  }
  return [...faults].map(([field, says]) => ({
    line,
    column: columnOf(field),
    // What may hold a password is not repeated.
    says: withTyped(field === 'target' && mayHoldPassword(cell(field)) ? '' : cell(field), says),
  }))
}

const TRUE = new Set(['true', 'yes', '1'])
const FALSE = new Set(['false', 'no', '0'])

/** What the form does not let anyone type, and a file does. */
function ofProtocol(cell: (field: string) => string): [field: string, says: string][] {
  const protocol = cell('protocol').toUpperCase()
  const verify = cell('verify-ssl').toLowerCase()
  const faults: [string, string][] = []
  if (verify && !TRUE.has(verify) && !FALSE.has(verify)) faults.push(['verify-ssl', 'Write true or false.'])
  else if (verify && (protocol === 'TCP' || protocol === 'HTTP'))
    faults.push(['verify-ssl', 'Only HTTPS has this. Leave it empty.'])
  if (cell('server-address') && protocol === 'TCP')
    faults.push(['server-address', 'Only HTTP and HTTPS have this. Leave it empty.'])
  return faults
}

function withTyped(typed: string, says: string): string {
  return typed ? `${says} It is “${clip(oneLine(typed), 60)}”.` : says
}

/** A row, as if it had been typed into the form. */
function answersFrom(cell: (field: string) => string): Answers {
  return {
    text: (field) => cell(field) || undefined,
    choice(field) {
      const typed = cell(field)
      if (field === 'verify-ssl') return FALSE.has(typed.toLowerCase()) ? 'no' : 'yes'
      return PROTOCOLS.find((known) => known === typed.toUpperCase())
    },
    choices: () => [],
    users: () => [],
    conversations: () => [],
    conversation: () => undefined,
    files: () => [],
    has: (field) => cell(field) !== '',
  }
}
