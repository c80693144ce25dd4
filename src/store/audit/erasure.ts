import type { AuditEntryRow } from '../database/schema.ts'
import { type Identity, SealError, type Sealer } from '../secrets/seal.ts'
import { hashOf } from './row.ts'

/** Stands where a person was. */
const ERASED = 'erased'

/** Whether what a row says is what was left of it when it was erased, by somebody with the key. */
export type IsErased = (row: AuditEntryRow) => boolean

const identityOf = ({
  workspace_id,
  sequence,
}: Pick<AuditEntryRow, 'workspace_id' | 'sequence'>): Identity => [
  'audit_entry',
  workspace_id,
  String(sequence),
]

/** A row without its person (where it is theirs) and without all that was said of it; it keeps its place and its hash. */
export function erasedRow(sealer: Sealer, row: AuditEntryRow, isTheirs: boolean): AuditEntryRow {
  const left: AuditEntryRow = {
    ...row,
    ...(isTheirs && { user_id: ERASED, team_id: null, channel_id: null }),
    object: null,
    before: null,
    after: null,
    salt: null,
    sealed_erasure: null,
  }
  const word = JSON.stringify({ hash: row.hash, left: hashOf(left) })
  return { ...left, sealed_erasure: sealer.seal(word, identityOf(row)) }
}

export function erasureCheck(sealer: Sealer): IsErased {
  return (row) => {
    if (row.sealed_erasure === null) return false
    try {
      const { hash, left } = JSON.parse(sealer.open(row.sealed_erasure, identityOf(row)))
      return hash === row.hash && left === hashOf(row)
    } catch (error) {
      if (error instanceof SealError) return false
      throw error
    }
  }
}
