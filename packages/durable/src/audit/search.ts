import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AuditEntryRow, type Schema, selectRows } from '../database/schema.ts'
import { toAuditText } from './row.ts'

/** A filter for audit rows. An omitted field matches everything. */
export interface AuditFilter {
  readonly workspaceId: string
  readonly userId?: string | undefined
  /** The verb, or its first words or parts, such as `/parcel` or `parcel`. */
  readonly verb?: string | undefined
  /** The reference of one act or job. */
  readonly reference?: string | undefined
  /** Any part of the object. Letters a–z match in either case. */
  readonly object?: string | undefined
  /** From this time (inclusive). */
  readonly from?: Date | undefined
  /** Up to this time (exclusive). */
  readonly to?: Date | undefined
  /** Leaves out rows with the outcome `begun`. Each records an intent, and another row records its outcome. */
  readonly withoutIntents?: boolean | undefined
  /** Only rows before this sequence. */
  readonly before?: number | undefined
}

export type SearchOrder = 'asc' | 'desc'

/** The most rows that one statement examines, whether they match or not. Reading that many takes 5 ms. */
const ROWS_PER_STATEMENT = 10_000
/** Rows per page, so that a page stays below 10 MB. */
const PAGE_SIZE = 200

/** A part of a chain, including both ends. */
interface ChainPart {
  readonly first: number
  readonly last: number
}

/** Every number that the column can have in both databases. */
const WHOLE_RANGE: ChainPart = { first: -0x8000_0000, last: 0x7fff_ffff }

/**
 * Yields up to `maxRows` matching rows, a page at a time. No statement runs for long, even if few rows match, and other work runs in
 * between. Leaves out rows that are added meanwhile.
 */
export async function* searchRows(
  { kind, reading }: Pick<Database, 'kind' | 'reading'>,
  filter: AuditFilter,
  order: SearchOrder,
  maxRows = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditEntryRow[]> {
  let remaining = maxRows
  const last = Math.min(WHOLE_RANGE.last, (filter.before ?? WHOLE_RANGE.last + 1) - 1)
  let span = await findSpan(reading, filter, { ...WHOLE_RANGE, last })
  while (span !== undefined && remaining > 0) {
    const window = nextWindow(span, order)
    const limit = Math.min(remaining, PAGE_SIZE)
    const found = await selectSequences(reading, kind, filter, { window, order, limit }).execute()
    const page = await readRows(
      reading,
      filter,
      order,
      found.map(({ sequence }) => sequence),
    )
    remaining -= page.length
    if (page.length > 0) yield page
    const lastSeen = found.length === limit ? found.at(-1)?.sequence : undefined
    const rest = remainingPart(span, order, lastSeen ?? (order === 'asc' ? window.last : window.first))
    // A forged row with a distant number must not cost a statement for each window in between.
    span = found.length > 0 ? rest : rest && (await findSpan(reading, filter, rest))
    await yieldWhenDue()
  }
}

/** The range from the first to the last existing row in the part. Undefined if there is none. */
async function findSpan(
  rows: Kysely<Schema>,
  { workspaceId }: AuditFilter,
  part: ChainPart,
): Promise<ChainPart | undefined> {
  const { first, last } = await rows
    .selectNoFrom((eb) => {
      const within = eb
        .selectFrom('audit_entry')
        .where('workspace_id', '=', workspaceId)
        .where('sequence', '>=', part.first)
        .where('sequence', '<=', part.last)
      return [
        within.select(({ fn }) => fn.min('sequence').as('end')).as('first'),
        within.select(({ fn }) => fn.max('sequence').as('end')).as('last'),
      ]
    })
    .executeTakeFirstOrThrow()
  return first === null || last === null ? undefined : { first, last }
}

function nextWindow(span: ChainPart, order: SearchOrder): ChainPart {
  const { first, last } = span
  return order === 'asc'
    ? { ...span, last: Math.min(last, first + ROWS_PER_STATEMENT - 1) }
    : { ...span, first: Math.max(first, last - ROWS_PER_STATEMENT + 1) }
}

function remainingPart(span: ChainPart, order: SearchOrder, lastSequence: number): ChainPart | undefined {
  const rest = order === 'asc' ? { ...span, first: lastSequence + 1 } : { ...span, last: lastSequence - 1 }
  return rest.first > rest.last ? undefined : rest
}

/**
 * Selects the numbers of the matching rows in one part of the log. Indexes answer almost every filter without reading other rows.
 */
export function selectSequences(
  rows: Kysely<Schema>,
  kind: Database['kind'],
  filter: AuditFilter,
  { window, order, limit }: { window: ChainPart; order: SearchOrder; limit: number },
): SequenceQuery {
  const within = rows
    .selectFrom('audit_entry')
    .select('sequence')
    .where('workspace_id', '=', filter.workspaceId)
    .where('sequence', '>=', window.first)
    .where('sequence', '<=', window.last)
  return applyFilter(kind, within, filter).orderBy('sequence', order).limit(limit)
}

/** Reads the rows that `selectSequences` found. If one statement did both, PostgreSQL's plan would depend on its statistics. */
const readRows = async (
  rows: Kysely<Schema>,
  { workspaceId }: AuditFilter,
  order: SearchOrder,
  sequences: readonly number[],
): Promise<AuditEntryRow[]> =>
  sequences.length === 0
    ? []
    : await selectRows(rows, 'audit_entry', { workspace_id: workspaceId })
        .where('sequence', 'in', sequences)
        .orderBy('sequence', order)
        .execute()

/** The separators that may follow the first words of a verb. Empty text if they already end with one. */
const verbEndings = (start: string): readonly string[] => (/[ .-]$/.test(start) ? [''] : [' ', '.', '-'])

const startsWith = (start: string) => sql<boolean>`substr(verb, 1, length(cast(${start} as text))) = ${start}`

type SequenceQuery = SelectQueryBuilder<Schema, 'audit_entry', { sequence: number }>

function applyFilter(
  kind: Database['kind'],
  all: SequenceQuery,
  { userId, verb, reference, object, from, to, withoutIntents }: AuditFilter,
): SequenceQuery {
  let query = withoutIntents ? all.where('outcome', '<>', 'begun') : all
  if (userId !== undefined) query = query.where('user_id', '=', toAuditText(userId))
  if (reference !== undefined) query = query.where('reference', '=', toAuditText(reference))
  if (verb !== undefined) {
    const start = toAuditText(verb)
    // `/parcel` must not match `/parcels`.
    query = query.where(({ or, eb }) =>
      or([eb('verb', '=', start), ...verbEndings(start).map((end) => startsWith(`${start}${end}`))]),
    )
  }
  if (object !== undefined) {
    const position = kind === 'postgres' ? sql.raw('strpos') : sql.raw('instr')
    query = query.where(
      sql<boolean>`${position}(lower(object), lower(cast(${toAuditText(object)} as text))) > 0`,
    )
  }
  if (from !== undefined) query = query.where('at', '>=', from.toISOString())
  if (to !== undefined) query = query.where('at', '<', to.toISOString())
  return query
}
