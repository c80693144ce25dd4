import type { AlertBody } from '../../../service/alerts.ts'
import type { Patch, Step } from './change.ts'
import type { AddressListing } from './server-address.ts'

/** What is wrong with one cell of a file. */
export interface BadCell {
  line: number
  column: string
  says: string
}

/** The columns of a file that say nothing about a check: those that only the service sets, and unknown ones. */
export interface UnusedColumns {
  ofService: string[]
  unknown: { name: string; meant?: string | undefined }[]
}

/** A row that can be used. */
export interface Row {
  line: number
  /** What the file says of the check; what it leaves out stays as it is. */
  patch: Patch
  /** The columns that a new check needs and this file lacks. */
  lacks: readonly string[]
  /** The same for rows that ask for just the same check. */
  key: string
  /** The check that it is about, where the file says it. */
  uuid: string | undefined
  /** Undefined where the file does not say, or does not know. */
  alerts: readonly AlertBody[] | undefined
  /** True where only its alerts may be changed. */
  isAsItIs?: true
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
  /** Whether it has every column that a new check needs. */
  isWhole: boolean
}

/** A change that a file asks for, and what it would change, in words. */
export interface PlannedStep {
  readonly step: Step
  readonly says: string
}

export interface FilePlan {
  readonly steps: readonly PlannedStep[]
  /** How many checks of the file are as it says. */
  readonly same: number
  readonly bad: readonly BadCell[]
  readonly unused: UnusedColumns
  /** Everyone who stops getting alert emails about some check. */
  readonly losing: readonly string[]
  readonly listing: AddressListing
  /** Why nothing is deleted, although it was asked for. */
  readonly keptBecause?: string | undefined
}
