import type { AuditEntryRow } from '../database/schema.ts'
import { type Identity, SealError, type Sealer } from '../secrets/seal.ts'
import { hashOf } from './row.ts'

/** A fault at one row of a chain; sequence 0 means the chain as a whole. */
export interface AuditFault {
  readonly sequence: number
  readonly what: string
}

/**
 * Follows a chain row by row, in order of sequence, and says what is wrong with each. It starts after the row of that sequence and hash.
 * A properly erased row still has its hash.
 */
export function startWalk(start: { sequence: number; hash: string }, isErased: IsErased) {
  let { sequence, hash } = start
  const faultsOf = (row: AuditEntryRow): AuditFault[] => {
    const faults: AuditFault[] = []
    const fault = (at: number, what: string) => faults.push({ sequence: at, what })
    if (row.sequence > sequence + 1) {
      fault(sequence + 1, missing(sequence + 1, row.sequence - 1))
    } else if (row.previous_hash !== hash) {
      fault(row.sequence, 'does not follow the row before it: one of the two was changed or put in')
    }
    const isWhole = hashOf(row) === row.hash
    if (!isWhole && !isErased(row)) {
      fault(row.sequence, 'was changed, or put in another row’s place: its content is not what its hash says')
    }
    if (isWhole && row.sealed_erasure !== null) {
      fault(row.sequence, 'was changed: it says that somebody was taken out of it, and it is whole')
    }
    return faults
  }
  return {
    step(row: AuditEntryRow): AuditFault[] {
      const faults = faultsOf(row)
      ;({ sequence, hash } = row)
      return faults
    },
    /** Of the last row. */
    get sequence() {
      return sequence
    },
    get hash() {
      return hash
    },
  }
}

/** The fault of missing rows. */
export function missing(from: number, to: number): string {
  return from === to ? 'was deleted' : `was deleted, and so were all up to ${to}`
}

/** Replaces a person's id. */
const ERASED = 'erased'

/** Whether the row was erased by somebody with the key, and is unchanged since. */
export type IsErased = (row: AuditEntryRow) => boolean

const erasureIdentity = ({
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
  return { ...left, sealed_erasure: sealer.seal(proof, erasureIdentity(row)) }
}

export function erasureCheck(sealer: Sealer): IsErased {
  return (row) => {
    if (row.sealed_erasure === null) return false
    try {
      const { hash, left } = JSON.parse(sealer.open(row.sealed_erasure, erasureIdentity(row)))
      return hash === row.hash && left === hashOf(row)
    } catch (error) {
      if (error instanceof SealError) return false
      throw error
    }
  }
}
