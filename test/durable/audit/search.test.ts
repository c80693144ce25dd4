import { createQueryId, type RootOperationNode, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuditFilter,
  findRows,
  rowsQuery,
  type SearchOrder,
} from '../../../packages/durable/src/audit/search.ts'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { migrate, openDatabase } from '../../databases/open.ts'
import { planOf } from '../../databases/plans.ts'
import { startPostgresDatabase } from '../../databases/postgres.ts'

const ROWS = 45_000
const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)
const RARE = 9000

describe.each(SHARED_DATABASES)('a long audit log on $name', ({ start }) => {
  let place: TestDatabase
  let database: Database

  beforeAll(async () => {
    place = await start()
    database = await openDatabase(place.url)
    await database.exclusively((transaction) => migrate(transaction, new Date(START)))
    // Without hashes, since nothing here verifies them; every 9,000th row is another one's.
    await sql`
      insert into audit_entry (workspace_id, sequence, previous_hash, hash, at, user_id, verb, object, outcome, reference)
      with recursive n(i) as (select 11 union all select i + 1 from n where i < ${sql.lit(ROWS)})
      select 'T1', i, '', '', case when i % 9000 = 0 then '2025-06-01T00:00:00.000Z' else '2026-01-02T00:00:00.000Z' end,
        case when i % 9000 = 0 then 'URARE' else 'U1' end, case when i % 9000 = 0 then '/hc rare' else '/hc edit' end,
        case when i % 9000 = 0 then 'A needle' else 'hay' end, 'done', 'r'
      from n`.execute(database.rows)
  })
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
  })

  const found = async (
    filter: Partial<AuditFilter>,
    order: SearchOrder,
    most?: number,
  ): Promise<number[]> => {
    const sequences: number[] = []
    const pages = findRows(database, { workspaceId: 'T1', ...filter }, order, most)
    for await (const page of pages) sequences.push(...page.map(({ sequence }) => sequence))
    return sequences
  }

  const rare = Array.from({ length: ROWS / RARE }, (_, index) => (index + 1) * RARE)

  it.each<{ by: string; filter: Partial<AuditFilter> }>([
    { by: 'person', filter: { userId: 'URARE' } },
    { by: 'verb', filter: { verb: '/hc rare' } },
    { by: 'object', filter: { object: 'NEEDLE' } },
    { by: 'time', filter: { to: new Date(START) } },
    {
      by: 'all of them',
      filter: { userId: 'URARE', verb: '/hc', object: 'a', from: new Date(START - 300 * DAY_MS) },
    },
  ])('gives the few rows that fit, from either end, by $by', async ({ filter }) => {
    expect(await found(filter, 'asc')).toEqual(rare)
    expect(await found(filter, 'desc')).toEqual(rare.toReversed())
    expect(await found({ ...filter, before: 2 * RARE }, 'desc', 3)).toEqual([RARE])
    expect(await found(filter, 'desc', 2)).toEqual(rare.toReversed().slice(0, 2))
  })

  it('gives every row once, in either order', async () => {
    const all = Array.from({ length: ROWS - 10 }, (_, index) => index + 11)
    expect(await found({}, 'asc')).toEqual(all)
    expect(await found({ verb: '/hc' }, 'desc')).toEqual(all.toReversed())
    expect(await found({ before: 11 }, 'desc')).toEqual([])
    // As `/hc watch` is not `/hc watches`.
    expect(await found({ verb: '/hc rar' }, 'desc')).toEqual([])
    expect(await found({ workspaceId: 'T2' }, 'asc')).toEqual([])
  })

  it('is not slowed down by rows that were put in far away', async () => {
    const far = [-2_147_483_648, 2_147_483_647]
    const row = {
      previous_hash: '',
      hash: '',
      user_id: 'URARE',
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    const rows = far.map((sequence) => ({
      ...row,
      workspace_id: 'T1',
      sequence,
      at: '2026-01-01T00:00:00.000Z',
    }))
    await database.rows.insertInto('audit_entry').values(rows).execute()
    expect(await found({ userId: 'URARE' }, 'asc')).toEqual([far[0], ...rare, far[1]])
    expect(await found({ userId: 'URARE' }, 'desc')).toEqual([far[1], ...rare.toReversed(), far[0]])
    await database.rows.deleteFrom('audit_entry').where('sequence', 'in', far).execute()
  })

  it.each<{ filter: Partial<AuditFilter>; index?: string }>([
    { filter: {} },
    { filter: { userId: 'U1' }, index: 'audit_entry_by_user' },
    {
      filter: { userId: 'U1', verb: '/hc', from: new Date(START), to: new Date(START + DAY_MS) },
      index: 'audit_entry_by_user',
    },
    { filter: { verb: '/hc' }, index: 'audit_entry_by_sequence' },
    { filter: { from: new Date(START), to: new Date(START + DAY_MS) }, index: 'audit_entry_by_sequence' },
    { filter: { object: 'x' } },
  ])('is searched along an index, without sorting, for $filter', async ({ filter, index }) => {
    for (const order of ['asc', 'desc'] as const) {
      const part = { window: { first: 1, last: 10_000 }, order, limit: 11 }
      const query = rowsQuery(database.rows, database.kind, { workspaceId: 'T1', ...filter }, part)
      const { scans, sorts, indexes } = await planOf(database, query)
      expect({ scans, sorts }).toEqual({ scans: [], sorts: [] })
      // PostgreSQL goes by what it knows of the rows: here, that it may as well take another index.
      if (index !== undefined && database.kind === 'sqlite') expect(indexes).toContain(index)
    }
  })
})

