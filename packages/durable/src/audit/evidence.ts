import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** Two clocks may date an order and its row of the audit log. */
const SKEW_MS = 60_000

/**
 * Workspaces whose audit log lacks an act that it must have: the log is empty, or its very first row is later. Returns one line for
 * each.
 */
export async function unloggedWorkspaces({
  reading,
  model,
}: Pick<Database, 'reading' | 'model'>): Promise<string[]> {
  const logged = model.tables.flatMap(({ name, logged }) => (logged ? [{ name, ...logged }] : []))
  const acts = logged.map(
    ({ name, what, at }) => sql`
      select workspace_id, ${sql.lit(what)} as what, min(${sql.ref(at)}) as at from ${sql.table(name)} group by workspace_id`,
  )
  const firstActs = new Set(logged.flatMap(({ what, isFirst }) => (isFirst ? [what] : [])))
  const { rows } = await sql<{
    workspaceId: string
    what: string
    at: string
    first: string | null
    start: number | null
  }>`
    select done.workspace_id as "workspaceId", done.what as "what", done.at as "at", e.at as "first", e.sequence as "start"
    from (${sql.join(acts, sql` union all `)}) done
    left join audit_entry e on e.workspace_id = done.workspace_id
      and e.sequence = (select min(sequence) from audit_entry where workspace_id = done.workspace_id)
    order by done.workspace_id, done.what`.execute(reading)
  return rows.flatMap(({ workspaceId, what, at, first, start }) => {
    if (first === null)
      return [`${workspaceId}: the audit log is empty, although a ${what} ${at}: it was wiped`]
    const isLate = Date.parse(first) - Date.parse(at) > SKEW_MS
    return start === 1 && isLate && firstActs.has(what)
      ? [
          `${workspaceId}: row 1 of the audit log is of ${first}, although a ${what} ${at}: what came before was wiped`,
        ]
      : []
  })
}
