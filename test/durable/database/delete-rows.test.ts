import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { deleteWhere } from '../../../packages/durable/src/database/delete-rows.ts'
import { openStore } from '../../../src/app/store.ts'
import { SHARED_DATABASES } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const ROWS_PER_WORKSPACE = 250

async function countLockWaits({ rows: all }: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as integer) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(all)
  return rows[0]?.count ?? 0
}

describe.each(SHARED_DATABASES)('deleting rows in batches in $name', ({ start }) => {
  /** Fills a table whose primary key has several columns. */
  async function startWithCards() {
    const address = await start()
    await (await openStore(address))[Symbol.asyncDispose]()
    const database = await openDatabase(address.url)
    const cards = ['T1', 'T2'].flatMap((workspace_id) =>
      Array.from({ length: ROWS_PER_WORKSPACE }, (_, index) => ({
        workspace_id,
        channel_id: `C${String(index).padStart(3, '0')}`,
        environment: 'production' as const,
      })),
    )
    await database.rows.insertInto('channel').values(cards).execute()
    const countRemaining = async (workspaceId: string): Promise<number> =>
      (
        await database.rows
          .selectFrom('channel')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .execute()
      ).length
    return {
      database,
      countRemaining,
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]()
        await address[Symbol.asyncDispose]()
      },
    }
  }

  it('deletes and counts all rows that match', async () => {
    await using fixture = await startWithCards()
    const { database, countRemaining } = fixture
    const condition = sql`workspace_id = 'T1' and channel_id >= 'C010'`
    const deleted = await deleteWhere(database, 'channel', condition)
    expect(deleted).toBe(ROWS_PER_WORKSPACE - 10)
    expect([await countRemaining('T1'), await countRemaining('T2')]).toEqual([10, ROWS_PER_WORKSPACE])
  })

  it('keeps a row that stops matching while the deletion waits for its lock', async () => {
    await using fixture = await startWithCards()
    const { database, countRemaining } = fixture
    let deleting: Promise<number> | undefined
    await database.rows.transaction().execute(async (rows) => {
      await rows
        .updateTable('channel')
        .set({ environment: 'ote' })
        .where('workspace_id', '=', 'T1')
        .where('channel_id', '=', 'C000')
        .execute()
      deleting = deleteWhere(database, 'channel', sql`environment = 'production'`)
      // SQLite starts the deletion after this transaction. PostgreSQL finds the row unchanged, and waits.
      if (database.kind === 'postgres') await expect.poll(() => countLockWaits(database)).toBe(1)
    })
    const deleted = await deleting
    expect({ deleted, remaining: await countRemaining('T1') }).toEqual({
      deleted: 2 * ROWS_PER_WORKSPACE - 1,
      remaining: 1,
    })
  })
})
