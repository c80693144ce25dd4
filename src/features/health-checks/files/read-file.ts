import { FieldErrors, TEXT_LIMITS, UserError, yieldWhenDue } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { formatCount } from '../../../domain/wording.ts'
import type { Patch } from '../rules/change.ts'
import {
  DELETE_COLUMN,
  fieldColumn,
  findUnusedColumns,
  namesChecks,
  readAlertCell,
  readHeader,
  UNKNOWN_CELL,
} from '../rules/columns.ts'
import {
  CHECK_FIELDS,
  type CheckField,
  FIELDS,
  findRowFaults,
  findUrlPort,
  mayHoldPassword,
  readSomeFields,
  readYesNo,
} from '../rules/fields.ts'
import type { BadCell, FileContent, FileRecord, Row, UnusualRow } from '../rules/file.ts'
import { readCsv } from './read-csv.ts'

/**
 * Parses a file of health checks, and collects every invalid cell. Yields to other requests. Throws UserError if the file is
 * empty, unreadable, or exceeds the limits.
 */
export async function readFile(bytes: Buffer): Promise<FileContent> {
  const content: FileContent = {
    rows: [],
    unusual: [],
    bad: [],
    unused: findUnusedColumns([]),
    hasAllColumns: true,
  }
  let columns: readonly string[] = []
  const uuids = new Map<string, number>()
  let count = 0
  for await (const record of readRecords(bytes)) {
    await yieldWhenDue()
    count += 1
    if (count > TEXT_LIMITS.fileRows) throw new UserError(TOO_MANY_ROWS)
    columns = record.columns
    content.hasAllColumns = findMissingColumns(record).length === 0
    const result = readRecord(record)
    if (Array.isArray(result)) content.bad.push(...result)
    else if ('record' in result) content.unusual.push(result)
    else addRow(content, uuids, result)
    if (content.bad.length > TEXT_LIMITS.fileFaults) throw tooManyFaultsError(content.bad)
  }
  return { ...content, unused: findUnusedColumns(columns) }
}

const TOO_MANY_ROWS = `This file has more than ${formatCount(TEXT_LIMITS.fileRows)} rows, the limit for one import. Split it.`

const tooManyFaultsError = ([first]: readonly BadCell[]): UserError =>
  new UserError(
    `More than ${formatCount(TEXT_LIMITS.fileFaults)} cells of this file have problems, so the rest wasn’t read. The first is in line ${first?.line}, ${first?.column}: ${first?.reason}`,
  )

async function* readRecords(bytes: Buffer): AsyncGenerator<FileRecord> {
  let columnIndexes: ReadonlyMap<string, number> | undefined
  let columns: readonly string[] = []
  let title: readonly string[] | undefined
  let count = 0
  let skipped = 0
  for await (const { line, cells } of readCsv(bytes)) {
    if (isWithoutContent(cells, columns)) {
      skipped = countSkipped(skipped)
      continue
    }
    if (!columnIndexes) {
      if (isTitle(cells)) title ??= cells
      else {
        columnIndexes = readHeader(cells)
        columns = cells
      }
      continue
    }
    count += 1
    yield toFileRecord(line, cells, columns, columnIndexes)
  }
  // Says which columns are needed.
  if (!columnIndexes && title) readHeader(title)
  if (!columnIndexes) throw new UserError('This file is empty.')
  if (count === 0) throw new UserError('This file names its columns in the first line but has no rows.')
}

/** Whether a line says nothing about a health check. Spreadsheets save rows of separators only. */
const isWithoutContent = (cells: readonly string[], columns: readonly string[]): boolean =>
  countFilled(cells) === 0 || (columns.length > 1 && isComment(cells))

/** Counts one more skipped line. Throws UserError if there are too many: millions of them would be read for minutes. */
function countSkipped(before: number): number {
  if (before === TEXT_LIMITS.fileRows) throw new UserError(TOO_MANY_SKIPPED)
  return before + 1
}

const TOO_MANY_SKIPPED = `This file has more than ${formatCount(TEXT_LIMITS.fileRows)} empty rows and comments. Delete them, and upload it again.`

function toFileRecord(
  line: number,
  cells: readonly string[],
  columns: readonly string[],
  indexes: ReadonlyMap<string, number>,
): FileRecord {
  const hasSurplus = countFilled(cells.slice(columns.length)) > 0
  return {
    line,
    cell: (field) => cells[indexes.get(field) ?? -1] ?? '',
    has: (field) => indexes.has(field),
    columns,
    ...(hasSurplus && { fault: TOO_WIDE }),
  }
}

/** Whether a line above the header is a title or a comment: it names no column that identifies checks, and has one cell at most. */
const isTitle = (cells: readonly string[]): boolean =>
  !namesChecks(cells) && (countFilled(cells) === 1 || cells[0]?.startsWith('#') === true)

/** Whether a line is a comment: only its first cell has text, which starts with a number sign. */
const isComment = (cells: readonly string[]): boolean =>
  countFilled(cells) === 1 && cells[0]?.startsWith('#') === true

const countFilled = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length

const TOO_WIDE = 'The row has more cells than the first line. Quote cells that contain the separator.'

