import { createHash, createHmac } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { StoreError } from '../database/errors.ts'
import { parseObject } from '../database/json.ts'
import type { Cell, StoredTable } from '../database/stored-tables.ts'
import { deriveBytes, type Key } from '../secrets/keys.ts'
import { type Identity, openBytes, sealBytes } from '../secrets/seal.ts'

/** The first line of a backup. */
export interface BackupHeader {
  readonly format: typeof FORMAT
  readonly version: typeof VERSION
  readonly id: string
  /** When the backup was made. */
  readonly madeAt: string
  readonly database: 'sqlite' | 'postgres'
  /** The migrations that had run, in order. */
  readonly migrations: readonly string[]
  /** The names of the keys that open the backup. The keys themselves aren't in it. */
  readonly keys: readonly KeyName[]
  readonly tables: readonly StoredTable[]
  /** The lineage ID of the database, which names the file with the workspace keys. */
  readonly lineage: string
}

/** Identifies a key without revealing it. */
export interface KeyName {
  readonly id: string
  readonly fingerprint: string
}

/** A row without a workspace: the table's index in the header, then the row's cells. */
export type BackupRow = readonly [table: number, ...cells: Cell[]]

/** Rows of one table and one workspace, compressed, then sealed with the workspace's key. */
export interface SealedRows {
  /** The table's index in the header. */
  readonly table: number
  readonly key: string
  readonly rows: number
  readonly sealed: string
}

/** The last line of a backup. */
export interface BackupEnd {
  readonly end: true
  /** Row counts by table. */
  readonly rows: Readonly<Record<string, number>>
  /** The hash of every byte before this line, in hexadecimal. */
  readonly sha256: string
  /** The ID of the key that the seal's key is derived from. */
  readonly sealedBy: string
  /** An HMAC of the hash. Nobody can change the hash without the key. */
  readonly seal: string
}

export const FORMAT = 'durable-backup'
/** The version of the line format. */
export const VERSION = 1

export function makeSeal(key: Key, sha256: string): string {
  return createHmac('sha256', deriveBytes(key, 'backup')).update(sha256).digest('hex')
}

/** Formats lines and hashes them. */
export function createLineWriter() {
  const hash = createHash('sha256')
  return {
    line(value: BackupHeader | BackupRow | SealedRows): string {
      const text = `${JSON.stringify(value)}\n`
      hash.update(text)
      return text
    },
    /** The last line. It isn't part of the hash. */
    end(rows: BackupEnd['rows'], key: Key): string {
      const sha256 = hash.digest('hex')
      const end: BackupEnd = { end: true, rows, sha256, sealedBy: key.id, seal: makeSeal(key, sha256) }
      return `${JSON.stringify(end)}\n`
    },
  }
}

/** Parses the first line. Throws StoreError `unusable` if the file isn't a backup, `newer` if a later version made it. */
export function readHeader(line: string, path: string): BackupHeader {
  const header = parseObject(line)
  if (header?.format !== FORMAT)
    throw new StoreError('unusable', `${path} isn’t a backup made by this program.`)
  if (header.version !== VERSION)
    throw new StoreError(
      'newer',
      `${path} was made by a newer version of the program. Restore it with that version.`,
    )
  if (!hasHeaderFields(header)) throw damagedBackupError(path, 'its first line was changed')
  return header
}

/** Checks only the fields that are used before the seal at the end is verified. The seal proves the rest. */
function hasHeaderFields(header: object): header is BackupHeader {
  const { id, madeAt, database, lineage, migrations, keys, tables } = header as Partial<BackupHeader>
  const isText = (value: unknown): boolean => typeof value === 'string'
  const areTexts = (values: unknown): boolean => Array.isArray(values) && values.every(isText)
  return (
    [id, madeAt, lineage].every(isText) &&
    !Number.isNaN(Date.parse(String(madeAt))) &&
    (database === 'sqlite' || database === 'postgres') &&
    areTexts(migrations) &&
    Array.isArray(keys) &&
    keys.every((key) => areTexts([key?.id, key?.fingerprint])) &&
    Array.isArray(tables) &&
    tables.every((table) => isText(table?.name) && areTexts(table?.columns) && areTexts(table?.key))
  )
}

export function damagedBackupError(path: string, how: string): StoreError {
  return new StoreError('unusable', `The backup ${path} is damaged: ${how}. Use another backup.`)
}

/** The backup and position of a line. A line moved elsewhere doesn't open. */
export interface LinePosition {
  readonly backup: string
  readonly table: string
  readonly line: number
}

const lineIdentity = ({ backup, table, line }: LinePosition): Identity => [
  'backup',
  backup,
  table,
  String(line),
]

/** Compressing this many characters takes a few milliseconds. */
const MAX_PIECE_CHARACTERS = 262_144

/** Splits rows into pieces. Each is compressed separately. */
export function* splitIntoPieces(
  rows: readonly (readonly Cell[])[],
): Generator<readonly (readonly Cell[])[]> {
  let piece: (readonly Cell[])[] = []
  let size = 0
  for (const row of rows) {
    piece.push(row)
    for (const cell of row) size += typeof cell === 'string' ? cell.length : 8
    if (size < MAX_PIECE_CHARACTERS) continue
    yield piece
    piece = []
    size = 0
  }
  if (piece.length > 0) yield piece
}

export function sealRows(key: Key, rows: readonly (readonly Cell[])[], position: LinePosition): string {
  return sealBytes(key, deflateRawSync(JSON.stringify(rows)), lineIdentity(position))
}

/** Throws SealError. */
export function openRows(key: Key, sealed: string, position: LinePosition): Cell[][] {
  // Only `sealRows` seals for this position, so the cast is safe.
  return JSON.parse(
    inflateRawSync(openBytes(key, sealed, lineIdentity(position))).toString('utf8'),
  ) as Cell[][]
}
