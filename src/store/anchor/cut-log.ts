import type { Kysely } from 'kysely'
import type { ChainHead } from '../audit/chain.ts'
import type { AuditFault } from '../audit/walk.ts'
import type { Schema } from '../database/schema.ts'
import type { Point } from './against-anchor.ts'

/** What was anchored and lies behind the end of the log: something was cut off. */
export function beyondTheEnd(head: ChainHead | undefined, points: readonly Point[]): AuditFault[] {
  const end = head?.sequence ?? 0
  const last = points.toSorted((left, right) => right.sequence - left.sequence)[0]
  if (last === undefined || last.sequence <= end) return []
  const how =
    head === undefined
      ? 'are gone with their chain: the log was wiped'
      : 'are gone: the chain was cut or rolled back'
  return [{ sequence: end + 1, what: `and all up to ${last.sequence}, anchored ${last.at}, ${how}` }]
}

/** A log that goes on from a backup says so, and lacks what came between the backup and that. */
export async function restoresOf(
  rows: Kysely<Schema>,
  workspaceId: string,
): Promise<{ from: string; to: string }[]> {
  const found = await rows
    .selectFrom('audit_entry')
    .select('after')
    .where('workspace_id', '=', workspaceId)
    .where('verb', '=', 'store.restore')
    .execute()
  return found.flatMap(({ after }) => {
    const told: unknown = after === null ? null : JSON.parse(after)
    const { asOf, restoredAt } = (told ?? {}) as { asOf?: string; restoredAt?: string }
    return asOf && restoredAt ? [{ from: asOf, to: restoredAt }] : []
  })
}