/** Adds the row, or a problem if an earlier row has the same UUID. `uuids` maps each UUID to its line. */
function addRow(
  { rows, bad }: Pick<FileContent, 'rows' | 'bad'>,
  uuids: Map<string, number>,
  row: Row,
): void {
  const { line, uuid } = row
  const firstLine = uuid && uuids.get(uuid)
  if (firstLine) {
    bad.push({ line, column: 'uuid', reason: `Line ${firstLine} is about the same health check.` })
    return
  }
  rows.push(row)
  if (uuid) uuids.set(uuid, line)
}

const isRequired = (field: CheckField): boolean => !CHECK_FIELDS[field].protocols

/** The columns that a new check needs and this file lacks. */
const findMissingColumns = ({ has }: Pick<FileRecord, 'has'>): string[] =>
  FIELDS.filter((field) => isRequired(field) && !has(field)).map(fieldColumn)

/** Reads the cells of a row. The port in a URL fills an empty port cell. */
function fillPort({ cell }: FileRecord): (field: string) => string {
  const urlPort = findUrlPort(cell('target'))
  return (field) => (field === 'port' && cell(field) === '' ? String(urlPort ?? '') : cell(field))
}

/** Says so if the row names two different ports. */
function describePortConflict({ cell, has }: FileRecord): string | undefined {
  const urlPort = findUrlPort(cell('target'))
  const port = cell('port')
  const isConflict = has('port') && urlPort !== undefined && /^\d+$/.test(port) && Number(port) !== urlPort
  return isConflict ? `The target says port ${urlPort}. Make them the same, or leave this empty.` : undefined
}

function readRecord(record: FileRecord): Row | UnusualRow | BadCell[] {
  const { line, cell, fault } = record
  if (fault !== undefined) return [{ line, column: 'row', reason: fault }]
  const deletes = cell(DELETE_COLUMN)
  const isDeletion = readYesNo(deletes)
  if (isDeletion === undefined)
    return [{ line, column: DELETE_COLUMN, reason: quoteTyped(deletes, 'Use yes, or leave it empty.') }]
  return isDeletion ? readDeletion(record) : readValues(record)
}

/** Reads a row that creates or changes its check. */
function readValues(record: FileRecord): Row | UnusualRow | BadCell[] {
  const { line, cell, has } = record
  const typed = fillPort(record)
  const cellUnlessUnknown = (field: string): string => (typed(field) === UNKNOWN_CELL ? '' : typed(field))
  const faults = new Map<string, string>(findRowFaults(cellUnlessUnknown))
  const alerts = has('alerts') ? readAlertCell(cell('alerts')) : { alerts: undefined }
  const uuid = cell('uuid').toLowerCase() || undefined
  if ('reason' in alerts) faults.set('alerts', alerts.reason)
  const conflict = describePortConflict(record)
  if (conflict) faults.set('port', conflict)
  try {
    const body = readSomeFields((field) => cellUnlessUnknown(field) || undefined, has)
    if (faults.size === 0) {
      const patch = toPatch(body, record)
      return {
        line,
        patch,
        uuid,
        missingColumns: findMissingColumns(record),
        key: JSON.stringify(Object.entries(patch).sort()),
        alerts: 'alerts' in alerts ? alerts.alerts : undefined,
      }
    }
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error
    for (const [field, reason] of Object.entries(error.fields)) faults.set(field, reason)
  }
  const bad = [...faults].map(([field, reason]) => ({
    line,
    column: fieldColumn(field),
    // A target that may contain a password isn't quoted.
    reason: quoteTyped(field === 'target' && mayHoldPassword(cell(field)) ? '' : cell(field), reason),
  }))
  return uuid === undefined || 'reason' in alerts ? bad : { uuid, record, alerts: alerts.alerts, bad }
}

/** Reads a row that deletes its check. Its other cells don't have to be valid. */
function readDeletion({ line, cell, has }: FileRecord): Row {
  const name = cell('name')
  const customer = cell('customerId')
  const patch = {
    ...(has('name') && name !== '' && { name }),
    ...(/^\d{1,15}$/.test(customer) && { customerId: Number(customer) }),
  }
  const uuid = cell('uuid').toLowerCase() || undefined
  const key = JSON.stringify([DELETE_COLUMN, patch])
  return { line, patch, uuid, missingColumns: [], key, alerts: undefined, isDeletion: true }
}

/** An empty server address makes the service resolve the target. A `?` leaves the address unchanged. */
function toPatch(
  { httpServerAddress: ip, verifySsl, ...fields }: ReturnType<typeof readSomeFields>,
  { cell, has }: FileRecord,
): Patch {
  const hasAddress =
    has('httpServerAddress') && cell('httpServerAddress') !== UNKNOWN_CELL && fields.protocol !== 'TCP'
  return {
    ...fields,
    ...(hasAddress && { address: ip === undefined ? { is: 'resolve' } : { is: 'set', ip } }),
    ...(verifySsl !== undefined && cell('verifySsl') !== '' && { verifySsl }),
  }
}

function quoteTyped(typed: string, reason: string): string {
  return typed ? `${reason} It is “${clip(oneLine(typed), 60)}”.` : reason
}
