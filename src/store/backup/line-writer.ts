import { createHash, type Hash } from 'node:crypto'
import type { Key } from '../secrets/keys.ts'
import { type BackupEnd, type BackupHeader, type BackupRow, sealOf } from './format.ts'
import type { SealedRows } from './sealed-rows.ts'

/** Turns lines into bytes and hashes these. */
export interface LineWriter {
  line(value: BackupHeader | BackupRow | SealedRows): string
  /** The last line, which the hash leaves out. */
  end(rows: BackupEnd['rows'], key: Key): string
}

export function createLineWriter(hash: Hash = createHash('sha256')): LineWriter {
  return {
    line(value) {
      const text = `${JSON.stringify(value)}\n`
      hash.update(text)
      return text
    },
    end(rows, key) {
      const sha256 = hash.digest('hex')
      const end: BackupEnd = { end: true, rows, sha256, sealedBy: key.id, seal: sealOf(key, sha256) }
      return `${JSON.stringify(end)}\n`
    },
  }
}
