import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { FieldErrors, UserError, yieldWhenDue } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import { CsvError, parse } from 'csv-parse'
import { restoreCell } from '../../../domain/csv.ts'
import { parseUuid } from '../../../domain/find-check.ts'
import { formatCount } from '../../../domain/wording.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import { MAX_CHECKS } from '../bulk/plan-checks.ts'
import {
  CHECK_FIELDS,
  type CheckField,
  FIELDS,
  findUsualPort,
  mayHoldPassword,
  type Patch,
  parseSettings,
  type Settings,
} from '../rules/fields.ts'
import type { LeftOut } from '../rules/plan.ts'
import { applyPatch, sameValue } from '../rules/settings.ts'
import { COLUMNS, ENVIRONMENT_COLUMN, isIgnored, parseAlertCell, UNKNOWN_CELL } from './format.ts'

/** A row of a file: what its check is to be. An empty cell leaves a setting as it is, and an alerts cell `none` means no alerts. */
export interface FileRow {
  readonly line: number
  readonly name: string
  readonly uuid: string | undefined
  readonly set: Patch
  /** Values that people can't set, but that the service may have, and why not. */
  readonly refused: readonly RefusedValue[]
  /** Undefined if they stay as they are. */
  readonly alerts: readonly AlertBody[] | undefined
  /** Whether the file couldn't hold them. */
  readonly hasLostAlerts: boolean
  /** Of a file of what was before: its values are put back as they were. Lowercase. */
  readonly environment: string | undefined
}

interface RefusedValue {
  readonly field: CheckField
  /** Undefined if no check can have it. */
  readonly value: string | number | undefined
  readonly reason: string
}

export interface FileContent {
  readonly rows: readonly FileRow[]
  readonly bad: readonly LeftOut[]
  readonly ignored: readonly string[]
}

/** Parses a file. Throws UserError if it isn't a CSV file with these columns. */
export async function parseFile(bytes: Buffer): Promise<FileContent> {
  const text = Buffer.from(decode(bytes))
  refuseLongLines(text)
  let header: Header | undefined
  const rows: FileRow[] = []
  const bad: LeftOut[] = []
  let alerts = 0
  try {
    for await (const { record, info } of parseRecords(text)) {
      if (!header) {
        header = parseHeader(record)
        continue
      }
      if (rows.length + bad.length === MAX_CHECKS)
        throw new UserError(`A file can have ${formatCount(MAX_CHECKS)} rows. Split it.`)
      await yieldWhenDue()
      const row = parseRow(info.lines, header, record)
      if ('reason' in row) {
        bad.push(row)
        continue
      }
      rows.push(row)
      alerts += row.alerts?.length ?? 0
      if (alerts > MAX_ALERTS)
        throw new UserError(`A file can have ${formatCount(MAX_ALERTS)} alerts. Split it.`)
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw new UserError(
        `This file isn’t valid CSV near line ${error.lines}: a quotation mark is missing or in the wrong place, or a row is longer than 192 KB.`,
      )
    throw error
  }
  if (rows.length + bad.length === 0) throw new UserError('This file has no rows.')
  return { rows, bad, ignored: header?.ignored ?? [] }
}

const NOT_CSV = 'This isn’t a CSV file. In a spreadsheet, save it as “CSV UTF-8” and upload that.'
/** 20 for each row. An alert takes 20 times as much memory as its text, and millions of them fit in a file. */
const MAX_ALERTS = 20 * MAX_CHECKS

const MAX_HEADER = 4096
/** A check with thousands of recipients fits. */
const MAX_RECORD_BYTES = 192 * 1024

interface CsvRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

function parseRecords(text: Buffer): AsyncIterable<CsvRecord> {
  const [header = ''] = text
    .toString('utf8', 0, MAX_HEADER)
    .trimStart()
    .split(/[\r\n]/, 1)
  const parser = parse({
    delimiter: header.split(';').length > header.split(',').length ? ';' : ',',
    trim: true,
    skip_empty_lines: true,
    // What a spreadsheet writes for a blank row.
    skip_records_with_empty_values: true,
    // Files that were edited on several systems have several of them.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // Each record comes with its line, which the types don't reflect.
    info: true,
    max_record_size: MAX_RECORD_BYTES,
    cast: (cell) => restoreCell(cell),
  })
  return Readable.from(slice(text)).pipe(parser)
}

/** The columns of a file: how many, which are read, by their places, and which of the others people don't expect to be ignored. */
interface Header {
  readonly count: number
  readonly read: readonly (readonly [column: string, at: number])[]
  readonly ignored: readonly string[]
}

/** Parses the names of the columns. Throws UserError. */
function parseHeader(names: readonly string[]): Header {
  const columns = names.map((name) => name.trim().toLowerCase())
  const isNamed = columns.includes('name') || columns.includes('uuid')
  // A spreadsheet's text file has tabs, and UTF-16 without a mark has zeros.
  if (!isNamed && /[\t\0]/.test(columns.join())) throw new UserError(NOT_CSV)
  if (!isNamed)
    throw new UserError(
      `The first line must name the columns, and “name” is missing. Use this header: ${COLUMNS.join(',')}`,
      [{ label: 'Export a file to fill in', line: '/hc export' }],
    )
  const repeated = columns.find(
    (column, index) => COLUMNS.includes(column) && columns.indexOf(column) < index,
  )
  if (repeated !== undefined)
    throw new UserError(`Two columns are named “${repeated}”. Remove or rename one of them.`)
  return {
    count: columns.length,
    read: columns.flatMap((column, at) => (isRead(column) ? [[column, at] as const] : [])),
    ignored: columns.filter((column) => !isRead(column) && !isIgnored(column) && column !== ''),
  }
}

const isRead = (column: string): boolean =>
  (COLUMNS.includes(column) && !isIgnored(column)) || column === ENVIRONMENT_COLUMN

const SLICE_BYTES = 4 * 1024

/** Lets other requests run between the slices. */
async function* slice(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    yield bytes.subarray(start, start + SLICE_BYTES)
    await setImmediate()
  }
}

