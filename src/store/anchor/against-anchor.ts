import type { Kysely } from 'kysely'
import type { Chains } from '../audit/chain.ts'
import type { AuditFault } from '../audit/walk.ts'
import type { Schema } from '../database/schema.ts'
import { SealError } from '../secrets/seal.ts'
import { beyondTheEnd, restoresOf } from './cut-log.ts'
import type { AnchoredHead, FoundRecord } from './head-record.ts'

/** A fault of one workspace's chain, or of the records themselves. */
export interface AnchorFault extends AuditFault {
  readonly workspaceId: string
}

export interface Point extends AnchoredHead {
  readonly at: string
}

/** Used in place of a workspace's id for faults of the records. */
const RECORDS = 'the anchor'

/**
 * Compares the chains with every genuine record of an earlier end. A wipe, a cut, a roll-back to an earlier head and a rewritten chain
 * all differ from the end that was anchored.
 */
export async function faultsAgainst(
  rows: Kysely<Schema>,
  chains: Chains,
  records: readonly FoundRecord[],
): Promise<AnchorFault[]> {
  const points = Map.groupBy(
    records
      .filter(({ isGenuine }) => isGenuine)
      .flatMap(({ at, heads }) => heads.map((head): Point => ({ ...head, at }))),
    ({ workspaceId }) => workspaceId,
  )
  const faults: AnchorFault[] = faultsIn(records)
  for (const [workspaceId, own] of points)
    for (const fault of await faultsOf(rows, chains, workspaceId, own)) faults.push({ workspaceId, ...fault })
  return faults
}

/** The faults of the records: forged ones, and gaps in their numbers. */
function faultsIn(records: readonly FoundRecord[]): AnchorFault[] {
  const fault = (sequence: number, what: string): AnchorFault => ({ workspaceId: RECORDS, sequence, what })
  const counts = new Set(records.map(({ n }) => n))
  const last = Math.max(0, ...counts)
  const first = Math.min(last, ...counts)
  const gone = Array.from({ length: last - first }, (_, index) => first + index).filter((n) => !counts.has(n))
  return [
    ...records
      .filter(({ isGenuine }) => !isGenuine)
      .map(({ n }) =>
        fault(n, 'was signed with no key that is here: it was forged, or its key was given up'),
      ),
    ...gone.slice(0, 100).map((n) => fault(n, 'was taken out of the anchor')),
  ]
}

async function faultsOf(
  rows: Kysely<Schema>,
  chains: Chains,
  workspaceId: string,
  all: readonly Point[],
): Promise<AuditFault[]> {
  const head = await chains.read(rows, workspaceId).catch((error: unknown) => {
    // The verification of the chain itself reports this.
    if (error instanceof SealError) return null
    throw error
  })
  if (head === null) return []
  const restores = await restoresOf(rows, workspaceId)
  const points = all.filter(({ at }) => !restores.some(({ from, to }) => at > from && at < to))
  const faults = beyondTheEnd(head, points)
  for (const { sequence, hash, at } of points) {
    if (head === undefined || sequence > head.sequence || sequence < head.keptFrom) continue
    const row = await rows
      .selectFrom('audit_entry')
      .select('hash')
      .where('workspace_id', '=', workspaceId)
      .where('sequence', '=', sequence)
      .executeTakeFirst()
    const what = `is another than the one that was anchored ${at}: the chain was rolled back or written anew`
    if (row !== undefined && row.hash !== hash) faults.push({ sequence, what })
  }
  return faults
}
