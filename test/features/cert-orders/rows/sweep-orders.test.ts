import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { oldOrders, sweepOrders } from '../../../../src/features/cert-orders/rows/sweep-orders.ts'
import { DATABASES } from '../../../databases/databases.ts'
import { migrate, openDatabase } from '../../../databases/open.ts'
import { planOf } from '../../../databases/plans.ts'

const ORDERS = 2000
const WORKSPACES = 20
const OLD = '2026-01-01T00:00:00.000Z'
const BEFORE = sql<string>`${'2026-02-01T00:00:00.000Z'}`

describe.each(DATABASES)('orders that are swept in $name', ({ start }) => {
  it('are the old ones that are over, but for the last of each workspace, some at a time', async () => {
    await using place = await start()
    await using database = await openDatabase(place.url)
    await database.exclusively((transaction) => migrate(transaction, new Date(0)))
    await sql`
      insert into cert_order (id, workspace_id, number, environment, state, version, requester_id, body_hash,
        sealed_content, created_at, updated_at, cards)
      with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(ORDERS - 1)})
      select 'o' || i, 'T' || (i % ${sql.lit(WORKSPACES)}), i, 'production',
        case when i % 100 = 5 then 'awaiting' else 'placed' end, 1, 'U1', '', '', '',
        case when i % 2 = 1 then '2026-03-01T00:00:00.000Z' else ${OLD} end, '[]'
      from n`.execute(database.rows)
    const left = async () => {
      const found = await database.rows
        .selectFrom('cert_order')
        .select(['number', 'state', 'updated_at'])
        .execute()
      return found
    }
    // Even numbers are old; of those the last of each even workspace stays.
    expect(await sweepOrders(database.rows, BEFORE)).toBe(ORDERS / 2 - WORKSPACES / 2)
    const old = (await left()).filter(({ updated_at }) => updated_at === OLD)
    expect(old.map(({ number }) => number).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: WORKSPACES / 2 }, (_, nth) => ORDERS - WORKSPACES + 2 * nth),
    )
    expect(await sweepOrders(database.rows, BEFORE)).toBe(0)
    expect(await left()).toHaveLength(ORDERS / 2 + WORKSPACES / 2)
  })

  it('are found along an index: no statement reads those that are not old, or more than a page', async () => {
    await using place = await start()
    await using database = await openDatabase(place.url)
    await database.exclusively((transaction) => migrate(transaction, new Date(0)))
    const query = oldOrders(database.rows, BEFORE, { updated_at: '', id: '' })
    const plan = await planOf(database, query)
    expect(plan).toMatchObject({ scans: [], sorts: [] })
    expect(plan.indexes).toContain('cert_order_by_age')
    expect(query.compile().sql).toMatch(/limit/i)
  })
})
