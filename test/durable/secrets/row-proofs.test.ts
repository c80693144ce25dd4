import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import type { Setting } from '../../../packages/durable/src/settings.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { EVERYONE } from '../../../src/domain/roles.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const ENDS_AT = new Date('2126-03-01T12:00:00.000Z')
const DAYS: Setting<number> = {
  key: 'days',
  read: (stored) => (typeof stored === 'number' ? stored : 365),
  valueIfForged: 0,
}
const ANN = { kind: 'user', id: 'U1' } as const

async function addRows(store: Store): Promise<void> {
  await store.installations.save({
    id: 'T1',
    kind: 'workspace',
    botToken: 'xoxb-1',
    installedBy: 'U1',
  })
  for (const environment of ['production', 'ote'] as const)
    await store.connections.save({ workspaceId: 'T1', environment, token: 'token', userId: 'U1', now: NOW })
  await store.grants.add('T1', 'operator', ANN, 'UADMIN', NOW, { endsAt: ENDS_AT })
  await store.grants.add('T1', 'approver', EVERYONE, 'UADMIN', NOW)
  await store.settings.set('T1', DAYS, 90)
  await store.settings.set('T2', DAYS, 30)
  const auditEvent = { at: NOW, actor: { userId: 'U1' }, verb: 'v', outcome: 'done', reference: 'r' } as const
  await store.audit.append({ ...auditEvent, workspaceId: 'T1' })
}

type Change = (rows: Database['rows']) => Promise<unknown>

const runSql =
  (...statements: string[]) =>
  async (rows: Database['rows']): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(rows)
  }

async function withStore<T>(database: TestDatabase, work: (store: Store) => Promise<T>): Promise<T> {
  await using store = await openStore(database)
  return await work(store)
}

async function changeRows(database: TestDatabase, change: Change): Promise<void> {
  await using raw = await openDatabase(database.url)
  await change(raw.rows)
}

// test/outside-changes tests that changes made outside the app are detected.
describe.each(SHARED_DATABASES)('a row that was changed outside the app on $name', ({ start }) => {
  it('becomes valid again once someone sets the role or setting in the app', async () => {
    await using database = await start()
    await withStore(database, addRows)
    await changeRows(
      database,
      runSql(
        `update role_grant set subject_id = 'U9', ends_at = null where subject_id = 'U1'`,
        `update setting set value = '1' where workspace_id = 'T1' and key = 'days'`,
      ),
    )
    await withStore(database, async (store) => {
      const lee = { kind: 'user', id: 'U9' } as const
      expect(await store.grants.add('T1', 'operator', lee, 'UADMIN', NOW, { endsAt: ENDS_AT })).toBe(true)
      expect(await store.settings.change('T1', DAYS, (days) => days + 1)).toBe(1)
      expect(await store.grants.list('T1')).toHaveLength(2)
      expect(await Array.fromAsync(store.forgedRows())).toEqual([])
    })
  })
})
