import type { AuditEntryRow } from '../database/schema.ts'
import { type Identity, openedOrWhyNot, type Sealer } from '../secrets/seal.ts'
import type { ChainHead } from './chain.ts'
import { hashOf } from './row.ts'

/** A fault at one row of a chain; sequence 0 means the chain as a whole. */
export interface AuditFault {
  readonly sequence: number
  readonly what: string
}

/**
 * Follows a chain row by row, in order of sequence, from the start to the end that its sealed head names; without a head, from the first
 * row that there is.
 */
export function readChain(head: ChainHead | undefined, isErased: IsErased) {
  let last = head && { sequence: head.keptFrom - 1, hash: head.hashBefore }
  return {
    /** The faults of the next row. A properly erased row still has its hash. */
    step(row: AuditEntryRow): AuditFault[] {
      if (head && row.sequence < head.keptFrom)
        return [{ sequence: row.sequence, what: 'was put in before the first kept row' }]
      const { sequence, hash } = last ?? { sequence: row.sequence - 1, hash: row.previous_hash }
      last = row
      const faults: AuditFault[] = []
      const fault = (at: number, what: string) => faults.push({ sequence: at, what })
      if (row.sequence > sequence + 1) {
        fault(sequence + 1, missing(sequence + 1, row.sequence - 1))
      } else if (row.previous_hash !== hash) {
        fault(row.sequence, 'does not follow the row before it: one of the two was changed or put in')
      }
      const isWhole = hashOf(row) === row.hash
      if (!isWhole && !isErased(row)) {
        fault(
          row.sequence,
          'was changed, or put in another row’s place: its content is not what its hash says',
        )
      }
      if (isWhole && row.sealed_erasure !== null) {
        fault(row.sequence, 'was changed: it says that somebody was taken out of it, and it is whole')
      }
      return faults
    },
    /** Behind the last row. */
    end(): AuditFault[] {
      if (!head || !last) return []
      const next = last.sequence + 1
      if (next <= head.sequence) return [{ sequence: next, what: missing(next, head.sequence) }]
      const what = 'is not the last row that was sealed: the chain was rewritten'
      return last.hash === head.hash ? [] : [{ sequence: head.sequence, what }]
    },
  }
}

/** The fault of missing rows. */
function missing(from: number, to: number): string {
  return from === to ? 'was deleted' : `was deleted, and so were all up to ${to}`
}

/** Replaces a person's id. */
const ERASED = 'erased'

/** Whether the row was erased by somebody with the key, and is unchanged since. */
export type IsErased = (row: AuditEntryRow) => boolean

const erasureIdentity = (row: AuditEntryRow): Identity => [
  'audit_entry',
  row.workspace_id,
  String(row.sequence),
]

/** What erasing changes of a row: its details, and the person whose act it records where `isTheirs`; it keeps its sequence and its hash. */
export function erasure(sealer: Sealer, row: AuditEntryRow, isTheirs: boolean) {
  const left = {
    ...(isTheirs && { user_id: ERASED, team_id: null, channel_id: null }),
    object: null,
    before: null,
    after: null,
    salt: null,
  }
  const proof = JSON.stringify({ hash: row.hash, left: hashOf({ ...row, ...left }) })
  return { ...left, sealed_erasure: sealer.seal(proof, erasureIdentity(row)) }
}

export function erasureCheck(sealer: Sealer): IsErased {
  return (row) => {
    const { sealed_erasure } = row
    if (sealed_erasure === null) return false
    const proof = openedOrWhyNot(() => JSON.parse(sealer.open(sealed_erasure, erasureIdentity(row))))
    return 'value' in proof && proof.value.hash === row.hash && proof.value.left === hashOf(row)
  }
}
