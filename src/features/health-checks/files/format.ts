// This folder exports and imports checks as CSV files.

import { TEXT_LIMITS } from '@signalman/runtime'
import { z } from 'zod'
import { csvText } from '../../../domain/csv.ts'
import type { Environment } from '../../../domain/environment.ts'
import { findAlertsFault, parseRecipients } from '../../../domain/recipients.ts'
import type { AlertBody } from '../../../service/alerts.ts'
import { parseDate } from '../../../service/dates.ts'
import type { HealthCheck } from '../../../service/health-checks.ts'
import { toAlertBody } from '../rules/alert-requests.ts'
import {
  CHECK_FIELDS,
  type CheckField,
  DAY_S,
  FIELDS,
  protocolHasField,
  RESOLVE,
  type Settings,
} from '../rules/fields.ts'
import type { AddressNote, Row } from '../rules/row.ts'
import { applyPatch, listDiffering } from '../rules/settings.ts'

// The file that an export writes, an import reads, and that a change sends with what was before. All have the same columns.

type Exported = Settings &
  Partial<Pick<HealthCheck, 'status' | 'createdAt' | 'createdBy' | 'modifiedAt' | 'modifiedBy'>>

/** What only the service sets. An import ignores it. */
const SERVICE_CELLS: Readonly<Record<string, (check: Exported) => string | undefined>> = {
  status: ({ status }) => status,
  created_at: ({ createdAt }) => parseDate(createdAt)?.toISOString(),
  created_by: ({ createdBy }) => createdBy,
  modified_at: ({ modifiedAt }) => parseDate(modifiedAt)?.toISOString(),
  modified_by: ({ modifiedBy }) => modifiedBy,
}

export const COLUMNS: readonly string[] = [
  'uuid',
  ...FIELDS.map((field) => CHECK_FIELDS[field].column),
  'alerts',
  ...Object.keys(SERVICE_CELLS),
]

/** The name of a check for whoever reads a file of what was before. Only `name` renames a check, so it isn't there unless it was changed. */
const LABEL_COLUMN = 'health_check'

/** The environment of a file of what was before, in each row, so that it isn't put back into the other one. */
export const ENVIRONMENT_COLUMN = 'environment'

/** Columns that an import doesn't read and doesn't mention. */
export const isIgnored = (column: string): boolean =>
  column === LABEL_COLUMN || Object.hasOwn(SERVICE_CELLS, column)

/** Stands for no alerts. An empty cell leaves them as they are. */
const NO_ALERTS = 'none'

/** Stands for alerts that a cell can't hold, because they are unreadable or too many. */
export const UNKNOWN_CELL = '?'

export const toCells = (
  uuid: string,
  check: Exported,
  alerts: readonly AlertBody[] | undefined,
): string[] => [
  uuid,
  ...FIELDS.map((field) => toCell(field, check)),
  alerts ? toAlertCell(alerts) : UNKNOWN_CELL,
  ...Object.values(SERVICE_CELLS).map((read) => read(check) ?? ''),
]

/** A frequency of more than a day has its unit, because an import asks for it. */
const toCell = (field: CheckField, settings: Settings): string =>
  field === 'frequency' && (settings.frequency ?? 0) > DAY_S
    ? `${settings.frequency} s`
    : String(settings[field] ?? '')

/** The alerts of a check in one cell: commas between recipients, semicolons between alerts. As JSON if that would be read otherwise. */
function toAlertCell(alerts: readonly AlertBody[]): string {
  if (alerts.length === 0) return NO_ALERTS
  if (findAlertsFault(alerts) !== undefined) return UNKNOWN_CELL
  const exact = JSON.stringify(alerts.map(toAlertBody))
  const plain = alerts.map(({ recipients }) => recipients.join(', ')).join('; ')
  return JSON.stringify(parseAlertCell(plain)) === exact ? plain : exact
}

const EXACT_ALERTS = z.array(z.object({ type: z.string(), recipients: z.array(z.string()) })).min(1)

