import { createHmac } from 'node:crypto'
import { StoreError } from '../database/errors.ts'
import type { Cell, StoredTable } from '../database/tables.ts'
import { derived } from '../secrets/derive.ts'
import type { Key } from '../secrets/keys.ts'

/** The first line of a backup. */
export interface BackupHeader {
  readonly format: typeof FORMAT
  /** 1: every row as it is. 2: the rows of each workspace sealed with its key. */
  readonly version: 1 | 2
  readonly id: string
  /** The moment that it shows. */
  readonly madeAt: string
  readonly database: 'sqlite' | 'postgres'
  /** The migrations that had run, in their order. */
  readonly migrations: readonly string[]
  /** The keys that open what is sealed in it, none of which is in it. */
  readonly keys: readonly KeyName[]
  readonly tables: readonly StoredTable[]
  /** Of the database: by it the file with the workspaces' keys is found. Empty in version 1, which needs none. */
  readonly store?: string | undefined
}

/** Names a key without telling anything of it. */
export interface KeyName {
  readonly id: string
  readonly fingerprint: string
}

/** The last line. */
export interface BackupEnd {
  readonly end: true
  /** By table. */
  readonly rows: Readonly<Record<string, number>>
  /** The hash of every byte before this line, in hexadecimal. */
  readonly sha256: string
  /** Over that hash, with a key made of the one that is named: nobody without it can write another hash. */
  readonly sealedBy: string
  readonly seal: string
}

/** A line between the two, of a row that is no workspace's: the table's place in the header, then the row's cells. */
export type BackupRow = readonly [table: number, ...cells: Cell[]]

export const FORMAT = 'signalman-backup'

export function sealOf(key: Key, sha256: string): string {
  return createHmac('sha256', derived(key, 'backup')).update(sha256).digest('hex')
}

/** Throws StoreError `unusable` for what is no backup, `newer` for one of a later version of the program. */
export function readHeader(line: string, path: string): BackupHeader {
  const header = parsed(line)
  if (typeof header !== 'object' || header === null || !('format' in header) || header.format !== FORMAT)
    throw new StoreError('unusable', `${path} is no backup of Signalman.`)
  if (!('version' in header) || (header.version !== 1 && header.version !== 2))
    throw new StoreError('newer', `${path} was written by a newer Signalman: restore it with that version.`)
  // Written by this format's own writer; the hash at its end covers it.
  return header as BackupHeader
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
