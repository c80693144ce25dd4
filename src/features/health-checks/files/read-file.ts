import { FieldErrors, TEXT_LIMITS, UserError, yieldWhenDue } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { grouped } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { keyOf } from '../changes/differences.ts'
import { faultsOfRow, mayHoldPassword, readFields } from '../forms/read-fields.ts'
import { columnOf, readAlertCell, readHead, type UnusedColumns, unusedOf } from './columns.ts'
import { readCsv } from './read-csv.ts'

/** What is wrong with one cell of a file. */
export interface BadCell {
  line: number
  column: string
  says: string
}

/** A row that can be used. */
export interface Row {
  line: number
  body: HealthCheckBody
  /** The same for rows that ask for just the same check. */
  key: string
  /** Whether the file has these fields, which may be left out. */
  states: { serverAddress: boolean; verifySsl: boolean }
  /** The check that it is about, where the file says it. */
  uuid: string | undefined
  /** Undefined where the file does not say, or does not know. */
  alerts: readonly AlertBody[] | undefined
  /** True where only its alerts may be changed. */
  isAsItIs?: true
}

/** A row about a check with this UUID, with cells that can only be right where that check has them so already. */
export interface UnusualRow {
  uuid: string
  record: FileRecord
  alerts: readonly AlertBody[] | undefined
  bad: BadCell[]
}

export interface FileContent {
  rows: Row[]
  unusual: UnusualRow[]
  bad: BadCell[]
  unused: UnusedColumns
}

/** One check of a file, cell by cell. */
export interface FileRecord {
  line: number
  cell(field: string): string
  /** Whether the file has this column at all. */
  has(field: string): boolean
  /** The columns as they are written. */
  columns: readonly string[]
  /** What is wrong with the record as a whole. */
  fault?: string | undefined
}

/**
 * What a file of health checks asks for, and every cell that is wrong with it. Other requests are answered meanwhile.
 * Throws UserError for a file that is empty or unreadable, and beyond the limits, where no more of it is read.
 */
export async function readFile(bytes: Buffer): Promise<FileContent> {
  const content = { rows: [], unusual: [], bad: [], unused: unusedOf([]) } as FileContent
  const columns = createColumnNames()
  const uuids = new Map<string, number>()
  let count = 0
  for await (const record of csvRecords(bytes)) {
    await yieldWhenDue()
    count += 1
    if (count > TEXT_LIMITS.fileRows) throw new UserError(TOO_MANY)
    columns.add(record.columns)
    const read = readRecord(record)
    if (Array.isArray(read)) content.bad.push(...read)
    else if ('record' in read) content.unusual.push(read)
    else admit(content, uuids, read)
    if (content.bad.length > TEXT_LIMITS.fileFaults) throw tooFaulty(content.bad)
  }
  return { ...content, unused: unusedOf(columns.names) }
}

/** The names in the head of a file, or in any of its entries. */
function createColumnNames() {
  const names = new Set<string>()
  let last: readonly string[] | undefined
  return {
    names,
    add(some: readonly string[]): void {
      // All rows of a CSV file have the same.
      if (some !== last && names.size < TEXT_LIMITS.fileFaults) for (const name of some) names.add(name)
      last = some
    },
  }
}

const TOO_MANY = `This file has more than ${grouped(TEXT_LIMITS.fileRows)} rows, which is the most that is taken at once. Split it.`

const tooFaulty = ([first]: readonly BadCell[]): UserError =>
  new UserError(
    `More than ${grouped(TEXT_LIMITS.fileFaults)} cells of this file cannot be used, so no more of it was read. The first is in line ${first?.line}, ${first?.column}: ${first?.says}`,
  )

async function* csvRecords(bytes: Buffer): AsyncGenerator<FileRecord> {
  let places: ReadonlyMap<string, number> | undefined
  let columns: readonly string[] = []
  let count = 0
  for await (const { line, cells } of readCsv(bytes)) {
    if (!places) {
      places = readHead(cells)
      columns = cells
      continue
    }
    count += 1
    const known = places
    yield {
      line,
      cell: (field) => cells[known.get(field) ?? -1] ?? '',
      has: (field) => known.has(field),
      columns,
      ...(cells.length > columns.length && { fault: TOO_WIDE }),
    }
  }
  if (!places) throw new UserError('This file is empty.')
  if (count === 0) throw new UserError('This file has a first line with the columns and no rows below it.')
}

const TOO_WIDE = 'The row has more cells than the first line. Quote cells that hold the separator.'

/** A second row about the same check would make it now this and now that. */
function admit({ rows, bad }: Pick<FileContent, 'rows' | 'bad'>, uuids: Map<string, number>, row: Row): void {
  const { line, uuid } = row
  const first = uuid && uuids.get(uuid)
  if (first) bad.push({ line, column: 'uuid', says: `Line ${first} is about this health check, too.` })
  else rows.push(row)
  if (uuid && !first) uuids.set(uuid, line)
}

function readRecord(record: FileRecord): Row | UnusualRow | BadCell[] {
  const { line, cell, has, fault } = record
  if (fault !== undefined) return [{ line, column: 'row', says: fault }]
  const faults = new Map<string, string>(faultsOfRow(cell))
  const alerts = has('alerts') ? readAlertCell(cell('alerts')) : { alerts: undefined }
  const uuid = cell('uuid').toLowerCase() || undefined
  if ('says' in alerts) faults.set('alerts', alerts.says)
  try {
    const body = readFields((field) => cell(field) || undefined)
    if (faults.size === 0)
      return {
        line,
        body,
        key: wholeKeyOf(body),
        states: { serverAddress: has('httpServerAddress'), verifySsl: cell('verifySsl') !== '' },
        uuid,
        alerts: 'alerts' in alerts ? alerts.alerts : undefined,
      }
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error
    for (const [field, says] of Object.entries(error.fields)) faults.set(field, says)
  }
  const bad = [...faults].map(([field, says]) => ({
    line,
    column: columnOf(field),
    // A target that may hold a password is not repeated.
    says: withTyped(field === 'target' && mayHoldPassword(cell(field)) ? '' : cell(field), says),
  }))
  return uuid === undefined || 'says' in alerts ? bad : { uuid, record, alerts: alerts.alerts, bad }
}

const wholeKeyOf = (body: HealthCheckBody): string =>
  JSON.stringify([keyOf(body), body.httpServerAddress ?? null, body.verifySsl ?? null])

function withTyped(typed: string, says: string): string {
  return typed ? `${says} It is “${clip(oneLine(typed), 60)}”.` : says
}
