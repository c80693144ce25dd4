import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { sweepRows } from '../../../../packages/durable/src/database/delete-rows.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { migrate, openDatabase } from '../../../databases/open.ts'

const ORDERS = 2000
const WORKSPACES = 20
const OLD = '2016-01-01T00:00:00.000Z'
const NOW = Date.parse('2026-02-01T00:00:00.000Z')

it.each(SHARED_DATABASES)(
  'deletes finished orders from 10 years ago and their steps, except the last order of each workspace, in $name',
  async ({ start }) => {
    await using testDatabase = await start()
    await using database = await openDatabase(testDatabase.url)
    await database.withExclusiveLock((transaction) => migrate(transaction, new Date(0)))
    await sql`
      insert into cert_order (id, workspace_id, number, environment, state, version, requester_id, body_hash,
        key_hash, sealed_content, created_at, updated_at, cards)
      with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(ORDERS - 1)})
      select 'o' || i, 'T' || (i % ${sql.lit(WORKSPACES)}), i, 'production',
        case when i % 100 = 6 then 'awaiting' else 'received' end, 1, 'U1', '', '', '', '',
        case when i % 2 = 1 then '2026-01-01T00:00:00.000Z' else ${OLD} end, '[]'
      from n`.execute(database.rows)
    await sql`
      insert into cert_order_event (order_id, workspace_id, version, at, kind)
      select id, workspace_id, 1, created_at, 'request' from cert_order`.execute(database.rows)
    const sweep = async () => {
      const counts = await sweepRows(
        database,
        (offsetMs = 0) => sql<string>`${new Date(NOW + offsetMs).toISOString()}`,
      )
      return counts.get('cert_order')
    }
    // Orders with even numbers are old. The last old order of each workspace stays, and so do orders that aren't finished.
    const awaiting = ORDERS / 100
    const keptCount = awaiting + WORKSPACES / 2
    expect(await sweep()).toBe(ORDERS / 2 - keptCount)
    const remaining = await database.rows
      .selectFrom('cert_order')
      .select(['id', 'number', 'updated_at'])
      .execute()
    const last = remaining.filter(({ number, updated_at }) => updated_at === OLD && number % 100 !== 6)
    expect(last.map(({ number }) => number).toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: WORKSPACES / 2 }, (_, index) => ORDERS - WORKSPACES + 2 * index),
    )
    const steps = await database.rows.selectFrom('cert_order_event').select('order_id').execute()
    expect(steps.map((step) => step.order_id).toSorted()).toEqual(remaining.map(({ id }) => id).toSorted())
    expect(await sweep()).toBe(0)
  },
)
