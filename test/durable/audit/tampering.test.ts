import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../packages/durable/src/database/database.ts'
import { openStore, type Store } from '../../../src/app/store.ts'
import { SHARED_DATABASES, type TestDatabase } from '../../databases/databases.ts'
import { openDatabase } from '../../databases/open.ts'

const ROWS = 6

// Every way to tamper with it, and what names each, is in test/past-the-app.
describe.each(SHARED_DATABASES)('tampering with the audit log on $name', ({ start }) => {
  let database: TestDatabase
  let store: Store
  let raw: Database

  beforeEach(async () => {
    database = await start()
    store = await openStore(database)
    raw = await openDatabase(database.url)
    for (const workspaceId of ['T1', 'T2']) {
      for (let i = 1; i <= ROWS; i++) {
        await store.audit.append({
          workspaceId,
          at: new Date(i * 60_000),
          actor: { userId: `U${i}` },
          channelId: 'C1',
          verb: 'health-check.edit',
          object: `check ${i}`,
          before: { i },
          after: { i: i + 1 },
          outcome: 'done',
          reference: `r${i}`,
        })
      }
    }
  })
  afterEach(async () => {
    await raw?.[Symbol.asyncDispose]()
    await store?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it('is not covered by retention', async () => {
    await raw.rows
      .updateTable('audit_entry')
      .set({ user_id: 'U9' })
      .where('workspace_id', '=', 'T1')
      .where('sequence', '=', 2)
      .execute()
    await expect(store.audit.retain('T1', new Date('2026-01-01'))).rejects.toMatchObject({ kind: 'unusable' })
    expect(await store.audit.verify('T1')).toMatchObject({ rows: ROWS, faults: [{ sequence: 2 }] })
  })

  it('is found after retention, at both ends', async () => {
    await store.audit.retain('T1', new Date(3 * 60_000))
    await raw.rows
      .deleteFrom('audit_entry')
      .where('workspace_id', '=', 'T1')
      .where('sequence', '=', 3)
      .execute()
    const { faults } = await store.audit.verify('T1')
    expect(faults).toEqual([{ sequence: 3, what: 'was deleted' }])
  })

  it('that takes the head is not written over', async () => {
    await raw.rows.deleteFrom('audit_chain').where('workspace_id', '=', 'T1').execute()
    const auditEvent = {
      at: new Date(0),
      actor: { userId: 'U' },
      verb: 'v',
      outcome: 'done',
      reference: 'r',
    } as const
    const appending = store.audit.append({ ...auditEvent, workspaceId: 'T1' })
    await expect(appending).rejects.toMatchObject({ name: 'StoreError', kind: 'unusable' })
    expect((await store.audit.verify('T1')).rows).toBe(ROWS)
  })
})
