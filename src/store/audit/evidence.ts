import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** Two clocks may date an order and its row of the audit log. */
const SKEW_MS = 60_000

/**
 * Workspaces whose audit log lacks an act that it must have: the log is empty, or its very first row is later. Returns one line for
 * each.
 */
export async function unloggedWorkspaces({ reading }: Pick<Database, 'reading'>): Promise<string[]> {
  const { rows } = await sql<{
    workspaceId: string
    what: string
    at: string
    first: string | null
    start: number | null
  }>`
    select done.workspace_id as "workspaceId", done.what as "what", done.at as "at", e.at as "first", e.sequence as "start"
    from (
      select workspace_id, 'certificate order was asked for' as what, min(created_at) as at from cert_order group by workspace_id
      union all
      select workspace_id, 'connection token was stored' as what, min(stored_at) as at from connection group by workspace_id
    ) done
    left join audit_entry e on e.workspace_id = done.workspace_id
      and e.sequence = (select min(sequence) from audit_entry where workspace_id = done.workspace_id)
    order by done.workspace_id, done.what`.execute(reading)
  return rows.flatMap(({ workspaceId, what, at, first, start }) => {
    if (first === null)
      return [`${workspaceId}: the audit log is empty, although a ${what} ${at}: it was wiped`]
    const isLate = Date.parse(first) - Date.parse(at) > SKEW_MS
    return start === 1 && isLate && what.startsWith('certificate')
      ? [
          `${workspaceId}: row 1 of the audit log is of ${first}, although a ${what} ${at}: what came before was wiped`,
        ]
      : []
  })
}
