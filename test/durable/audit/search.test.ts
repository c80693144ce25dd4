import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuditFilter,
  type SearchOrder,
  searchRows,
  sequencesQuery,
} from '../../../packages/durable/src/audit/search.ts'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { migrate, openDatabase } from '../../databases/open.ts'
import { planOf } from '../../databases/plans.ts'

const ROWS = 45_000
const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)
const RARE = 9000

describe.each(SHARED_DATABASES)('a long audit log on $name', ({ start }) => {
  let address: TestDatabase
  let database: Database

  beforeAll(async () => {
    address = await start()
    database = await openDatabase(address.url)
    await database.withExclusiveLock((transaction) => migrate(transaction, new Date(START)))
    // Without hashes, because nothing here verifies them. Every 9,000th row is by another person.
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
    await address?.[Symbol.asyncDispose]()
  })

  const found = async (
    filter: Partial<AuditFilter>,
    order: SearchOrder,
    most?: number,
  ): Promise<number[]> => {
    const sequences: number[] = []
    const pages = searchRows(database, { workspaceId: 'T1', ...filter }, order, most)
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
  ])('finds the few matching rows by $by, from either end', async ({ filter }) => {
    expect(await found(filter, 'asc')).toEqual(rare)
    expect(await found(filter, 'desc')).toEqual(rare.toReversed())
    expect(await found({ ...filter, before: 2 * RARE }, 'desc', 3)).toEqual([RARE])
    expect(await found(filter, 'desc', 2)).toEqual(rare.toReversed().slice(0, 2))
  })

  it('returns every row once, in either order', async () => {
    const all = Array.from({ length: ROWS - 10 }, (_, index) => index + 11)
    expect(await found({}, 'asc')).toEqual(all)
    expect(await found({ verb: '/hc' }, 'desc')).toEqual(all.toReversed())
    expect(await found({ before: 11 }, 'desc')).toEqual([])
    // Just as `/hc watch` doesn't match `/hc watches`.
    expect(await found({ verb: '/hc rar' }, 'desc')).toEqual([])
    expect(await found({ workspaceId: 'T2' }, 'asc')).toEqual([])
  })

  it('isn’t slower because of rows outside of the searched range', async () => {
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
  ])('uses an index without sorting for $filter', async ({ filter, index }) => {
    for (const order of ['asc', 'desc'] as const) {
      const part = { window: { first: 1, last: 10_000 }, order, limit: 11 }
      const query = sequencesQuery(database.rows, database.kind, { workspaceId: 'T1', ...filter }, part)
      const { scans, sorts, indexes } = await planOf(database, query)
      expect({ scans, sorts }).toEqual({ scans: [], sorts: [] })
      // PostgreSQL decides by its statistics: with these, it may as well use another index.
      if (index !== undefined && database.kind === 'sqlite') expect(indexes).toContain(index)
    }
  })
})
