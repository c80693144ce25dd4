import { expect, it } from 'vitest'
import { openDatabase } from '../../../src/store/database/database.ts'
import { up as firstRows } from '../../../src/store/database/migrations/001-first-rows.ts'
import { openStore } from '../../../src/store/store.ts'
import { EMPTY_DATABASES } from '../databases.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

it.each(EMPTY_DATABASES)(
  'a database of the first release on $name is brought up to date with all it holds',
  async ({ start }) => {
    await using database = await start()
    {
      await using raw = await openDatabase(database.url)
      await raw.exclusively(async (transaction) => {
        // A migration knows no row types, because they change after it is written.
        await firstRows(transaction as never)
        await transaction.schema
          .createTable('migration')
          .addColumn('name', 'text', (column) => column.primaryKey())
          .addColumn('applied_at', 'text', (column) => column.notNull())
          .execute()
        const applied = { name: '001-first-rows', applied_at: NOW.toISOString() }
        await transaction.insertInto('migration').values(applied).execute()
        const channel = { workspace_id: 'T1', channel_id: 'C1', environment: 'ote' } as const
        await transaction.insertInto('channel').values(channel).execute()
      })
    }
    await using store = await openStore(database)
    expect(await store.channels.environment('T1', 'C1')).toBe('ote')
    const auditEvent = {
      at: NOW,
      actor: { userId: 'U1' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    expect(await store.audit.append({ ...auditEvent, workspaceId: 'T1' })).toMatchObject({ sequence: 1 })
    expect(await store.installations.list()).toEqual([])
  },
)
