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
/** How many rows one query compares, so that it takes a few milliseconds even if none of them matches. */
const SLICE_SIZE = 2000

/** Yields up to `maxRows` matching rows, a page at a time, so that other work runs in between, also between rows that don't match. */
export async function* searchRows(
  { kind, rows }: Pick<Database, 'kind' | 'rows'>,
  filter: AuditFilter,
  order: SearchOrder,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditEntryRow[]> {
  const { workspaceId, userId, before } = filter
  const user = userId === undefined ? undefined : toAuditText(userId)
  const all = selectRows(rows, 'audit_entry', { workspace_id: workspaceId }, { user_id: user })
    .$if(before !== undefined, (query) => query.where('sequence', '<', before ?? 0))
    .orderBy('sequence', order)
  const [beyond, upTo] = order === 'asc' ? (['>', '<='] as const) : (['<', '>='] as const)
  let rest = all
  for (let remaining = maxRows; remaining > 0; ) {
    const end = await findSliceEnd(rest)
    const slice = end === undefined ? rest : rest.where('sequence', upTo, end)
    const limit = Math.min(remaining, PAGE_SIZE)
    const page: AuditEntryRow[] = await applyFilter(kind, slice, filter).limit(limit).execute()
    if (page.length > 0) yield page
    remaining -= page.length
    const last = page.length < limit ? end : page.at(-1)?.sequence
    if (last === undefined) return
    rest = all.where('sequence', beyond, last)
    await yieldWhenDue()
  }
}

/** The last row of the next slice, found in an index alone. Undefined if the rest is shorter. */
async function findSliceEnd(rest: RowQuery): Promise<number | undefined> {
  const sequences = rest.clearSelect().select('sequence')
  return (
    await sequences
      .limit(1)
      .offset(SLICE_SIZE - 1)
      .executeTakeFirst()
  )?.sequence
}

type RowQuery = SelectQueryBuilder<Schema, 'audit_entry', AuditEntryRow>

function applyFilter(
  kind: Database['kind'],
  all: RowQuery,
  { text, aliases = [], from, to, withIntents }: AuditFilter,
): RowQuery {
  let query = withIntents ? all : all.where('outcome', '<>', 'begun')
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
