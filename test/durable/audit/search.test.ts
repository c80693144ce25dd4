import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditFilter, type SearchOrder, searchRows } from '../../../packages/durable/src/audit/search.ts'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { migrate, openDatabase } from '../../databases/open.ts'

const ROWS = 27_000
const DAY_MS = 86_400_000
const START = Date.UTC(2026, 0, 1)
const RARE_INTERVAL = 9000

describe.each(SHARED_DATABASES)('a long audit log on $name', ({ start }) => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await start()
    database = await openDatabase(testDatabase.url)
    await database.withExclusiveLock((transaction) => migrate(transaction, new Date(START)))
    // Every 9,000th row is by another person.
    await sql`
      insert into audit_entry (workspace_id, sequence, at, user_id, verb, object, outcome, reference)
      with recursive n(i) as (select 11 union all select i + 1 from n where i < ${sql.lit(ROWS)})
      select 'T1', i, case when i % 9000 = 0 then '2025-06-01T00:00:00.000Z' else '2026-01-02T00:00:00.000Z' end,
        case when i % 9000 = 0 then 'URARE' else 'U1' end, case when i % 9000 = 0 then '/hc rare' else '/hc edit' end,
        case when i % 9000 = 0 then 'A needle' else 'hay' end, 'done', 'r'
      from n`.execute(database.rows)
  })
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await testDatabase?.[Symbol.asyncDispose]()
  })

  const findSequences = async (
    filter: Partial<AuditFilter>,
    order: SearchOrder,
    limit?: number,
  ): Promise<number[]> => {
    const sequences: number[] = []
    const pages = searchRows(database, { workspaceId: 'T1', ...filter }, order, limit)
    for await (const page of pages) sequences.push(...page.map(({ sequence }) => sequence))
    return sequences
  }

  const rareSequences = Array.from(
    { length: ROWS / RARE_INTERVAL },
    (_, index) => (index + 1) * RARE_INTERVAL,
  )

  it.each<[by: string, filter: Partial<AuditFilter>]>([
    ['person', { userId: 'URARE' }],
    ['a part of the object', { text: 'NEEDLE' }],
    ['a part of the verb', { text: 'C RARE' }],
    ['time', { to: new Date(START) }],
    ['all of them', { userId: 'URARE', text: 'a', from: new Date(START - 300 * DAY_MS) }],
  ])('finds a few matching rows by %s, in either order', async (_by, filter) => {
    expect(await findSequences(filter, 'asc')).toEqual(rareSequences)
    expect(await findSequences(filter, 'desc')).toEqual(rareSequences.toReversed())
    expect(await findSequences({ ...filter, before: 2 * RARE_INTERVAL }, 'desc', 3)).toEqual([RARE_INTERVAL])
    expect(await findSequences(filter, 'desc', 2)).toEqual(rareSequences.toReversed().slice(0, 2))
  })

  it('reads a slice at a time, so that other work runs in between, also if nothing matches', async () => {
    let queries = 0
    const rows = database.rows.withPlugin({
      transformQuery: ({ node }) => {
        queries += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const pages = searchRows({ ...database, rows }, { workspaceId: 'T1', text: 'nowhere' }, 'desc')
    expect(await Array.fromAsync(pages)).toEqual([])
    expect(queries).toBeGreaterThan(ROWS / 2000)
  })

  it('returns every row exactly once, in either order', async () => {
    const allSequences = Array.from({ length: ROWS - 10 }, (_, index) => index + 11)
    expect(await findSequences({}, 'asc')).toEqual(allSequences)
    expect(await findSequences({ text: '/hc' }, 'desc')).toEqual(allSequences.toReversed())
    expect(await findSequences({ before: 11 }, 'desc')).toEqual([])
    expect(await findSequences({ workspaceId: 'T2' }, 'asc')).toEqual([])
  })
})