/** The parser counts only what is in the cells, and would read millions of empty ones. */
const MAX_LINE_BYTES = MAX_RECORD_BYTES + 16 * 1024

/** Throws UserError if there is a line that is too long. */
function refuseLongLines(bytes: Buffer): void {
  let lineBytes = 0
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    const part = bytes.subarray(start, start + SLICE_BYTES)
    const lineEnd = Math.max(part.lastIndexOf('\n'), part.lastIndexOf('\r'))
    lineBytes = lineEnd < 0 ? lineBytes + part.length : part.length - lineEnd
    if (lineBytes > MAX_LINE_BYTES) throw new UserError('This file has a line that is too long.')
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UserError(NOT_CSV)
  }
}

function parseRow(line: number, { count, read }: Header, record: readonly string[]): FileRow | LeftOut {
  const cells: Partial<Record<string, string>> = Object.fromEntries(
    read.map(([column, at]) => [column, record[at]]),
  )
  const { name = '', uuid: typedUuid = '', alerts: alertCell } = cells
  const uuid = parseUuid(typedUuid)
  const alerts = parseAlertCell(alertCell)
  const leftOut = (reason: string) => ({ line, name, reason })
  if (record.slice(count).some((cell) => cell !== ''))
    return leftOut('It has more cells than the first line. A cell that contains a separator needs quotes.')
  if (typedUuid !== '' && uuid === undefined) return leftOut('The uuid isn’t a UUID.')
  if (typeof alerts === 'string') return leftOut(`alerts: ${alerts}`)
  const typed = new Map(
    FIELDS.flatMap((field) => {
      const cell = cells[CHECK_FIELDS[field].column] ?? ''
      return cell === '' ? [] : [[field, cell] as const]
    }),
  )
  const environment = cells[ENVIRONMENT_COLUMN]?.toLowerCase() || undefined
  const row = { line, name, uuid, alerts, hasLostAlerts: alertCell === UNKNOWN_CELL, environment }
  try {
    return { ...row, set: parseSettings(Object.fromEntries(typed)), refused: [] }
  } catch (error) {
    if (!(error instanceof FieldErrors)) throw error
    const refused = [...typed].flatMap(([field, cell]) => {
      const reason = error.fields[field]
      // A target that may contain a password isn’t quoted.
      const quoted = mayHoldPassword(cell) ? '' : ` It is “${clip(oneLine(cell), 60)}”.`
      if (reason === undefined) return []
      return [
        { field, value: parseAsIs(field, cell), reason: `${CHECK_FIELDS[field].column}: ${reason}${quoted}` },
      ]
    })
    for (const { field } of refused) typed.delete(field)
    return { ...row, set: parseSettings(Object.fromEntries(typed)), refused }
  }
}

/** A value as the service may have it, although people can't set it. Undefined if it can't. */
function parseAsIs(field: CheckField, cell: string): string | number | undefined {
  if (field === 'verifySsl') return undefined
  if (!NUMBERS.has(field)) return cell
  const [, digits] = /^(-?\d{1,15})(?: s)?$/.exec(cell) ?? []
  return digits === undefined ? undefined : Number(digits)
}
const NUMBERS: ReadonlySet<CheckField> = new Set(['port', 'frequency', 'customerId'])

/**
 * What a row sets for a check with these settings. A value that people can't set stays if the check has it, and is put back by a file of
 * what was before. A text says why nothing can be set.
 */
export function toPatch({ set, refused, environment }: FileRow, settings: Settings): Patch | string {
  const isRestored = environment !== undefined
  const values = Object.fromEntries(refused.map(({ field, value }) => [field, value]))
  const faults = refused.filter(
    ({ field, value }) => value === undefined || !(isRestored || sameValue(field, values, settings)),
  )
  if (faults.length > 0) return faults.map(({ reason }) => reason).join(' ')
  return { ...set, ...values }
}

/** The settings of a new check. An empty port is the usual one. */
export const toNewSettings = (set: Patch): Settings =>
  applyPatch({ port: findUsualPort({ protocol: set.protocol, target: set.target }) }, set)

/** The columns that a new check needs, as far as it lacks them. */
export const listMissing = (settings: Settings): string[] =>
  FIELDS.filter((field) => !CHECK_FIELDS[field].protocols && settings[field] === undefined).map(
    (field) => CHECK_FIELDS[field].column,
  )
