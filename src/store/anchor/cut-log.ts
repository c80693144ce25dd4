import type { Kysely } from 'kysely'
import type { ChainHead } from '../audit/chain.ts'
import type { AuditFault } from '../audit/walk.ts'
import type { Schema } from '../database/schema.ts'
import type { Point } from './against-anchor.ts'

/** The fault of anchored rows beyond the end of the log: something was cut off. */
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

/** The restores that the log records: it lacks the rows from between each backup and its restore. */
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
    // Written by backup/confirm-restore.ts; damaged content lacks both members.
    const { asOf, restoredAt } = (told ?? {}) as { asOf?: string; restoredAt?: string }
    return asOf && restoredAt ? [{ from: asOf, to: restoredAt }] : []
  })
}
