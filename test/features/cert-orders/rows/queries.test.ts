import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../packages/durable/src/database/database.ts'
import {
  countQuery,
  duplicateQuery,
  type OrderQuery,
  pageQuery,
} from '../../../../src/features/cert-orders/rows/queries.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../../databases/databases.ts'
import { migrate, openDatabase } from '../../../databases/open.ts'
import { explainPlan } from '../../../databases/plans.ts'

const ORDERS = 3000

const WHERE = { workspaceId: 'T1', environment: 'production' } as const
type Filter = Partial<Omit<OrderQuery, 'limit'>>

describe.each(SHARED_DATABASES)('many orders in $name', ({ start }) => {
  let testDatabase: TestDatabase
  let database: Database

  beforeAll(async () => {
    testDatabase = await start()
    database = await openDatabase(testDatabase.url)
    await database.withExclusiveLock((transaction) => migrate(transaction, new Date(0)))
    // Not encrypted, because the test doesn't read their content.
    await sql`
      insert into cert_order (id, workspace_id, number, environment, state, version, requester_id, renews_id, body_hash,
        key_hash, sealed_content, created_at, updated_at, cards)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(ORDERS)})
      select 'o' || i, 'T1', i, case when i % 10 = 0 then 'ote' else 'production' end,
        case when i % 1000 = 5 then 'awaiting' else 'received' end, 1, 'U' || (i % 7),
        case when i % 1000 = 1 then 'C' || i end, '', '', '', '', '', '[]'
      from n`.execute(database.rows)
  })
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await testDatabase?.[Symbol.asyncDispose]()
  })

  const listNumbers = async (filter: Filter, limit: number, offset = 0): Promise<number[]> => {
    const found = await pageQuery(database.rows, { ...WHERE, ...filter, limit, offset }).execute()
    return found.map(({ number }) => number)
  }

  const count = async (filter: Filter): Promise<number> =>
    Number((await countQuery(database.rows, { ...WHERE, ...filter }).executeTakeFirst())?.total)

  it('are filtered and counted, newest first', async () => {
    expect(await listNumbers({}, 3)).toEqual([2999, 2998, 2997])
    expect(await listNumbers({ environment: 'ote' }, 2, 298)).toEqual([20, 10])
    expect(await listNumbers({ states: ['awaiting', 'unknown'] }, 10)).toEqual([2005, 1005, 5])
    expect(await listNumbers({ states: ['awaiting', 'unknown'], oldestFirst: true }, 2)).toEqual([5, 1005])
    expect(
      await listNumbers({ environment: 'production', requesterId: 'U0', states: ['received'] }, 2),
    ).toEqual([2996, 2989])
    expect(await listNumbers({ renewsId: 'C2001' }, 10)).toEqual([2001])
    expect(await count({})).toBe(2700)
    expect(await count({ environment: 'ote', states: ['received'] })).toBe(300)
    expect(await count({ requesterId: 'U1', states: ['awaiting'] })).toBe(0)
    expect(await count({ workspaceId: 'T2' })).toBe(0)
  })

  const FILTERS: Filter[] = [
    {},
    { environment: 'ote' },
    { states: ['received'] },
    { states: ['received'], oldestFirst: true },
    { requesterId: 'U1' },
    { requesterId: 'U1', states: ['received'] },
    { renewsId: 'C1' },
  ]

  it.each(FILTERS)('are found and counted using an index, without sorting: %o', async (filter) => {
    const page = pageQuery(database.rows, { ...WHERE, ...filter, limit: 10, offset: 20 })
    const count = countQuery(database.rows, { ...WHERE, ...filter })
    for (const query of [page, count])
      expect(await explainPlan(database, query)).toMatchObject({ scans: [], sorts: [] })
  })

  it.each([
    { filter: { renewsId: 'C1' }, index: 'cert_order_by_renewed' },
    { filter: { keyHash: 'K1' }, index: 'cert_order_by_key' },
  ])('are searched for an open order using only the index $index', async ({ filter, index }) => {
    const where = { ...WHERE, ...filter }
    for (const sent of [undefined, { id: 'o1', createdAt: new Date(0) }]) {
      const query = duplicateQuery(database.rows, where, sent)
      expect(await explainPlan(database, query)).toMatchObject({ scans: [], indexes: [index] })
    }
  })

  it.each(FILTERS.slice(0, -1))('are counted using only an index: %o', async (filter) => {
    const { isCovered } = await explainPlan(database, countQuery(database.rows, { ...WHERE, ...filter }))
    expect(isCovered).toBe(true)
  })
})
