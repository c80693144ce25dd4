import { yieldWhenDue } from '@signalman/runtime'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AuditEntryRow, type Schema, selectRows } from '../database/schema.ts'
import { toAuditText } from './row.ts'

/** A filter for audit rows. An omitted field matches everything. */
export interface AuditFilter {
  readonly workspaceId: string
  readonly userId?: string | undefined
  /** Any part of the verb or object, or the reference. Letters a–z match in either case. */
  readonly text?: string | undefined
  /** Other texts that match as well, such as the ID of what `text` names now. */
  readonly aliases?: readonly string[] | undefined
  /** From this time (inclusive). */
  readonly from?: Date | undefined
  /** Up to this time (exclusive). */
  readonly to?: Date | undefined
  /** Also the rows with the outcome `begun`. Each records an intent, and another row records its outcome. */
  readonly withIntents?: boolean | undefined
  /** Only rows before this sequence. */
  readonly before?: number | undefined
}

export type SearchOrder = 'asc' | 'desc'

/** Rows per page, so that a page stays below 10 MB. */
const PAGE_SIZE = 200

/** Yields up to `maxRows` matching rows, a page at a time, so that other work runs in between. */
export async function* searchRows(
  { kind, reading }: Pick<Database, 'kind' | 'reading'>,
  filter: AuditFilter,
  order: SearchOrder,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditEntryRow[]> {
  const matching = applyFilter(
    kind,
    selectRows(reading, 'audit_entry', { workspace_id: filter.workspaceId }),
    filter,
  )
  let remaining = maxRows
  for (let last: number | undefined; remaining > 0; ) {
    const limit = Math.min(remaining, PAGE_SIZE)
    const rest = last === undefined ? matching : matching.where('sequence', order === 'asc' ? '>' : '<', last)
    const page: AuditEntryRow[] = await rest.orderBy('sequence', order).limit(limit).execute()
    if (page.length > 0) yield page
    remaining -= page.length
    last = page.at(-1)?.sequence
    if (page.length < limit) return
    await yieldWhenDue()
  }
}

type RowQuery = SelectQueryBuilder<Schema, 'audit_entry', AuditEntryRow>

function applyFilter(
  kind: Database['kind'],
  all: RowQuery,
  { userId, text, aliases = [], from, to, withIntents, before }: AuditFilter,
): RowQuery {
  let query = withIntents ? all : all.where('outcome', '<>', 'begun')
  if (before !== undefined) query = query.where('sequence', '<', before)
  if (userId !== undefined) query = query.where('user_id', '=', toAuditText(userId))
  if (text !== undefined) {
    const position = kind === 'postgres' ? sql.raw('strpos') : sql.raw('instr')
    const words = sql`lower(verb || ' ' || coalesce(object, ''))`
    query = query.where(({ or }) =>
      or(
        [text, ...aliases]
          .map(toAuditText)
          .map(
            (wanted) =>
              sql<boolean>`(${position}(${words}, lower(cast(${wanted} as text))) > 0 or reference = ${wanted})`,
          ),
      ),
    )
  }
  if (from !== undefined) query = query.where('at', '>=', from.toISOString())
  if (to !== undefined) query = query.where('at', '<', to.toISOString())
  return query
}
