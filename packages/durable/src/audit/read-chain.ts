import type { AuditEntryRow } from '../database/schema.ts'
import { type Identity, type Sealer, tryOpen } from '../secrets/seal.ts'
import type { Head } from './head.ts'
import { hashRow } from './row.ts'

/** A fault at one row of a chain. Sequence 0 means the chain as a whole. */
export interface AuditFault {
  readonly sequence: number
  readonly description: string
}

type ChainEnds = Pick<Head, 'sequence' | 'hash' | 'keptFrom' | 'hashBefore' | 'erased'>

/** Follows a chain row by row, ordered by sequence, and compares it with its sealed head. */
export function readChain(head: ChainEnds, isErased: IsErased) {
  let last = { sequence: head.keptFrom - 1, hash: head.hashBefore }
  let erased = 0
  const leftovers = readLeftovers(head, isErased)
  return {
    /** Returns the faults of the next row. A properly erased row still has its hash. */
    step(row: AuditEntryRow): AuditFault[] {
      if (row.sequence < head.keptFrom) return leftovers.step(row)
      if (row.sequence > head.sequence)
        return [{ sequence: row.sequence, description: 'was inserted after the last row' }]
      const { sequence, hash } = last
      last = row
      if (row.sealed_erasure !== null) erased += 1
      const faults: AuditFault[] = []
      const addFault = (at: number, description: string) => faults.push({ sequence: at, description })
      if (row.sequence > sequence + 1) {
        addFault(sequence + 1, describeMissing(sequence + 1, row.sequence - 1))
      } else if (row.previous_hash !== hash) {
        addFault(row.sequence, 'doesn’t follow the row before it: one of the two was changed or inserted')
      }
      return [...faults, ...findContentFaults(row, isErased)]
    },
    /** Returns the faults that show only after the last row. */
    end(): AuditFault[] {
      const faults = leftovers.end()
      const next = last.sequence + 1
      if (next <= head.sequence)
        return [...faults, { sequence: next, description: describeMissing(next, head.sequence) }]
      if (last.hash !== head.hash)
        faults.push({
          sequence: head.sequence,
          description: 'doesn’t match the sealed end of the chain: the chain was rewritten',
        })
      if (erased !== head.erased)
        faults.push({
          sequence: 0,
          description: `${head.erased} rows should be erased, but ${erased} are: an erased row was brought back, or one was inserted`,
        })
      return faults
    },
    /** Removed rows that still exist because a process died while deleting them. */
    leftovers: leftovers.count,
  }
}

function findContentFaults(row: AuditEntryRow, isErased: IsErased): AuditFault[] {
  const matchesHash = hashRow(row) === row.hash
  if (!matchesHash && !isErased(row))
    return [
      {
        sequence: row.sequence,
        description: 'was changed or moved: its content doesn’t match its hash',
      },
    ]
  if (matchesHash && row.sealed_erasure !== null)
    return [
      {
        sequence: row.sequence,
        description: 'was changed: it’s marked as erased, but its content is still there',
      },
    ]
  return []
}

/** Rows before the first kept row are leftovers of a removal only if they lead to it without a gap. */
function readLeftovers(head: ChainEnds, isErased: IsErased) {
  let first: number | undefined
  let last: AuditEntryRow | undefined
  let count = 0
  let isLinked = true
  return {
    step(row: AuditEntryRow): AuditFault[] {
      first ??= row.sequence
      if (last) isLinked &&= row.sequence === last.sequence + 1 && row.previous_hash === last.hash
      isLinked &&= findContentFaults(row, isErased).length === 0
      last = row
      count += 1
      return []
    },
    end(): AuditFault[] {
      if (first === undefined) return []
      if (isLinked && last?.sequence === head.keptFrom - 1 && last.hash === head.hashBefore) return []
      return [{ sequence: first, description: 'was inserted before the oldest remaining row' }]
    },
    count: () => count,
  }
}

/** Continues a sentence that starts with the number of the first missing row. */
function describeMissing(from: number, to: number): string {
  return from === to ? 'was deleted' : `was deleted, as were all rows up to ${to}`
}

/** The placeholder for an erased person's ID. */
export const ERASED = 'erased'

/** Whether someone with the key erased the row, and nobody has changed it since. */
type IsErased = (row: AuditEntryRow) => boolean

const erasureIdentity = (row: AuditEntryRow): Identity => [
  'audit_entry',
  row.workspace_id,
  String(row.sequence),
]

/** The columns of a row without its details and, if `isOwnAction`, without the person who acted. */
export const withoutDetails = (isOwnAction: boolean) => ({
  ...(isOwnAction && { user_id: ERASED, team_id: null, channel_id: null }),
  object: null,
  before: null,
  after: null,
})

/**
 * The column changes that erase a row's details and, if `isOwnAction`, the person who acted. The row keeps its sequence and hash.
 */
export function buildErasure(sealer: Sealer, row: AuditEntryRow, isOwnAction: boolean) {
  const erasedColumns = { ...withoutDetails(isOwnAction), salt: null }
  const proof = JSON.stringify({ hash: row.hash, left: hashRow({ ...row, ...erasedColumns }) })
  return { ...erasedColumns, sealed_erasure: sealer.seal(proof, erasureIdentity(row)) }
}

export function createErasureCheck(sealer: Sealer): IsErased {
  return (row) => {
    const { sealed_erasure } = row
    if (sealed_erasure === null) return false
    const proof = tryOpen(() => JSON.parse(sealer.open(sealed_erasure, erasureIdentity(row))))
    return 'value' in proof && proof.value.hash === row.hash && proof.value.left === hashRow(row)
  }
}
