import type { AuditEntryRow } from '../database/schema.ts'
import { type Identity, SealError, type Sealer } from '../secrets/seal.ts'
import { hashOf } from './row.ts'

/** Replaces a person's id. */
const ERASED = 'erased'

/** Whether the row was erased by somebody with the key, and is unchanged since. */
export type IsErased = (row: AuditEntryRow) => boolean

const identityOf = ({
  workspace_id,
  sequence,
}: Pick<AuditEntryRow, 'workspace_id' | 'sequence'>): Identity => [
  'audit_entry',
  workspace_id,
  String(sequence),
]

/** The row without its details, and without the person whose act it records where `isTheirs`; it keeps its sequence and its hash. */
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
  const proof = JSON.stringify({ hash: row.hash, left: hashOf(left) })
  return { ...left, sealed_erasure: sealer.seal(proof, identityOf(row)) }
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
