import { DAY_MS, yieldWhenDue } from '@signalman/runtime'
import type { Kysely } from 'kysely'
import type { ChainHead, Chains } from '../audit/chain.ts'
import { shownValue } from '../audit/row.ts'
import type { AuditFault } from '../audit/walk.ts'
import { chunksOf } from '../database/batches.ts'
import { rowsIn, type Schema } from '../database/schema.ts'
import { SealError } from '../secrets/seal.ts'
import type { AnchoredHead, FoundRecords, HeadRecord } from './head-record.ts'

/** A fault of one workspace's chain, or of the records themselves. */
export interface AnchorFault extends AuditFault {
  readonly workspaceId: string
}

interface Point extends AnchoredHead {
  readonly at: string
}

/** Used in place of a workspace's id for faults of the records. */
const RECORDS = 'the anchor'
const MOST_GAPS = 100
/** Rows that one statement looks for. */
const AT_ONCE = 500

/**
 * Compares the chains with every genuine record of an earlier end. A wipe, a cut, a roll-back to an earlier head and a rewritten chain
 * all differ from the end that was anchored.
 */
export async function faultsAgainst(
  rows: Kysely<Schema>,
  chains: Chains,
  { genuine, faults: passedOver }: FoundRecords,
  keptDays: (workspaceId: string) => Promise<number>,
): Promise<AnchorFault[]> {
  const faults = [...passedOver, ...gapsIn(genuine)].map((fault) => ({ workspaceId: RECORDS, ...fault }))
  const points = Map.groupBy(
    genuine.flatMap(({ at, heads }) => heads.map((head): Point => ({ ...head, at }))),
    ({ workspaceId }) => workspaceId,
  )
  for (const [workspaceId, own] of points) {
    const days = await keptDays(workspaceId)
    for (const fault of await faultsOf(rows, chains, workspaceId, own, days))
      faults.push({ workspaceId, ...fault })
  }
  return faults
}

function gapsIn(genuine: readonly HeadRecord[]): AuditFault[] {
  const gaps = genuine.flatMap(({ n }, index) => {
    const next = genuine[index + 1]?.n ?? n
    if (next <= n + 1) return []
    const which = next === n + 2 ? 'was' : `and all up to ${next - 1} were`
    return [{ sequence: n + 1, what: `${which} taken out of the anchor` }]
  })
  return gaps.slice(0, MOST_GAPS)
}

async function faultsOf(
  rows: Kysely<Schema>,
  chains: Chains,
  workspaceId: string,
  all: readonly Point[],
  days: number,
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
  if (head) faults.push(...(await removedTooSoon(rows, workspaceId, head, points, days)))
  const kept = points.filter(({ sequence }) => head && sequence <= head.sequence && sequence >= head.keptFrom)
  return [...faults, ...(await rewritten(rows, workspaceId, kept))]
}

/** The faults of anchored rows that are there, and are others than they were. */
async function rewritten(
  rows: Kysely<Schema>,
  workspaceId: string,
  kept: readonly Point[],
): Promise<AuditFault[]> {
  const faults: AuditFault[] = []
  for (const some of chunksOf(kept, AT_ONCE)) {
    const found = await rows
      .selectFrom('audit_entry')
      .select(['sequence', 'hash'])
      .where('workspace_id', '=', workspaceId)
      .where('sequence', 'in', [...new Set(some.map(({ sequence }) => sequence))])
      .execute()
    const hashes = new Map(found.map(({ sequence, hash }) => [sequence, hash]))
    for (const { sequence, hash, at } of some) {
      const what = `is another than the one that was anchored ${at}: the chain was rolled back or written anew`
      if (hashes.has(sequence) && hashes.get(sequence) !== hash) faults.push({ sequence, what })
    }
    await yieldWhenDue()
  }
  return faults
}

/** The fault of anchored rows before the start of the log that cannot have been old enough to be removed. */
async function removedTooSoon(
  rows: Kysely<Schema>,
  workspaceId: string,
  { keptFrom }: ChainHead,
  points: readonly Point[],
  days: number,
): Promise<AuditFault[]> {
  const removed = points
    .filter(({ sequence }) => sequence < keptFrom)
    .toSorted((a, b) => b.sequence - a.sequence)
  // The rows behind an anchored end were written after that; of the rows before the first one nobody knows when.
  const after = days === 0 ? removed[0] : removed.find(({ sequence }) => sequence < keptFrom - 1)
  if (after === undefined || (days > 0 && Date.parse(after.at) < Date.now() - days * DAY_MS)) return []
  const kept = { workspace_id: workspaceId, sequence: keptFrom }
  const first = await rowsIn(rows, 'audit_entry', kept).executeTakeFirst()
  if (first?.verb === 'workspace.erase') return []
  const words = days === 0 ? 'for ever' : `for ${days} days`
  const what = `and all before it were removed, although rows are kept ${words}; the end of row ${after.sequence} was anchored ${after.at}`
  return [{ sequence: keptFrom - 1, what }]
}

/** The fault of anchored rows beyond the end of the log: something was cut off. */
function beyondTheEnd(head: ChainHead | undefined, points: readonly Point[]): AuditFault[] {
  const end = head?.sequence ?? 0
  const last = points.toSorted((left, right) => right.sequence - left.sequence)[0]
  if (last === undefined || last.sequence <= end) return []
  const how =
    head === undefined
      ? 'are gone with their chain: the log was wiped'
      : 'are gone: the chain was cut or rolled back'
  return [{ sequence: end + 1, what: `and all up to ${last.sequence}, anchored ${last.at}, ${how}` }]
}

/** The restores that the log records: it lacks the rows from between each backup and its restore. */
async function restoresOf(
  rows: Kysely<Schema>,
  workspaceId: string,
): Promise<{ from: string; to: string }[]> {
  const restored = { workspace_id: workspaceId, verb: 'store.restore' }
  const found = await rowsIn(rows, 'audit_entry', restored).execute()
  return found.flatMap(({ after }) => {
    // Written by backup/backup-settings.ts; a row that was changed may hold anything.
    const { asOf, restoredAt } = Object(shownValue(after ?? '')) as Record<string, unknown>
    return typeof asOf === 'string' && typeof restoredAt === 'string' ? [{ from: asOf, to: restoredAt }] : []
  })
}
