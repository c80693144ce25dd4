import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AuditEntryRow, rowsIn, type Schema } from '../database/schema.ts'
import { auditText } from './row.ts'

/** A filter of the log; a member that is left out matches everything. */
export interface AuditFilter {
  readonly workspaceId: string
  readonly userId?: string | undefined
  /** The verb, or its first words or parts: `/parcel`, `parcel`. */
  readonly verb?: string | undefined
  /** The reference of one act or job. */
  readonly reference?: string | undefined
  /** Any part of the object; the letters a–z in either case. */
  readonly object?: string | undefined
  /** From this time on. */
  readonly from?: Date | undefined
  /** Before this time. */
  readonly to?: Date | undefined
  /** Without the rows of acts that were about to begin; the outcome is always a row of its own. */
  readonly withoutIntents?: boolean | undefined
  /** Before this sequence. */
  readonly before?: number | undefined
}

export type SearchOrder = 'asc' | 'desc'

/** Rows that one statement looks at, whether they match or not: 5 ms when it has to read each. */
const LOOKED_AT = 10_000
/** Rows of a page, which so stays under 10 MB. */
const PAGE = 200

/** A part of a chain, both ends included. */
interface ChainPart {
  readonly first: number
  readonly last: number
}

/** Every number that the column can hold in both databases. */
const WHOLE: ChainPart = { first: -0x8000_0000, last: 0x7fff_ffff }

/**
 * The rows that match, a page at a time, at most `most`. No statement runs for long, also where few rows match, and other work runs in
 * between. Rows that are added meanwhile are left out.
 */
export async function* findRows(
  { kind, reading }: Pick<Database, 'kind' | 'reading'>,
  filter: AuditFilter,
  order: SearchOrder,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditEntryRow[]> {
  let left = most
  const last = Math.min(WHOLE.last, (filter.before ?? WHOLE.last + 1) - 1)
  let span = await spanOf(reading, filter, { ...WHOLE, last })
  while (span !== undefined && left > 0) {
    const window = nextWindow(span, order)
    const limit = Math.min(left, PAGE)
    const found = await sequencesQuery(reading, kind, filter, { window, order, limit }).execute()
    const page = await rowsOf(
      reading,
      filter,
      order,
      found.map(({ sequence }) => sequence),
    )
    left -= page.length
    if (page.length > 0) yield page
    const seen = found.length === limit ? found.at(-1)?.sequence : undefined
    const rest = beyond(span, order, seen ?? (order === 'asc' ? window.last : window.first))
    // A forged row far from the others must not cost a statement for each window in between.
    span = found.length > 0 ? rest : rest && (await spanOf(reading, filter, rest))
    await yieldWhenDue()
  }
}

/** The part from the first to the last row that exists in it; undefined when there is none. */
async function spanOf(
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
    ? { ...span, last: Math.min(last, first + LOOKED_AT - 1) }
    : { ...span, first: Math.max(first, last - LOOKED_AT + 1) }
}

function beyond(span: ChainPart, order: SearchOrder, seen: number): ChainPart | undefined {
  const rest = order === 'asc' ? { ...span, first: seen + 1 } : { ...span, last: seen - 1 }
  return rest.first > rest.last ? undefined : rest
}

/** The rows that match in one part of the log. The indexes decide nearly all of it, so that other rows aren't fetched. */
export function sequencesQuery(
  rows: Kysely<Schema>,
  kind: Database['kind'],
  filter: AuditFilter,
  { window, order, limit }: { window: ChainPart; order: SearchOrder; limit: number },
): Sequences {
  const within = rows
    .selectFrom('audit_entry')
    .select('sequence')
    .where('workspace_id', '=', filter.workspaceId)
    .where('sequence', '>=', window.first)
    .where('sequence', '<=', window.last)
  return filtered(kind, within, filter).orderBy('sequence', order).limit(limit)
}

/** By their numbers: as part of the other statement, PostgreSQL's plan for it would depend on statistics. */
const rowsOf = async (
  rows: Kysely<Schema>,
  { workspaceId }: AuditFilter,
  order: SearchOrder,
  sequences: readonly number[],
): Promise<AuditEntryRow[]> =>
  sequences.length === 0
    ? []
    : await rowsIn(rows, 'audit_entry', { workspace_id: workspaceId })
        .where('sequence', 'in', sequences)
        .orderBy('sequence', order)
        .execute()

/** What may stand behind the first words of a verb; nothing else where they end with it. */
const endsOf = (start: string): readonly string[] => (/[ .-]$/.test(start) ? [''] : [' ', '.', '-'])

const startsWith = (start: string) => sql<boolean>`substr(verb, 1, length(cast(${start} as text))) = ${start}`

type Sequences = SelectQueryBuilder<Schema, 'audit_entry', { sequence: number }>

function filtered(
  kind: Database['kind'],
  all: Sequences,
  { userId, verb, reference, object, from, to, withoutIntents }: AuditFilter,
): Sequences {
  let query = withoutIntents ? all.where('outcome', '<>', 'begun') : all
  if (userId !== undefined) query = query.where('user_id', '=', auditText(userId))
  if (reference !== undefined) query = query.where('reference', '=', auditText(reference))
  if (verb !== undefined) {
    const start = auditText(verb)
    // Not `/parcels` for `/parcel`.
    query = query.where(({ or, eb }) =>
      or([eb('verb', '=', start), ...endsOf(start).map((end) => startsWith(`${start}${end}`))]),
    )
  }
  if (object !== undefined) {
    const position = kind === 'postgres' ? sql.raw('strpos') : sql.raw('instr')
    query = query.where(
      sql<boolean>`${position}(lower(object), lower(cast(${auditText(object)} as text))) > 0`,
    )
  }
  if (from !== undefined) query = query.where('at', '>=', from.toISOString())
  if (to !== undefined) query = query.where('at', '<', to.toISOString())
  return query
}
