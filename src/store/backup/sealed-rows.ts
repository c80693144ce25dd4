import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Cell } from '../database/tables.ts'
import type { Key } from '../secrets/keys.ts'
import { type Identity, openBytes, sealBytes } from '../secrets/seal.ts'

/** A line of a backup: rows of one table and one workspace, packed, then sealed with that workspace's key. */
export interface SealedRows {
  /** The table's index in the header. */
  readonly table: number
  readonly key: string
  readonly rows: number
  readonly sealed: string
}

/** The backup and position of a line: a line that was moved does not open. */
export interface LinePlace {
  readonly backup: string
  readonly table: string
  readonly line: number
}

/** Packing this many takes some milliseconds. */
const MOST_CHARACTERS = 262_144

/** Rows in chunks that are each packed at once. */
export function* pieces(rows: readonly (readonly Cell[])[]): Generator<readonly (readonly Cell[])[]> {
  let piece: (readonly Cell[])[] = []
  let size = 0
  for (const row of rows) {
    piece.push(row)
    for (const cell of row) size += typeof cell === 'string' ? cell.length : 8
    if (size < MOST_CHARACTERS) continue
    yield piece
    piece = []
    size = 0
  }
  if (piece.length > 0) yield piece
}

export function sealRows(key: Key, rows: readonly (readonly Cell[])[], place: LinePlace): string {
  return sealBytes(key, deflateRawSync(JSON.stringify(rows)), identityOf(place))
}

/** Throws SealError. */
export function openRows(key: Key, sealed: string, place: LinePlace): Cell[][] {
  // Only `sealRows` seals for this position, so it has this type.
  return JSON.parse(inflateRawSync(openBytes(key, sealed, identityOf(place))).toString('utf8')) as Cell[][]
}

const identityOf = ({ backup, table, line }: LinePlace): Identity => ['backup', backup, table, String(line)]
