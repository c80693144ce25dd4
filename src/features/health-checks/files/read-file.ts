import { FieldErrors, TEXT_LIMITS, UserError, yieldWhenDue } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { formatCount } from '../../../domain/wording.ts'
import type { Patch } from '../rules/change.ts'
import { fieldColumn, findUnusedColumns, readAlertCell, readHeader, UNKNOWN_CELL } from '../rules/columns.ts'
import {
  CHECK_FIELDS,
  type CheckField,
  FIELDS,
  findRowFaults,
  mayHoldPassword,
  readSomeFields,
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
  let count = 0
  for await (const { line, cells } of readCsv(bytes)) {
    if (!columnIndexes) {
      columnIndexes = readHeader(cells)
      columns = cells
      continue
    }
    count += 1
    const indexes = columnIndexes
    yield {
      line,
      cell: (field) => cells[indexes.get(field) ?? -1] ?? '',
      has: (field) => indexes.has(field),
      columns,
      ...(cells.length > columns.length && { fault: TOO_WIDE }),
    }
  }
  if (!columnIndexes) throw new UserError('This file is empty.')
  if (count === 0) throw new UserError('This file names its columns in the first line but has no rows.')
}

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

function readRecord(record: FileRecord): Row | UnusualRow | BadCell[] {
  const { line, cell, has, fault } = record
  if (fault !== undefined) return [{ line, column: 'row', reason: fault }]
  const cellUnlessUnknown = (field: string): string => (cell(field) === UNKNOWN_CELL ? '' : cell(field))
  const faults = new Map<string, string>(findRowFaults(cellUnlessUnknown))
  const alerts = has('alerts') ? readAlertCell(cell('alerts')) : { alerts: undefined }
  const uuid = cell('uuid').toLowerCase() || undefined
  if ('reason' in alerts) faults.set('alerts', alerts.reason)
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
