import type { AlertBody } from '../../../service/alerts.ts'
import type { UnknownAddress } from './bulk-plan.ts'
import type { Patch, Step } from './change.ts'

/** A problem with one cell of a file. */
export interface BadCell {
  line: number
  column: string
  reason: string
}

/** Ignored columns: those that only the service sets, and unknown ones. */
export interface UnusedColumns {
  setByService: string[]
  unknown: { name: string; suggestion?: string | undefined }[]
}

/** A valid row. */
export interface Row {
  line: number
  /** The values in the row. Other settings of the check stay unchanged. */
  patch: Patch
  /** The columns that a new check needs and this file lacks. */
  missingColumns: readonly string[]
  /** Equal for rows that describe exactly the same check. */
  key: string
  /** The UUID of the row's check, if the file has it. */
  uuid: string | undefined
  /** Undefined if the file lacks the column, or if the cell is `?`. */
  alerts: readonly AlertBody[] | undefined
  /** True if only the check's alerts may change. */
  changesOnlyAlerts?: true
  /** True if the check is to be deleted. Then the row's other values only identify it. */
  isDeletion?: true
}

/** Access to the cells of one row. */
export interface FileRecord {
  line: number
  cell(field: string): string
  /** Whether the file has this column at all. */
  has(field: string): boolean
  /** The columns as the file spells them. */
  columns: readonly string[]
  /** A problem with the whole row. */
  fault?: string | undefined
}

/**
 * A row with a check's UUID and cells that aren't valid. It's still accepted if the check already has exactly these values, as in
 * an unedited export.
 */
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
  /** Whether the file has every column that a new check needs. */
  hasAllColumns: boolean
}

/** A step with its description in the preview. */
export interface PlannedStep {
  readonly step: Step
  readonly summary: string
}

export interface FilePlan {
  readonly steps: readonly PlannedStep[]
  /** How many checks already match the file. */
  readonly unchangedCount: number
  readonly bad: readonly BadCell[]
  readonly unused: UnusedColumns
  /** Everyone who stops getting alert emails about a check. */
  readonly droppedRecipients: readonly string[]
  /** The checks whose server address a person has to settle. */
  readonly unknownAddresses: readonly UnknownAddress[]
}
