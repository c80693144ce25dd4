import { yieldWhenDue } from '@signalman/runtime'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { monthsOf } from '../database/partitions.ts'
import type { AuditEntryRow, Schema } from '../database/schema.ts'
import { auditText } from './row.ts'

/** A filter of the log; a member that is left out matches everything. */
export interface AuditFilter {
  readonly workspaceId: string
  readonly userId?: string | undefined
  /** The verb, or its first words or parts: `/hc`, `health-check`. */
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
/** This one, and those that are made ahead (partitions.ts). */
const NEWEST_MONTHS = 3
/** Rows of a page, which so stays under 10 MB. */
const PAGE = 200

/** A part of a chain, both ends included. */
interface ChainPart {
  readonly first: number
  readonly last: number
  /** All of its rows are from this time on, as ISO text; undefined where that is not known. */
  readonly since?: string
}

/** Every number that the column can hold in both databases. */
const WHOLE: ChainPart = { first: -0x8000_0000, last: 0x7fff_ffff }

/**
 * The rows that match, a page at a time, at most `most`. No statement runs for long, also where few rows match, and other work runs in
 * between. Rows that are added meanwhile are left out; where the sealed ends of the chain are given, so may be those beyond them, which
 * nobody has written.
 */
export async function* findRows(
  { kind, reading }: Pick<Database, 'kind' | 'reading'>,
  filter: AuditFilter,
  order: SearchOrder,
  most = Number.POSITIVE_INFINITY,
  ends?: ChainPart,
): AsyncGenerator<AuditEntryRow[]> {
  let left = most
  for await (const part of partsOf({ kind, reading }, filter, order, ends)) {
    for await (const page of pagesOf({ kind, reading }, filter, order, { part, most: left })) {
      left -= page.length
      yield page
    }
    if (left <= 0) return
  }
}

/** Those of one part of the log. */
async function* pagesOf(
  { kind, reading }: Pick<Database, 'kind' | 'reading'>,
  filter: AuditFilter,
  order: SearchOrder,
  { part, most }: { part: ChainPart; most: number },
): AsyncGenerator<AuditEntryRow[]> {
  let left = most
  let span: ChainPart | undefined = part
  while (span !== undefined && left > 0) {
    const window = windowOf(span, order)
    const limit = Math.min(left, PAGE)
    const page = await rowsQuery(reading, kind, filter, { window, order, limit }).execute()
    left -= page.length
    if (page.length > 0) yield page
    const seen = page.length === limit ? page.at(-1)?.sequence : undefined
    const rest = beyond(span, order, seen ?? (order === 'asc' ? window.last : window.first))
    // A forged row far from the others must not cost a statement for each window in between.
    span = page.length > 0 ? rest : rest && (await spanOf(reading, filter, rest))
    await yieldWhenDue()
  }
}

/** What is to be searched, one part after the other. */
async function* partsOf(
  { kind, reading }: Pick<Database, 'kind' | 'reading'>,
  filter: AuditFilter,
  order: SearchOrder,
  ends: ChainPart | undefined,
): AsyncGenerator<ChainPart> {
  const before = filter.before ?? WHOLE.last + 1
  let last = Math.min(WHOLE.last, before - 1)
  if (kind === 'postgres' && order === 'desc' && ends) {
    last = Math.min(last, ends.last)
    for await (const part of newestParts(reading, filter, { first: ends.first, last })) {
      yield part
      last = part.first - 1
    }
    if (last < ends.first) return
  }
  const whole = await spanOf(reading, filter, { ...WHOLE, last })
  if (whole) yield whole
}

/**
 * PostgreSQL has a partition for each month, and a statement that says nothing of time is planned and begun for each of them: the
 * newest rows are looked for in the newest months, and in twice as many when these are done with, as far as no row is missing there,
 * which may be of another month.
 */
async function* newestParts(
  rows: Kysely<Schema>,
  filter: AuditFilter,
  { first, last }: ChainPart,
): AsyncGenerator<ChainPart> {
  const months = await monthsOf(rows, 'audit_entry')
  let left = last
  for (let newest = NEWEST_MONTHS; left >= first && newest < months.length; ) {
    const since = months[newest - 1]?.toISOString() ?? ''
    const asked = { first: Math.max(first, left - LOOKED_AT + 1), last: left, since }
    const part = await unbrokenPart(rows, filter, asked)
    if (part) yield part
    if (part) left = part.first - 1
    else newest *= 2
  }
}

/** The end of the part that is there from that time on without a gap; undefined when not even its last row is. */
async function unbrokenPart(
  rows: Kysely<Schema>,
  { workspaceId }: AuditFilter,
  asked: ChainPart & { readonly since: string },
): Promise<ChainPart | undefined> {
  const there = rows
    .selectFrom('audit_entry')
    // The same for each row as long as none is missing above it.
    .select(['sequence', sql<number>`sequence + row_number() over (order by sequence desc)`.as('top')])
    .where('workspace_id', '=', workspaceId)
    .where('sequence', '>=', asked.first)
    .where('sequence', '<=', asked.last)
    .where('at', '>=', asked.since)
  const { first } = await rows
    .selectFrom(there.as('there'))
    .select(({ fn }) => fn.min('sequence').as('first'))
    .where('top', '=', asked.last + 1)
    .executeTakeFirstOrThrow()
  return first === null ? undefined : { ...asked, first }
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

function windowOf(span: ChainPart, order: SearchOrder): ChainPart {
  const { first, last } = span
  return order === 'asc'
    ? { ...span, last: Math.min(last, first + LOOKED_AT - 1) }
    : { ...span, first: Math.max(first, last - LOOKED_AT + 1) }
}

function beyond(span: ChainPart, order: SearchOrder, seen: number): ChainPart | undefined {
  const rest = order === 'asc' ? { ...span, first: seen + 1 } : { ...span, last: seen - 1 }
  return rest.first > rest.last ? undefined : rest
}

/** One page of one part of the log. */
export function rowsQuery(
  rows: Kysely<Schema>,
  kind: Database['kind'],
  filter: AuditFilter,
  { window, order, limit }: { window: ChainPart; order: SearchOrder; limit: number },
): SelectQueryBuilder<Schema, 'audit_entry', AuditEntryRow> {
  // Said of both, so that whatever way is taken through them and through all partitions never leaves the window.
  let within = rows
    .selectFrom('audit_entry')
    .where('workspace_id', '=', filter.workspaceId)
    .where('sequence', '>=', window.first)
    .where('sequence', '<=', window.last)
  if (window.since !== undefined) within = within.where('at', '>=', window.since)
  // The indexes decide all that they can, so that only rows that match are fetched.
  const fitting = filtered(kind, within.select('sequence'), filter).orderBy('sequence', order).limit(limit)
  return within.selectAll().where('sequence', 'in', fitting).orderBy('sequence', order)
}

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
    // Not `/hc watches` for `/hc watch`.
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