describe('a log of ten years on PostgreSQL', () => {
  const MONTHS = 120
  const NOW = new Date(Date.UTC(2026, 10, 15))
  const ENDS = { first: 11, last: 3610 }
  let place: AsyncDisposable & { readonly url: string }
  let database: Database

  beforeAll(async () => {
    place = await startPostgresDatabase()
    database = await openDatabase(place.url)
    await database.exclusively((transaction) => migrate(transaction, NOW))
    for (let ago = 1; ago <= MONTHS; ago += 1) {
      const [from, to] = [ago, ago - 1].map((months) => new Date(Date.UTC(2026, 10 - months)).toISOString())
      const partition = `audit_entry_${from?.slice(0, 7).replace('-', '_')}`
      await sql`create table ${sql.table(partition)} partition of audit_entry
        for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(database.rows)
    }
    // Some thirty a month. Of the newest and of older ones some were written by clocks that were a little, or far, behind.
    await sql`
      insert into audit_entry (workspace_id, sequence, previous_hash, hash, at, user_id, verb, object, outcome, reference)
      select 'T1', i, '', '', to_char(timestamp '2026-11-14' - (3610 - i) * interval '1 day'
          - case when i % 97 = 0 then interval '20 days' when i % 501 = 0 then interval '60 years' else '0 days' end,
          'YYYY-MM-DD"T"HH24:MI:SS.000Z'),
        case when i % 300 = 0 then 'URARE' else 'U1' end, case when i = 20 then '/hc first' else '/hc edit' end,
        'hay', 'done', 'r'
      from generate_series(11, 3610) i`.execute(database.rows)
  })
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await place?.[Symbol.asyncDispose]()
  })

  async function found(filter: Partial<AuditFilter>, most: number | undefined, ends?: typeof ENDS) {
    const sequences: number[] = []
    const pages = findRows(database, { workspaceId: 'T1', ...filter }, 'desc', most, ends)
    for await (const page of pages) sequences.push(...page.map(({ sequence }) => sequence))
    return sequences
  }

  it.each<{ filter: Partial<AuditFilter>; most?: number; rows: number }>([
    { filter: {}, most: 15, rows: 15 },
    { filter: { before: 3600 }, most: 15, rows: 15 },
    { filter: { before: 505 }, most: 15, rows: 15 },
    { filter: { before: 14 }, most: 15, rows: 3 },
    { filter: { before: 11 }, rows: 0 },
    { filter: {}, rows: 3600 },
    { filter: { userId: 'URARE' }, rows: 12 },
    { filter: { verb: '/hc first' }, most: 15, rows: 1 },
    { filter: { from: new Date(Date.UTC(2026, 4)), to: new Date(Date.UTC(2026, 7)) }, rows: 92 },
  ])(
    'answers $filter as one statement over all months would, whatever clocks said',
    async ({ filter, most, rows }) => {
      const all = await found(filter, most)
      expect(all.length).toBeGreaterThanOrEqual(rows - 3)
      expect(await found(filter, most, ENDS)).toEqual(all)
    },
  )

  it('leaves out what came while it was searched', async () => {
    expect(await found({}, 3, { ...ENDS, last: 3605 })).toEqual([3605, 3604, 3603])
  })

  /** How many indexes of partitions are opened by all statements of a search. */
  async function opened(filter: Partial<AuditFilter>, ends?: typeof ENDS): Promise<number> {
    const nodes: RootOperationNode[] = []
    const reading = database.reading.withPlugin({
      transformQuery({ node }) {
        nodes.push(node)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const pages = findRows({ kind: 'postgres', reading }, { workspaceId: 'T1', ...filter }, 'desc', 15, ends)
    expect((await Array.fromAsync(pages)).flat()).toHaveLength(15)
    let count = 0
    for (const node of nodes) {
      const compiled = database.reading.getExecutor().compileQuery(node, createQueryId())
      // What is a part of another is there once more.
      if (compiled.sql.includes('"audit_entry"') && !compiled.sql.startsWith('select "sequence"'))
        count += (await planOf(database, { compile: () => compiled })).indexes.length
    }
    return count
  }

  it('opens the newest months for a page, where every month was opened before', async () => {
    // A page that begins with 14 rows of this month and ends with one of the last, and one that is some months old.
    expect(await opened({}, ENDS)).toBeLessThan(50)
    expect(await opened({ before: 3500 }, ENDS)).toBeLessThan(100)
    expect(await opened({})).toBeGreaterThan(4 * MONTHS)
  })
})