/** Undefined if the alerts stay as they are. A text says what is wrong with the cell. */
export function parseAlertCell(cell = ''): readonly AlertBody[] | string | undefined {
  if (cell === '' || cell === UNKNOWN_CELL) return undefined
  if (cell.toLowerCase() === NO_ALERTS) return []
  const exact = EXACT_ALERTS.safeParse(parseJson(cell))
  if (exact.success) return exact.data
  // Nothing between two semicolons isn't an alert.
  const parts = cell.split(/[;\n]+/).filter((part) => part.trim() !== '')
  const lists: { part: string; addresses: string[] }[] = []
  for (const part of parts) {
    const { addresses, bad } = parseRecipients(part)
    // The first one is enough: a cell may have 65,000.
    if (bad[0]) return `“${bad[0].typed.slice(0, 60)}” ${bad[0].reason}.`
    lists.push({ part, addresses })
  }
  const empty = lists.find(({ addresses }) => addresses.length === 0)
  if (empty ?? lists.length === 0)
    return `“${(empty?.part ?? cell).slice(0, 60)}” has no address. To remove all alerts, write “${NO_ALERTS}”.`
  return lists.map(({ addresses }) => ({ type: 'EMAIL', recipients: addresses }))
}

function parseJson(text: string): unknown {
  try {
    return text.startsWith('[') ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

export interface ChangedRow {
  readonly row: Exclude<Row, { do: 'create' }>
  readonly note?: AddressNote | undefined
}

/** A column of a file of what was before, besides the ones that name the check. */
export type Column = CheckField | 'alerts'

/** What a change of a check set, or what may change with it: another target may have another address. */
export function listColumns(changed: ChangedRow): ReadonlySet<Column> {
  const { row } = changed
  if (row.do === 'delete') return new Set([...FIELDS, 'alerts'])
  const set = listChanged(changed)
  if (set.has('target') || set.has('protocol')) set.add('httpServerAddress')
  return row.alerts === undefined ? set : set.add('alerts')
}

function listChanged({ row, note }: ChangedRow): Set<Column> {
  const { settings } = row.before
  if (row.do === 'delete') return new Set(FIELDS)
  const changed = listDiffering(settings, applyPatch(settings, row.set))
  return new Set(note?.isKept === false ? [...changed, 'httpServerAddress'] : changed)
}

const listFields = (columns: ReadonlySet<Column>): CheckField[] =>
  FIELDS.filter((field) => columns.has(field))

export const beforeHeader = (columns: ReadonlySet<Column>): string[] => [
  'uuid',
  LABEL_COLUMN,
  ENVIRONMENT_COLUMN,
  ...listFields(columns).map((field) => CHECK_FIELDS[field].column),
  ...(columns.has('alerts') ? ['alerts'] : []),
]

/**
 * A check as it was before a change. Importing it puts back only what the change set: other cells are empty. An address for which
 * `isFromDns` is written as the word that makes the service resolve it again.
 */
export function beforeCells(
  columns: ReadonlySet<Column>,
  changed: ChangedRow,
  { environment, isFromDns }: { environment: Environment; isFromDns: boolean },
): string[] {
  const { uuid, name, before } = changed.row
  const set = listColumns(changed)
  const replaced = listChanged(changed)
  return [
    uuid,
    name,
    environment,
    ...listFields(columns).map((field) => {
      if (!set.has(field)) return ''
      const cell = toCell(field, before.settings)
      if (field !== 'httpServerAddress' || !protocolHasField(field, before.settings.protocol)) return cell
      if (isFromDns) return RESOLVE
      return replaced.has(field) ? cell || RESOLVE : ''
    }),
    ...(columns.has('alerts') ? [set.has('alerts') ? toAlertCell(before.alerts ?? []) : ''] : []),
  ]
}

/** How many bytes a file of what was before may have for an import to read it, without what its rows have only because of others. */
export const MAX_BEFORE_BYTES = TEXT_LIMITS.fileBytes - 128 * 1024

/** How many bytes a row takes in the file of what was before. */
export function countBeforeBytes(row: Row): number {
  if (row.do === 'create') return 0
  const cells = beforeCells(listColumns({ row }), { row }, { environment: 'production', isFromDns: false })
  return Buffer.byteLength(csvText([cells]))
}
