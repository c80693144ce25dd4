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
  /** The moment of the backup. */
  readonly madeAt: string
  readonly database: 'sqlite' | 'postgres'
  /** The migrations that had run, in their order. */
  readonly migrations: readonly string[]
  /** The names of the keys that open it; the keys themselves are not in it. */
  readonly keys: readonly KeyName[]
  readonly tables: readonly StoredTable[]
  /** The database's id, which finds the file with the workspaces' keys. Empty in version 1, which needs none. */
  readonly store?: string | undefined
}

/** Names a key without revealing it. */
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
  /** An HMAC of that hash, with a key derived from the named one: without that key nobody can change the hash. */
  readonly sealedBy: string
  readonly seal: string
}

/** The line of a row without a workspace: the table's index in the header, then the row's cells. */
export type BackupRow = readonly [table: number, ...cells: Cell[]]

export const FORMAT = 'signalman-backup'

export function sealOf(key: Key, sha256: string): string {
  return createHmac('sha256', derived(key, 'backup')).update(sha256).digest('hex')
}

/** Throws StoreError `unusable` for a file that is no backup, `newer` for a backup of a later version. */
export function readHeader(line: string, path: string): BackupHeader {
  const header = parsed(line)
  if (typeof header !== 'object' || header === null || !('format' in header) || header.format !== FORMAT)
    throw new StoreError('unusable', `${path} is no backup of Signalman.`)
  if (!('version' in header) || (header.version !== 1 && header.version !== 2))
    throw new StoreError('newer', `${path} was written by a newer Signalman: restore it with that version.`)
  // Only the writer of this format writes it; the hash at the end covers it.
  return header as BackupHeader
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
